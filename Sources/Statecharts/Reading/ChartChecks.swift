// Checks the chart as a whole, and tells where in the file what was found stands.

extension ChartReader {
    func check(_ definition: ChartDefinition) {
        report(TargetsTogether.findings(in: definition))
        report(AlwaysLoops.findings(in: definition))
        report(Shadowing.findings(in: definition))
        if events.hasCatalogue { report(UnusedEvents.findings(in: definition)) }
        report(Reachability.findings(in: definition, besides: presumedTargets))
    }

    private func report(_ findings: [Finding]) {
        for finding in findings {
            let offset =
                switch finding.place {
                case .state(let number): tree.drafts[number].offset
                case .transition(let number): transitionPlaces[number]
                case .event(let number): events.places[number]
                }
            if finding.isError { problems.error(offset, finding.sentence) } else { problems.warning(offset, finding.sentence) }
        }
    }
}

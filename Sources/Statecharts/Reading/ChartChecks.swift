// Checks the chart as a whole, and tells where in the file what was found stands.

extension ChartReader {
    func check(_ definition: ChartDefinition) {
        tell(TargetsTogether.findings(in: definition))
        tell(AlwaysLoops.findings(in: definition))
        tell(Shadowing.findings(in: definition))
        if events.hasCatalogue { tell(UnusedEvents.findings(in: definition)) }
        tell(Reachability.findings(in: definition, besides: presumedTargets))
    }

    private func tell(_ findings: [Finding]) {
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

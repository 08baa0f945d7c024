// Several targets of one transition must be states that can be active at the same time.

enum TargetsTogether {
    static func findings(in chart: ChartDefinition) -> [Finding] {
        chart.transitions.indices.compactMap { number in
            let targets = chart.transitions[number].targets
            guard targets.count > 1, let sentence = conflict(among: targets, chart) else { return nil }
            return Finding(isError: true, place: .transition(number), sentence: sentence)
        }
    }

    /// Of very many targets, which no chart has regions for, the first ones tell enough.
    private static func conflict(among targets: [Int], _ chart: ChartDefinition) -> String? {
        let targets = targets.prefix(64)
        for (place, target) in targets.enumerated() {
            for other in targets.dropFirst(place + 1) {
                if target == other { return "\(chart.words(for: target)) is named twice as a target" }
                guard !canBeActive(target, with: other, chart) else { continue }
                return "\(chart.words(for: target)) and \(chart.words(for: other)) cannot be active together: "
                    + "several targets are in different regions of a parallel state"
            }
        }
        return nil
    }

    private static func canBeActive(_ state: Int, with other: Int, _ chart: ChartDefinition) -> Bool {
        if chart.isAncestor(state, of: other) || chart.isAncestor(other, of: state) { return true }
        guard let common = chart.ancestors(of: state).first(where: { chart.isAncestor($0, of: other) }) else { return false }
        // A history state brings back all that was below its parent.
        let remembersAll = [state, other].contains { chart.isHistory($0) && chart.states[$0].parent == common }
        return chart.states[common].kind == .parallel && !remembersAll
    }
}

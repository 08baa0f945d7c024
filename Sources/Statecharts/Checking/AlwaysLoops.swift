// Transitions that need no event and no guard, and lead back to where they came from: they would go on for ever.

enum AlwaysLoops {
    static func findings(in chart: ChartDefinition) -> [Finding] {
        let unguarded = chart.states.indices.map { firstUnguarded(of: $0, chart) }
        return unguarded.compactMap { $0 }.filter { goesRound(from: $0, unguarded, chart) }.map { number in
            Finding(
                isError: true, place: .transition(number),
                sentence:
                    "'always' has no guard here and comes back to where it was, for ever; give it a guard, or another target")
        }
    }

    /// The state's first 'always' if it has no guard, so that it is taken in any case; nil if it has one, or if the state has no 'always'.
    private static func firstUnguarded(of state: Int, _ chart: ChartDefinition) -> Int? {
        let always = chart.states[state].transitions.first { chart.transitions[$0].trigger == .always }
        return always.flatMap { chart.transitions[$0].guardExpression == nil ? $0 : nil }
    }

    /// Follows transitions that are taken in any case; true if the first one comes again, false if the chain ends.
    private static func goesRound(from start: Int, _ unguarded: [Int?], _ chart: ChartDefinition) -> Bool {
        var number = start
        for _ in 0..<100 {
            guard let next = next(after: number, unguarded, chart) else { return false }
            if next == start { return true }
            number = next
        }
        return false
    }

    private static func next(after number: Int, _ unguarded: [Int?], _ chart: ChartDefinition) -> Int? {
        let transition = chart.transitions[number]
        guard let target = transition.targets.first else { return number }
        guard transition.targets.count == 1 else { return nil }
        return entered(with: target, chart).lazy.compactMap { unguarded[$0] }.first
    }

    /// The innermost state that is entered for sure, and those around it; none where regions are entered.
    private static func entered(with target: Int, _ chart: ChartDefinition) -> [Int] {
        var innermost = target
        for _ in chart.states.indices {
            guard chart.states[innermost].kind == .compound, let initial = chart.states[innermost].initial,
                let first = chart.transitions[initial].targets.first, chart.isAncestor(innermost, of: first)
            else { break }
            innermost = first
        }
        switch chart.states[innermost].kind {
        case .atomic: return Array(chart.ancestors(of: innermost))
        case .compound, .parallel, .final, .history: return []
        }
    }
}

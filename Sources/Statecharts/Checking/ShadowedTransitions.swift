// Transitions that are never taken, since one before them has the same trigger and no guard.

enum ShadowedTransitions {
    static func findings(in chart: ChartDefinition) -> [Finding] {
        chart.states.indices.flatMap { findings(in: $0, chart) }
    }

    private static func findings(in state: Int, _ chart: ChartDefinition) -> [Finding] {
        var always = false
        var (timers, events): (Set<Int>, Set<EventDescriptor>) = ([], [])
        return chart.states[state].transitions.compactMap { number in
            let transition = chart.transitions[number]
            let hasGuard = transition.guardExpression != nil
            let isShadowed: Bool
            switch transition.trigger {
            case .always:
                isShadowed = always
                always = always || !hasGuard
            case .timer(let timer):
                isShadowed = timers.contains(timer)
                if !hasGuard { timers.insert(timer) }
            case .event(let descriptor):
                isShadowed = events.contains(descriptor)
                if !hasGuard { events.insert(descriptor) }
            case .milestone, .initial: isShadowed = false
            }
            guard isShadowed else { return nil }
            return Finding(
                place: .transition(number),
                sentence: "this is never taken: one before it has no guard; several targets at once are target: [\"a\", \"b\"]")
        }
    }
}

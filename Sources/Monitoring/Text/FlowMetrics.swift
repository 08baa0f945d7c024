import GameFlow

extension MetricsWriter {
    /// Of outcomes and sources only what has happened has a sample: there are many flows, and most pairs never come about.
    mutating func addFlows(_ flows: [FlowReport]) {
        family("gamed_sessions", .gauge, "Sessions, by flow.")
        for flow in flows { sample(flow.sessions, flow.label) }
        family("gamed_events_total", .counter, "Events that came to sessions, by flow, source and outcome.")
        for flow in flows { addOutcomes(of: flow, Self.events) }
        family("gamed_deeds_total", .counter, "What operators and the daemon itself did to sessions, by flow and deed.")
        for flow in flows { addDeeds(of: flow) }
        family("gamed_transitions_total", .counter, "How often sessions went from one state to another, by flow.")
        for flow in flows { sample(flow.transitions, flow.label) }
        family("gamed_state_sessions", .gauge, "Sessions in each state now, by flow; in all states of a chart that are active.")
        for flow in flows {
            for state in flow.states { sample(max(0, state.sessions), flow.label, state.label) }
        }
        family("gamed_state_seconds_total", .counter, "The time that sessions have spent in each state, by flow.")
        for flow in flows {
            for state in flow.states { sample(state.seconds, flow.label, state.label) }
        }
    }

    private static let sources = EventSource.allCases.map { ($0, MetricLabel("source", $0.name)) }
    private static let events = HistoryEntry.Kind.allCases.filter { $0.deed == nil }.map {
        ($0, MetricLabel("outcome", $0.name))
    }
    private static let deeds = HistoryEntry.Kind.allCases.filter { $0.deed != nil }.map { ($0, MetricLabel("deed", $0.name)) }

    private mutating func addOutcomes(of flow: FlowReport, _ outcomes: [(HistoryEntry.Kind, MetricLabel)]) {
        for (what, outcome) in outcomes {
            for (source, label) in Self.sources {
                let count = flow.count(of: what, from: source)
                if count > 0 { sample(count, flow.label, label, outcome) }
            }
        }
    }

    private mutating func addDeeds(of flow: FlowReport) {
        for (what, deed) in Self.deeds {
            let count = Self.sources.reduce(0) { $0 + flow.count(of: what, from: $1.0) }
            if count > 0 { sample(count, flow.label, deed) }
        }
    }
}

// The names of a chart's timers.

import Statecharts

extension ChartDefinition {
    /// Timers of its states, and events that it raises or sends later: each is a timer of the session meanwhile.
    var timerNames: [String] {
        let actions = states.flatMap { $0.entry + $0.exit } + transitions.flatMap(\.actions)
        return timers.map(\.name) + actions.flatMap(\.timerNames)
    }
}

extension ChartAction {
    fileprivate var timerNames: [String] {
        switch self {
        case .raise(let event), .send(let event, _), .emit(let event): event.delay == nil ? [] : [event.id ?? event.event]
        case .choose(_, let some, let others): (some + others).flatMap(\.timerNames)
        case .assign, .cancel, .log, .extend, .pause, .resume: []
        }
    }
}

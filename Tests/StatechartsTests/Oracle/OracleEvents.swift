// Events that the oracle handles, and their outcomes.

import Statecharts
import JSON

/// An event that is being handled. Timers' events have no name that a descriptor could match.
enum OracleEvent: Equatable {
    case named(String, JSON?)
    case timer(Int)
    case milestone(timer: Int, Int)

    var data: JSON? {
        guard case .named(_, let data) = self else { return nil }
        return data
    }

    /// Whether the trigger is for this event.
    func matches(_ trigger: Trigger) -> Bool {
        switch (self, trigger) {
        case (.named(let name, _), .event(let descriptor)): descriptor.matches(name)
        case (.timer(let number), .timer(let wanted)): number == wanted
        case (.milestone(let timer, let index), .milestone(let wanted, let other)): timer == wanted && index == other
        case (.named, _), (.timer, _), (.milestone, _): false
        }
    }
}

/// The outcome of an external event.
enum Verdict: Equatable {
    case taken
    case nothingTakesIt
    /// An expression failed, a value was out of its bounds, or the microsteps did not end.
    case failed
}

/// Why an event is refused although it enables a transition.
enum OracleError: Error, Equatable {
    case expression(String)
    case value(variable: String)
    /// A timer that does not run cannot be changed.
    case timer(Int)
    case tooMany
    case endless
}

/// The effects of a chart, in order.
struct Effects: Equatable {
    /// Messages to other sessions, and child sessions that are created and dropped.
    var requests: [String] = []
    var emissions: [String] = []
    var logs: [String] = []

    var isEmpty: Bool { requests.isEmpty && emissions.isEmpty && logs.isEmpty }
}

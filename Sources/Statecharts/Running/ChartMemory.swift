// What a session of a chart has beyond one leaf and one timer. It does not change: the next state has a memory of its own, or the same.
// Only what is carried out of its errands, and what it hears of its children, is noted in place.

import GameFlow
import Timers

/// Variables, further timers, several active leaves, and what only few sessions have.
final class ChartMemory {
    /// The context's values, in the order of its variables.
    let variables: [JSON]
    private let chart: Chart
    /// The active leaves, if there are several.
    let combination: Combination?
    /// Timers beyond the first.
    let timers: [CarriedTimer]
    let rest: Remainder?

    init(
        _ variables: [JSON], of chart: Chart, _ combination: Combination?, _ timers: [CarriedTimer], _ rest: Remainder?
    ) {
        self.variables = variables
        self.chart = chart
        self.combination = combination
        self.timers = timers
        self.rest = rest
        hasOnlyVariables = combination == nil && timers.isEmpty && rest == nil
    }

    /// Whether a session that it belongs to has nothing else but one leaf and one timer.
    let hasOnlyVariables: Bool

    /// Whether the state's name and these timers of its are all that must be saved.
    func isEmpty(beside timers: [CarriedTimer]) -> Bool {
        variables.isEmpty && rest == nil && combination?.isRare != true
            && !timers.contains { chart.hasComputedLength($0.number) }
    }

    /// The variables by their names. What is saved has the rest of the session's memory too.
    func data(isSaved: Bool, beside timers: [CarriedTimer]) -> JSON {
        var members = zip(chart.definition.context, variables).map { JSON.Member($0.name, $1) }
        if isSaved, let memory = SavedMemory(rest, combination, timers, chart).json { members.append(memory) }
        return .object(members)
    }

    func carries(_ timer: StateTimer) -> Bool {
        timers.contains { $0.timer === timer } || rest?.delayed.contains { $0.countdown === timer } ?? false
    }
}

/// What only few sessions have.
final class Remainder {
    /// What history states remember: the states that they lead back to, by the number of the history state.
    var history: [Int: [Int]] = [:]
    var delayed: [DelayedEvent] = []
    /// The number of the last delayed event.
    var lastDelayed: UInt32 = 0
    /// What committed steps ask of others, and is not done yet.
    var outgoing: Outbox?
    var children: [RunningChild] = []
    /// When those states were entered whose expressions ask for it.
    var entered: [Int: Instant] = [:]
    /// What the chart's final state hands on.
    var output: JSON?

    init() {}

    init(copying other: Remainder) {
        history = other.history
        delayed = other.delayed
        lastDelayed = other.lastDelayed
        outgoing = other.outgoing.map { Outbox(errands: $0.effects) }
        children = other.children
        entered = other.entered
        output = other.output
    }

    var isEmpty: Bool {
        history.isEmpty && delayed.isEmpty && (outgoing?.isEmpty ?? true)
            && children.isEmpty && entered.isEmpty && output == nil
    }
}

/// A session that an invocation has begun.
struct RunningChild {
    /// The invocation's.
    let number: Int
    var stage: ChildSession.Stage?
}

/// An event that is to be raised, or sent to another session, later.
struct DelayedEvent {
    let number: UInt32
    let id: String
    let event: String
    let data: JSON?
    /// The session that it is for; nil for its own.
    let recipient: String?
    let countdown: Countdown
}

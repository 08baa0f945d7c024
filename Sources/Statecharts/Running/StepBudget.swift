// The bounds of one step, and its use of them. A step that exceeds a bound is refused as a whole, so that no file blocks all sessions for long.

import GameFlow

/// The counts of one step, from an event to the next stable state.
struct StepBudget {
    var actions = 0
    var raised = 0
    var outgoing = 0
    var bytes = 0

    static func tooManySteps(of flow: String) -> String {
        "one event takes more than \(ChartBounds.steps) steps in '\(flow)'; check it for cycles and long computations"
    }
}

extension Macrostep {
    private var name: String { chart.definition.name }

    mutating func countAction() throws(FlowError) {
        used.actions += 1
        guard used.actions <= ChartBounds.actions else {
            throw .refused("one event executes more than \(ChartBounds.actions) actions in '\(name)'")
        }
        expressions.charge(stepsOfAnAction)
        try checkTime()
    }

    /// Counts all raised events, including those without a transition.
    mutating func countRaised() throws(FlowError) {
        used.raised += 1
        guard used.raised <= ChartBounds.raisedEvents else {
            throw .refused(
                "the flow '\(name)' does not come to rest: one event raises more than \(ChartBounds.raisedEvents) others; check it for raised events that form a cycle"
            )
        }
    }

    /// Counts only this step's effects, and not those of earlier steps that are still pending.
    mutating func countOutgoing() throws(FlowError) {
        used.outgoing += 1
        guard used.outgoing <= ChartBounds.outgoing else {
            throw .refused("one event sends, emits or logs more than \(ChartBounds.outgoing) times in '\(name)'")
        }
    }

    mutating func countBytes(_ bytes: Int) throws(FlowError) {
        used.bytes += bytes
        guard used.bytes <= ChartBounds.stepBytes else {
            throw .refused("one event makes values of more than \(ChartBounds.stepBytes) bytes together in '\(name)'")
        }
    }

    /// Each active state is asked which transition it takes.
    mutating func countSelection() throws(FlowError) {
        expressions.charge(activeCount)
        try checkTime()
    }

    /// States are left and entered in order.
    mutating func countMicrostep() throws(FlowError) {
        expressions.charge(activeCount * stepsOfAState)
        try checkTime()
    }

    /// Whether all of them have come to their end is asked whenever one of them has.
    mutating func countRegions(of state: Int) throws(FlowError) {
        expressions.charge(chart.states[state].children.count)
        try checkTime()
    }

    private func checkTime() throws(FlowError) {
        guard !expressions.isExhausted else {
            throw .refused(StepBudget.tooManySteps(of: name))
        }
    }
}

private let stepsOfAnAction = 5
private let stepsOfAState = 4

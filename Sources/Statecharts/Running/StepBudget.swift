// The bounds of one step, and its use of them. A step that exceeds a bound is refused as a whole, so that no file blocks all sessions for long.

import GameFlow

/// The counts of one step, from an event to the next stable state.
struct StepBudget {
    var actions = 0
    var raised = 0
    var outgoing = 0
    var bytes = 0
}

extension Macrostep {
    private var name: String { chart.definition.name }

    mutating func countAction() throws(FlowError) {
        used.actions += 1
        guard used.actions <= ChartBounds.actions else {
            throw .refused("one event executes more than \(ChartBounds.actions) actions in '\(name)'")
        }
        try charge(stepsOfAnAction)
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

    /// Counts work beside expressions: selecting, leaving and entering states, and asking whether regions have come to their end.
    func charge(_ steps: Int) throws(FlowError) { try expressions.charge(steps, of: name) }
}

private let stepsOfAnAction = 5

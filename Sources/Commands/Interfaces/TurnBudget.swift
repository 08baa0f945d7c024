// The event loop's turn, as commands see it.

import Timers

/// The event loop's turn, and how much of it is used up.
package protocol TurnBudget: AnyObject {
    /// Turns since the start.
    var turns: Int { get }
    /// How long they took.
    var turnTimes: DurationHistogram { get }
    /// The longest turn of the last five seconds.
    var recentLongestTurn: Duration { get }

    /// Calls `body` in a turn after `milliseconds` of real time, unless the returned object is released before.
    func schedule(after milliseconds: Int, _ body: @escaping () -> Void) -> AnyObject?

    /// Whether a turn has begun and is not over.
    var isUnderWay: Bool { get }
    /// Whether the turn's budget is used up.
    var isBudgetExhausted: Bool { get }
    /// The pieces of work of this turn so far.
    var pieces: Int { get }

    /// Fires due timers in place of the loop, while more are due than a turn fires.
    var stepper: (any DueTimerStepper)? { get set }

    /// Calls `body` in the next turn.
    func schedule(_ body: @escaping () -> Void)

    /// Counts handled requests against the turn; slow work counts as several.
    func charge(pieces count: Int)

    /// Fires timers that have become due in this turn.
    func fireDueTimers()
}

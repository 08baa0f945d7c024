// How long one call to a sandbox may take.

import Commands
import Timers

/// The time that all sandboxes of a daemon have together in one turn of its loop.
package final class SandboxSlice {
    private let length: Duration
    /// The rest of it in this turn.
    package var left: Duration { rest }
    // Stored apart, since each turn would check its access for exclusivity.
    private var rest: Duration
    /// Used since the beginning of the turn.
    package var used: Duration { length - rest }

    package init(_ length: Duration = SandboxBounds.slice) { (self.length, rest) = (length, length) }

    /// Another turn has begun.
    package func renew() { rest = length }

    fileprivate func spend(_ time: Duration) { rest = rest - time }
}

/// The turn of a sandbox's host, which has no loop: whoever walks it fires its timers, and goes on in the next call.
final class SandboxTurn: TurnBudget {
    private let clock = SystemClock()
    private var end: Instant
    private(set) var turns = 0
    weak var stepper: (any DueTimerStepper)?
    private var began: Instant
    private let slice: SandboxSlice?

    /// Without a slice that all sandboxes share, each call has one to itself.
    init(_ slice: SandboxSlice? = nil) {
        self.slice = slice
        began = clock.now
        end = began
    }

    func begin() {
        turns += 1
        began = clock.now
        end = began.advanced(by: max(.zero, slice?.left ?? SandboxBounds.slice))
    }

    /// The call is over: what it took is charged.
    func finish() { slice?.spend(began.duration(to: clock.now)) }

    var isBudgetExhausted: Bool { clock.now >= end }
    var isUnderWay: Bool { true }
    var pieces: Int { 0 }
    /// Nobody measures it.
    var turnTimes: DurationHistogram { DurationHistogram() }
    var recentLongestTurn: Duration { .zero }

    /// Nothing in a sandbox waits for real time.
    func schedule(after milliseconds: Int, _ body: @escaping () -> Void) -> AnyObject? { nil }
    func schedule(_ body: @escaping () -> Void) {}
    func charge(pieces count: Int) {}
    func fireDueTimers() {}
}

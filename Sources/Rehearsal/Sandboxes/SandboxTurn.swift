// How long one call to a sandbox may take.

import Commands
import Timers

/// The turn of a sandbox's host, which has no loop: whoever walks it fires its timers, and goes on in the next call.
final class SandboxTurn: TurnBudget {
    private let clock = SystemClock()
    private var end: Instant
    private(set) var turns = 0
    var firesInstead: (() -> Void)?

    init() {
        end = clock.now
    }

    func begin() {
        turns += 1
        end = clock.now.advanced(by: SandboxBounds.slice)
    }

    var isFull: Bool { clock.now >= end }
    var isUnderWay: Bool { true }
    var pieces: Int { 0 }
    /// Nobody measures it.
    var turnTimes: DurationHistogram { DurationHistogram() }
    var longestTurnOfLate: Duration { .zero }

    /// Nothing in a sandbox waits for real time.
    func call(after milliseconds: Int, _ body: @escaping () -> Void) -> AnyObject? { nil }
    func soon(_ body: @escaping () -> Void) {}
    func hasHandled(_ count: Int) {}
    func settle() {}
}

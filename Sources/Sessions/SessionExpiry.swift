import Timers

/// The time that a session has until it expires. It hosts a timer of its own beside the session's machine, whose state would have to
/// carry it otherwise.
package final class SessionExpiry: TimerHost {
    package let rule: ExpiryRule
    /// The session's.
    package let slot: UInt32
    private unowned let expiries: Expiries
    private var countdown: Countdown?

    init(
        _ slot: UInt32, _ plan: TimerPlan, _ rule: ExpiryRule, of expiries: Expiries, on timekeeper: Timekeeper, left: Duration
    ) {
        (self.rule, self.slot, self.expiries) = (rule, slot, expiries)
        super.init(on: timekeeper)
        countdown = Countdown(plan, on: clock, remaining: left, isPaused: false)
    }

    package var left: Duration { countdown?.remaining ?? .zero }

    /// The same in nanoseconds, for the journal.
    package var leftNanoseconds: Int64 { countdown?.left ?? 0 }

    /// It has all its time again.
    func restart() { countdown?.begin(left: rule.length) }

    /// Stands while the session's own clock does.
    func setFrozen(_ frozen: Bool) {
        guard frozen != isFrozen else { return }
        if frozen { clock.freeze() } else { clock.resume() }
    }

    package override func timerFired(_ firing: Firing) { expiries.timeIsOver(slot) }
}

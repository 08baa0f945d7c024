/// A one-shot timer. It fires once, when its length has passed, unless it is dropped before.
public final class Countdown: StateTimer {
    /// Starts at once; with the clock frozen, as soon as that is resumed.
    public init(_ plan: TimerPlan, on clock: FlowClock) throws(TimerError) {
        guard plan.nanoseconds >= 0 else { throw .negativeLength(timer: plan.name, plan.length) }
        try Self.check(plan.nanoseconds, plan, at: clock.now)
        super.init(plan, on: clock, left: plan.nanoseconds, isPaused: false)
    }

    /// One like it, from the beginning: for a state that takes over where another one ends. Both belong to a live session. So close to
    /// the end of time that it would come after it, it never fires.
    public func again() -> Countdown {
        guard let clock else { preconditionFailure("a timer's session must be there to start another one like it") }
        let length = plan.nanoseconds
        return Countdown(plan, length, on: clock)
    }

    private init(_ plan: TimerPlan, _ left: Int64, on clock: FlowClock) {
        super.init(plan, on: clock, left: left, isPaused: false)
    }

    /// Goes on where an earlier life left off. With less than nothing left it is overdue since then, and fires among others that
    /// are overdue in order of deadline; with nil it has fired already.
    public init(_ plan: TimerPlan, on clock: FlowClock, remaining: Duration?, isPaused: Bool) {
        super.init(plan, on: clock, left: remaining?.wholeNanoseconds, isPaused: isPaused)
    }

    override func expire(deadline: Instant) {
        guard let host else { return }
        host.timerFired(Firing(timer: self, deadline: deadline, missed: 0))
    }
}

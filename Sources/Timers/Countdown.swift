import Memory

/// A one-shot timer. It fires once, when its length has passed, unless it is dropped before.
public final class Countdown: StateTimer {
    /// Starts at once; with the clock frozen, as soon as that is resumed.
    public init(_ plan: TimerPlan, on clock: FlowClock) throws(TimerError) {
        guard plan.nanoseconds >= 0 else { throw .negativeLength(timer: plan.name, plan.length) }
        let host = clock.host
        try Self.check(plan.nanoseconds, plan, at: host.with { $0.timekeeper.now })
        super.init(plan, on: host, left: plan.nanoseconds, isPaused: false)
    }

    /// Starts another one like it, from the beginning: for a state that takes over where another one ends. It must still be carried
    /// by the state of a live session. A countdown that would end after the end of time never fires.
    public func again() -> Countdown {
        guard let owner else {
            fatalError("the countdown '\(plan.name)' cannot begin again: its state has been left, or its session has ended")
        }
        return Countdown(Borrowed(plan), on: owner)
    }

    /// The plan is borrowed since it would be counted twice otherwise.
    private init(_ plan: Borrowed<TimerPlan>, on host: Borrowed<TimerHost>) {
        super.init(plan.object, on: host, left: plan.with { $0.nanoseconds }, isPaused: false)
    }

    /// Goes on where an earlier life left off. With less than nothing left it is overdue since then, and fires among others that
    /// are overdue in order of deadline; with nil it has fired already.
    public init(_ plan: TimerPlan, on clock: FlowClock, remaining: Duration?, isPaused: Bool) {
        super.init(plan, on: clock.host, left: remaining?.wholeNanoseconds, isPaused: isPaused)
    }

    override func expire(deadline: Instant) {
        guard let host else { return }
        host.timerFired(Firing(timer: self, deadline: deadline, missed: 0))
    }
}

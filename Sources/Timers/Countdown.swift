import Memory

/// A one-shot timer. It fires once, when its length has passed, unless it is dropped before.
public final class Countdown: StateTimer {
    /// Starts at once; if the clock is frozen, when it is resumed.
    public init(_ plan: TimerPlan, on clock: FlowClock) throws(TimerError) {
        let host = clock.host
        try Self.check(plan, at: host.with { $0.timekeeper.now })
        if plan.hasMilestones {
            try plan.checkMilestones()
            let toCome = plan.milestones.count(below: plan.nanoseconds)
            super.init(plan, on: host, left: plan.nanoseconds, isPaused: false, toCome: toCome)
        } else {
            super.init(plan, on: host, left: plan.nanoseconds, isPaused: false)
        }
    }

    /// Starts the countdown again, with its full length, for the state that follows: the state that is left must not be used after that.
    /// This countdown must still be carried by the state of a live session. A countdown that would end after the end of time never fires.
    ///
    /// If the step fails after that, the countdown continues as if it had not been started again.
    public func again() -> Countdown {
        guard let owner else {
            fatalError("the countdown '\(plan.name)' cannot begin again: its state has been left, or its session has ended")
        }
        if plan.hasMilestones {
            owner.with { $0.readClock() }
            defer { owner.with { $0.timersChanged() } }
            return Countdown(plan, anewOn: owner)
        }
        // The same object, unless the old state can still be seen.
        if !isPaused, owner.with({ $0.renew(slot, left: plan.nanoseconds) }) { return self }
        owner.with { $0.readClock() }
        defer { owner.with { $0.timersChanged() } }
        return Countdown(Borrowed(plan), on: owner)
    }

    /// A countdown of this plan for the state that follows the one of `old`, and that does not carry `old`.
    package static func next(
        _ plan: TimerPlan, after old: StateTimer?, on clock: FlowClock
    ) throws(TimerError) -> StateTimer {
        if let old, let owner = old.owner, old.isPlainCountdown, !plan.hasMilestones {
            try check(plan, at: owner.with { $0.timekeeper.now })
            if owner.with({ $0.renew(old, plan) }) { return old }
        }
        return try Countdown(plan, on: clock)
    }

    private static func check(_ plan: TimerPlan, at now: Instant) throws(TimerError) {
        if plan.nanoseconds >= 0, now.reaches(plan.nanoseconds) { return }
        throw problem(with: plan, at: now)
    }

    /// Apart, so that the check itself is short enough to be inlined.
    @inline(never)
    private static func problem(with plan: TimerPlan, at now: Instant) -> TimerError {
        plan.nanoseconds < 0 ? .negativeLength(timer: plan.name, plan.length) : beyondTime(plan.length, plan, now)
    }

    /// The plan is borrowed, which saves a retain.
    private init(_ plan: Borrowed<TimerPlan>, on host: Borrowed<TimerHost>) {
        let left = plan.with { $0.nanoseconds }
        super.init(plan.object, on: host, left: left, isPaused: false)
    }

    private init(_ plan: TimerPlan, anewOn host: Borrowed<TimerHost>) {
        let toCome = plan.milestones.count(below: plan.nanoseconds)
        super.init(plan, on: host, left: plan.nanoseconds, isPaused: false, toCome: toCome)
    }

    /// Restores a countdown. A negative remainder is overdue by that much: overdue timers fire in order of deadline. Nil means that it has fired
    /// already. Pending milestones are those shorter than the remainder when the countdown was saved, and `milestonesDue` more that were due then.
    public init(
        _ plan: TimerPlan, on clock: FlowClock, remaining: Duration?, isPaused: Bool, remainingWhenSaved: Duration? = nil,
        milestonesDue: Int = 0
    ) {
        guard plan.hasMilestones, let left = remaining?.wholeNanoseconds else {
            super.init(plan, on: clock.host, left: remaining?.wholeNanoseconds, isPaused: isPaused)
            return
        }
        let below = plan.milestones.count(below: remainingWhenSaved?.wholeNanoseconds ?? left)
        super.init(plan, on: clock.host, left: left, isPaused: isPaused, toCome: below + max(0, milestonesDue))
    }

    override func expire(deadline: Instant) {
        guard let host else { return }
        let index = toCome > 0 ? continueAfterMilestone(due: deadline, on: host) : -1
        host.timerFired(Firing(timer: self, deadline: deadline, missed: 0, milestone: index))
    }
}

extension StateTimer {
    fileprivate final var isPlainCountdown: Bool { !isPaused && plan.kind == .countdown && !plan.hasMilestones }
}

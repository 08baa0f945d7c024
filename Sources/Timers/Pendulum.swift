/// A repeating timer that keeps its phase: swing n comes n periods after the start, however late the others were.
public final class Pendulum: StateTimer {
    /// Starts at once; the first swing comes after one period.
    public init(_ plan: TimerPlan, on clock: FlowClock) throws(TimerError) {
        guard plan.nanoseconds > 0 else { throw .periodNotPositive(timer: plan.name, plan.length) }
        let (host, now) = (clock.host, clock.now)
        guard now.reaches(plan.nanoseconds) else { throw Self.beyondTime(plan.length, plan, now) }
        super.init(plan, on: host, left: plan.nanoseconds, isPaused: false)
    }

    /// Restores a pendulum in its phase, with `remaining` until the next swing; negative if swings were missed since.
    public init(
        _ plan: TimerPlan, on clock: FlowClock, remaining: Duration, isPaused: Bool
    ) throws(TimerError) {
        guard plan.nanoseconds > 0 else { throw .periodNotPositive(timer: plan.name, plan.length) }
        super.init(plan, on: clock.host, left: remaining.wholeNanoseconds, isPaused: isPaused)
    }

    /// After a stall it swings once and reports how many swings were missed. A swing beyond the end of time never comes.
    override func expire(deadline: Instant) {
        guard let host else { return }
        let missed = host.timekeeper.now.nanoseconds(since: deadline) / plan.nanoseconds
        if isPaused || host.isFrozen {
            set(left: plan.nanoseconds, on: host)
        } else {
            let lastSwing = deadline.advanced(byNanoseconds: missed * plan.nanoseconds)
            arm(at: lastSwing.advanced(byNanoseconds: plan.nanoseconds), on: host)
        }
        host.timerFired(Firing(timer: self, deadline: deadline, missed: Int(missed)))
    }
}

// What Countdown and Pendulum have in common: a place in the wheel that is given up when the last reference is dropped.

import Memory

/// A timer that a state carries. It never fires once it is dropped, its state is left, or its session has ended.
public class StateTimer {
    /// Its name, length and restart policy.
    public final let plan: TimerPlan
    /// Nil once the host is gone or has stopped the timer. It cannot dangle: the host's deinit clears it.
    @exclusivity(unchecked) final private(set) var owner: Borrowed<TimerHost>?
    @exclusivity(unchecked) private final var slot: UInt32 = 0
    /// Whether this timer alone was stopped, whatever its flow's clock does.
    @exclusivity(unchecked) public private(set) final var isPaused: Bool

    /// With `left` nil it has fired already.
    init(_ plan: TimerPlan, on owner: Borrowed<TimerHost>, left: Int64?, isPaused: Bool) {
        self.plan = plan
        self.isPaused = isPaused
        self.owner = owner
        owner.with { host in
            slot = host.adopt(self)
            if let left { set(left: left, on: host) } else { host.timekeeper.wheel.rest(slot: slot) }
        }
    }

    deinit {
        owner?.with { $0.forget(slot) }
    }

    package final var host: TimerHost? { owner?.object }

    /// Its time has come. The wheel has let go of it already.
    func expire(deadline: Instant) {
        preconditionFailure("a timer is a Countdown or a Pendulum")
    }

    // MARK: Reading

    /// Changes whenever the timer is armed anew, stopped or extended, and is not used twice in one session: an older number is an
    /// older truth.
    public final var generation: UInt64 { host?.timekeeper.wheel.slab.records[slot].place.sequence ?? 0 }

    /// What is left of it, whether it runs or stands still; nil once it has fired for good.
    public final var remaining: Duration? {
        left.map { .nanoseconds($0) }
    }

    /// When it fires next, if nothing stops it; nil while it stands still and once it is finished.
    public final var deadline: Instant? {
        host?.timekeeper.wheel.deadline(ofSlot: slot)
    }

    /// The same in nanoseconds.
    package final var left: Int64? {
        guard let keeper = host?.timekeeper else { return nil }
        if let deadline = keeper.wheel.deadline(ofSlot: slot) {
            return max(0, deadline.nanoseconds(since: keeper.now))
        }
        return keeper.wheel.left(ofParked: slot)
    }

    /// Names this timer until it is dropped or stopped.
    public final var id: TimerID? {
        host?.timekeeper.wheel.slab.id(of: slot)
    }

    // MARK: Changing

    /// Stops this timer alone. It stays stopped when its flow's clock is resumed.
    public final func pause() {
        guard !isPaused, let host, let left else { return }
        isPaused = true
        set(left: left, on: host)
    }

    /// Lets the timer go on with what was left; if its flow's clock is frozen, once that is resumed.
    public final func resume() {
        guard isPaused, let host, let left else { return }
        isPaused = false
        set(left: left, on: host)
    }

    /// Adds to what is left, beyond the first length too; a negative duration takes away. What takes all that is left fires the
    /// timer now, in this turn, even if it stands still.
    public final func extend(by duration: Duration) throws(TimerError) {
        guard let host, let left else { throw .finished(timer: plan.name) }
        let changed = left.addingSaturated(duration.wholeNanoseconds)
        if changed > left { try Self.check(changed, plan, at: host.timekeeper.now) }
        if changed > 0 {
            set(left: changed, on: host)
        } else {
            arm(at: host.timekeeper.now, on: host)
        }
    }

    // MARK: The end of time

    /// Throws if a timer with so much left would never fire.
    @inline(__always)
    static func check(_ left: Int64, _ plan: TimerPlan, at now: Instant) throws(TimerError) {
        guard now.reaches(left) else { throw beyondTime(left, plan, now) }
    }

    @inline(never)
    private static func beyondTime(_ left: Int64, _ plan: TimerPlan, _ now: Instant) -> TimerError {
        .beyondTime(timer: plan.name, left: .nanoseconds(left), end: now.duration(to: .never))
    }

    /// Throws if it stands still with more left than there is time: resumed, it would never fire.
    package final func checkThatItCanRun() throws(TimerError) {
        guard let host, let left else { return }
        try Self.check(left, plan, at: host.timekeeper.now)
    }

    // MARK: For the host and the subclasses

    /// Runs with so much left, or stands still with it if it is paused or its flow's clock is frozen.
    final func set(left: Int64, on host: TimerHost) {
        if isPaused || host.isFrozen {
            host.timekeeper.wheel.park(slot: slot, left: left)
        } else {
            arm(at: host.timekeeper.now.advanced(byNanoseconds: left), on: host)
        }
    }

    final func arm(at deadline: Instant, on host: TimerHost) {
        host.timekeeper.wheel.arm(slot: slot, at: deadline)
    }

    /// The flow's clock has stopped or goes on, and this timer with it.
    final func followClock(of host: TimerHost) {
        guard let left, !isPaused else { return }
        set(left: left, on: host)
    }

    final func hostIsGone() {
        owner = nil
    }

    /// It never fires again, even if it is still held.
    final func stop() {
        owner?.with { $0.forget(slot) }
        owner = nil
    }
}

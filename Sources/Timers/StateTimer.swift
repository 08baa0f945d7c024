// The common part of Countdown and Pendulum: a slot in the wheel, freed with the last reference.

import Memory

/// A timer that a state carries. It never fires once it is dropped, its state is left, or its session has ended.
public class StateTimer {
    /// Its name, length and restart policy.
    @exclusivity(unchecked) public final internal(set) var plan: TimerPlan
    /// Nil once the host is gone or has stopped the timer. It cannot dangle: the host's deinit clears it.
    @exclusivity(unchecked) final private(set) var owner: Borrowed<TimerHost>?
    @exclusivity(unchecked) final private(set) var slot: UInt32 = 0
    /// Whether this timer was paused individually, regardless of its flow's clock.
    @exclusivity(unchecked) public internal(set) final var isPaused: Bool
    /// How many milestones are still to come: the last of the plan's. It fits behind `isPaused`.
    @exclusivity(unchecked) final var toCome: UInt16 = 0

    /// If `left` is nil, it has fired already.
    init(_ plan: TimerPlan, on owner: Borrowed<TimerHost>, left: Int64?, isPaused: Bool) {
        self.plan = plan
        self.isPaused = isPaused
        self.owner = owner
        owner.with { host in
            slot = host.adopt(self)
            // The slot of one that has fired may hold an earlier timer's time.
            if let left { set(left: left, on: host) } else { host.timekeeper.wheel.begin(.idle, slot) }
        }
    }

    /// The same for a plan with milestones; `toCome` of them are still pending.
    init(_ plan: TimerPlan, on owner: Borrowed<TimerHost>, left: Int64, isPaused: Bool, toCome: Int) {
        self.plan = plan
        self.isPaused = isPaused
        self.owner = owner
        self.toCome = UInt16(clamping: min(toCome, plan.milestones.count))
        owner.with { host in
            slot = host.adopt(self)
            set(left: left, on: host, notBefore: Instant(nanoseconds: .min))
        }
    }

    deinit {
        owner?.with { $0.forget(slot) }
    }

    package final var host: TimerHost? { owner?.object }

    /// Called when it is due; the wheel has released it already.
    func expire(deadline: Instant) {
        preconditionFailure("a timer is a Countdown or a Pendulum")
    }

    // MARK: Reading

    /// Changes whenever the timer is rearmed, stopped or extended, and is unique within a session: a lower generation is out of
    /// date.
    public final var generation: UInt64 { host?.timekeeper.wheel.slab.records[slot].place.sequence ?? 0 }

    /// The remaining time, running or paused; nil once it has fired and will not fire again.
    public final var remaining: Duration? {
        owner?.with { $0.readClock() }
        return left.map { .nanoseconds($0) }
    }

    /// Whether it has fired, and will not fire again.
    package final var isFinished: Bool {
        owner?.with { $0.timekeeper.wheel.slab.records[slot].place.standing == .idle } ?? true
    }

    /// When it fires next, unless it is stopped; nil while it is paused and once it is finished. Of a countdown with milestones: when
    /// it ends.
    public final var deadline: Instant? { toCome == 0 ? nextFiring : end }

    /// When the wheel wakes for it: at the deadline, or for the milestone before.
    package final var nextFiring: Instant? {
        host?.timekeeper.wheel.deadline(ofSlot: slot)
    }

    /// The same in nanoseconds.
    package final var left: Int64? {
        guard let owner else { return nil }
        return owner.with { host in
            let keeper = host.timekeeper
            if toCome > 0, let end = keeper.wheel.ends[slot] { return end.left(at: keeper.now) }
            return keeper.wheel.left(inSlot: slot, at: keeper.now)
        }
    }

    /// Identifies this timer until it is dropped or stopped.
    public final var id: TimerID? {
        host?.timekeeper.wheel.slab.id(of: slot)
    }

    // MARK: Changing

    // A step that pauses, resumes or extends a timer of the old state, and then fails, has not changed it.

    /// Pauses this timer individually. It stays paused when its flow's clock is resumed.
    public final func pause() {
        owner?.with { $0.readClock() }
        guard !isPaused, let host, let left else { return }
        host.timersWillChange(self)
        isPaused = true
        set(left: left, on: host)
        host.timersChanged()
    }

    /// Resumes the timer with its remaining time; if its flow's clock is frozen, once that is resumed.
    public final func resume() {
        owner?.with { $0.readClock() }
        guard isPaused, let host, let left else { return }
        host.timersWillChange(self)
        isPaused = false
        set(left: left, on: host)
        host.timersChanged()
    }

    /// Adds to the remaining time, even beyond the original length; a negative duration subtracts. If nothing is left, the
    /// timer fires now, in this turn, even if it is paused.
    public final func extend(by duration: Duration) throws(TimerError) {
        owner?.with { $0.readClock() }
        guard let host, let left else { throw .finished(timer: plan.name) }
        defer { host.timersChanged() }
        let changed = left.addingSaturated(duration.wholeNanoseconds)
        let now = host.timekeeper.now
        if changed > left { try Self.check(.nanoseconds(left) + min(duration, .seconds(Int64.max)), plan, at: now) }
        host.timersWillChange(self)
        if plan.hasMilestones, passesMilestones(at: changed, on: host) { return }
        if changed > 0 {
            set(left: changed, on: host)
        } else {
            arm(at: now, on: host)
        }
    }

    /// Restarts with this remaining time, whether or not it has fired.
    package final func begin(left: Duration) {
        if let host { set(left: left.wholeNanoseconds, on: host) }
    }

    /// Fires once more when its flow's clock, which is frozen, is resumed: at its end, or with the same milestone.
    package final func fireAgain(_ firing: Firing) {
        if firing.isMilestone {
            toCome += 1
        } else if isFinished {
            begin(left: .zero)
        }
    }

    // MARK: The end of time

    /// Throws if a timer with this much left would never fire.
    package static func check(_ left: Duration, _ plan: TimerPlan, at now: Instant) throws(TimerError) {
        guard now.reaches(left.wholeNanoseconds) else { throw beyondTime(left, plan, now) }
        try plan.checkMilestones()
    }

    static func beyondTime(_ left: Duration, _ plan: TimerPlan, _ now: Instant) -> TimerError {
        .beyondTime(timer: plan.name, left: left, end: now.duration(to: .never))
    }

    /// Throws if it is paused with more left than there is time: resumed, it would never fire.
    package final func checkThatItCanRun() throws(TimerError) {
        guard let host, let left else { return }
        try Self.check(.nanoseconds(left), plan, at: host.timekeeper.now)
    }

    // MARK: For the host and the subclasses

    /// Runs with this much left, or keeps it if the timer is paused or its flow's clock is frozen.
    final func set(left: Int64, on host: TimerHost) {
        if toCome > 0 { return set(left: left, on: host, notBefore: host.timekeeper.now) }
        if isPaused || host.isFrozen {
            host.timekeeper.wheel.park(slot: slot, left: left)
        } else {
            arm(at: host.timekeeper.now.advanced(byNanoseconds: left), on: host)
        }
    }

    final func arm(at deadline: Instant, on host: TimerHost) {
        host.timekeeper.wheel.arm(slot: slot, at: deadline)
    }

    /// Fires behind all timers that are armed so far, among those of its instant.
    final func renumber(on host: TimerHost) { host.timekeeper.wheel.renumber(slot: slot) }

    /// Follows the flow's clock, which was frozen or resumed.
    final func updateClock(of host: TimerHost) {
        guard let left, !isPaused else { return }
        set(left: left, on: host)
    }

    final func hostIsGone() {
        owner = nil
    }

    /// Stops it finally, even if it is still referenced.
    @usableFromInline package final func stop() {
        owner?.with { $0.forget(slot) }
        owner = nil
    }
}

/// A request that no timer can fulfil.
public enum TimerError: Error, Equatable, CustomStringConvertible {
    /// A countdown of negative length.
    case negativeLength(timer: String, Duration)
    /// A pendulum with a period that is not positive.
    case periodNotPositive(timer: String, Duration)
    /// A countdown with a milestone at its end, or after it.
    case milestoneNotPositive(timer: String, remaining: Duration)
    /// The timer has fired, or its state has been left.
    case finished(timer: String)
    /// The timer would fire at or after the end of time, which is `end` away.
    case beyondTime(timer: String, left: Duration, end: Duration)

    /// The problem, the timer, and a valid value.
    public var description: String {
        switch self {
        case .negativeLength(let timer, let length):
            "the countdown '\(timer)' cannot last \(length.written); it takes zero or more"
        case .periodNotPositive(let timer, let period):
            "the pendulum '\(timer)' cannot swing every \(period.written); it takes more than zero"
        case .milestoneNotPositive(let timer, let remaining):
            "the countdown '\(timer)' cannot have a milestone at \(remaining.written) left; it takes more than zero"
        case .finished(let timer):
            "the timer '\(timer)' has fired or ended with its state, and has no time left to change"
        case .beyondTime(let timer, let left, let end):
            "the timer '\(timer)' cannot have \(left.written) left: time ends in \(end.written)"
        }
    }
}

// The time of one loop: a clock and a wheel.

import Memory

/// Holds `now` still during a turn, and fires the timers that are due in it.
public final class Timekeeper {
    /// The clock.
    public let source: any TimeSource
    /// The instant of this turn: everything that happens in a turn happens now.
    @inlinable public var now: Instant { instant }
    @usableFromInline @exclusivity(unchecked) private(set) var instant: Instant
    /// Unchecked: the wheel calls nothing back, so accesses cannot overlap.
    @exclusivity(unchecked) var wheel = TimerWheel()

    /// Whether the step has made any timer.
    @inlinable package final var hasNewTimers: Bool { step.made > 0 }
    @usableFromInline @exclusivity(unchecked) final var step = TimerStep()

    /// Begins a machine's step: timers made from here on belong to it.
    @inlinable package final func beginStep() { step.made = 0 }

    /// From now on, a timer of the host may be renewed, until the step's candidate is made. In the middle of another host's step that has
    /// renewed one, none may.
    @inlinable package final func beginRenewing(_ host: TimerHost) {
        step.renewing = step.renewal == nil ? Borrowed(host) : nil
    }

    /// The host's candidate is made, and will be committed.
    @inlinable package final func endRenewing(_ host: TimerHost) {
        step.renewing = nil
        if step.renewal?.host == Borrowed(host) { step.renewal = nil }
    }

    /// The host's step has failed: a renewed timer continues as it was.
    @usableFromInline
    package final func undoRenewing(_ host: TimerHost) {
        step.renewing = nil
        guard let renewal = step.renewal, renewal.host == Borrowed(host) else { return }
        step.renewal = nil
        guard wheel.undo(renewal), let replaced = step.replaced, replaced.sequence == renewal.sequence else { return }
        Borrowed<StateTimer>(token: wheel.slab.records[renewal.slot].token).with { $0.plan = replaced.plan }
    }

    final func mayRenewTimer(of host: TimerHost) -> Bool {
        step.made == 0 && step.renewing == Borrowed(host)
    }

    @inline(__always)
    final func renew(_ slot: UInt32, left: Int64, of host: TimerHost) {
        step.renewal = wheel.renew(slot: slot, left: left, at: now, of: host)
        step.made = 1
    }

    /// The renewed timer has another plan.
    final func replacePlan(of timer: StateTimer, with plan: TimerPlan) {
        // Each plan is moved: a copy would be counted.
        var plan = plan
        swap(&plan, &timer.plan)
        if let renewal = step.renewal { step.replaced = (plan, renewal.sequence) }
    }

    /// Whether something of this instant comes before the next timer.
    @exclusivity(unchecked) package final var needsFollowUp = false
    /// Does that work, or a part of it; `needsFollowUp` says whether some is left. A closure, since this is called after each timer that left some,
    /// and a witness of a protocol would cost more.
    private final var followUp: () -> Void = {}

    package final func betweenTimers(_ body: @escaping () -> Void) { followUp = body }

    package final func runFollowUp() { if needsFollowUp { followUp() } }

    /// Whether some work may have taken long. The code that bounds a turn's time then checks the clock, and clears the flag.
    @inlinable package final var mayHaveTakenLong: Bool {
        get { tookLong }
        set { tookLong = newValue }
    }
    /// Stored apart, since other modules would check each access for exclusivity.
    @usableFromInline @exclusivity(unchecked) final var tookLong = false

    /// The number of hosts with timers that the daemon has frozen.
    package internal(set) final var haltedCount = 0

    /// How late timers have fired so far.
    public private(set) var lateness = LatenessHistogram()
    /// The same since the start; `forgetLateness` does not reset it.
    package private(set) var latenessSinceStart = DurationHistogram()

    /// Timers of restored sessions that were due in the downtime are late from the end of the restoring on only: those due before `downtimeEnd`.
    private var (downtimeEnd, serviceStart): (Instant, Instant)

    /// Starts at the clock's instant, without timers.
    public init(_ source: any TimeSource = SystemClock()) {
        self.source = source
        instant = source.now
        (downtimeEnd, serviceStart) = (instant, instant)
    }

    deinit { wheel.slab.freeMemory() }

    /// Reads the clock once, for everything until the next call.
    public func beginTurn() {
        instant = max(instant, source.now)
    }

    /// Fires due timers in order of deadline and then of arming, including those that the firings make due. Returns how many
    /// fired; after `limit` firings, or work that takes as long, the rest waits for the next call.
    @discardableResult
    public func fireDue(atMost limit: Int = .max) -> Int {
        var (fired, moves) = (0, limit > .max / Self.movesOfFiring ? .max : limit * Self.movesOfFiring)
        runFollowUp()
        guard hasDue else { return 0 }
        while fired < limit, let expired = wheel.popDue(at: now, &moves) {
            fired += 1
            count(expired)
            fire(expired)
            runFollowUp()
        }
        return fired
    }

    /// Moving this many timers in the wheel takes as long as firing one.
    private static let movesOfFiring = 32

    /// Whether timers have to be moved in the wheel before the next one can fire.
    package var isCollectingDue: Bool { wheel.isCollecting }

    /// Fires the due timers of one host, before its turn among all others. Returns how many fired.
    package func fireDue(of host: TimerHost) -> Int {
        var fired = 0
        while fired < Self.maxOfOneHost, let slot = host.nextDue(at: now), let expired = wheel.removeArmed(slot: slot) {
            fired += 1
            count(expired)
            fire(expired)
        }
        return fired
    }

    private func count(_ expired: TimerWheel.Expired) {
        let late = instant.nanoseconds(since: expired.deadline < downtimeEnd ? serviceStart : expired.deadline)
        lateness.count(late)
        latenessSinceStart.count(late)
    }

    /// A host may fire at most this many timers in one go, so that timers that always arm others let other hosts fire, too.
    private static let maxOfOneHost = 1_000

    private func fire(_ expired: TimerWheel.Expired) {
        let outer = step.isFiring
        step.isFiring = true
        defer { step.isFiring = outer }
        Borrowed<StateTimer>(token: expired.token).object.expire(deadline: expired.deadline)
    }

    /// When the next turn is due if nothing else happens; nil while no timer is armed.
    public var nextWake: Instant? { needsFollowUp ? now : wheel.nextWake }

    /// Whether a timer that is due now has not fired yet, or something else of this instant is left to do.
    public var hasDue: Bool { needsFollowUp || hasDueTimers }

    /// Whether a timer may be due that has not fired yet: `fireDue` finds out.
    package var hasDueTimers: Bool { wheel.nextWake.map { $0 <= now } ?? false }

    /// The end of the downtime of sessions that are restored from now on. Timers of other sessions are not due before it.
    package var endOfDowntime: Instant { min(now, wheel.nextWake ?? now) }

    /// The restored sessions are served from now on. While timers of sessions that were restored before have not fired, their bounds stay.
    package func serviceDidBegin(after downtime: Instant) {
        if downtime >= downtimeEnd { (downtimeEnd, serviceStart) = (downtime, now) }
    }

    /// Restarts the lateness counts at zero.
    public func forgetLateness() { lateness = LatenessHistogram() }

    /// How many timers will fire, if nothing stops them.
    public var armedCount: Int { wheel.armedCount }

    /// How often timers have been armed, each swing and each milestone of one included.
    package var armings: UInt64 { wheel.armings }
    /// How many of those armings have fired.
    package var firings: UInt64 { latenessSinceStart.count }
    /// How many ended without firing: their state was left, or they were stopped, paused or rearmed.
    package var cancellations: UInt64 { armings &- firings &- UInt64(armedCount) }

    /// True until the timer is dropped or stopped.
    public func isAlive(_ timer: TimerID) -> Bool { wheel.slab.holds(timer) }
}

extension Timekeeper {
    /// Moves a virtual clock on by `duration`, at most to the last instant, with a turn at every instant at which something fires, as a
    /// live clock that is never late would do. `turn` runs a whole turn, firings included, and returns their number.
    @discardableResult
    public func advance(
        _ clock: VirtualClock, by duration: Duration, turn: () throws -> Int
    ) rethrows -> Int {
        precondition(clock === source, "a timekeeper advances its own clock")
        // Something else may have moved the clock, now or in a turn.
        beginTurn()
        let goal = min(now.advanced(by: max(duration, .zero)), .last)
        var fired = 0
        while let wake = nextWake, wake <= goal {
            clock.move(to: max(wake, clock.now))
            beginTurn()
            fired += try turn()
        }
        clock.move(to: max(goal, clock.now))
        beginTurn()
        return fired
    }

    /// The same, with turns in which only timers fire.
    @discardableResult
    public func advance(_ clock: VirtualClock, by duration: Duration) -> Int {
        advance(clock, by: duration) { fireDue() }
    }
}

/// Fires due timers step by step, in place of the loop.
package protocol DueTimerStepper: AnyObject {
    func fireDueTimers()
}

/// The timers of the machine's step that is under way.
@usableFromInline
struct TimerStep {
    /// How many timers it has made.
    @usableFromInline var made: UInt32 = 0
    /// Whether a timer has brought it about, which is retained meanwhile even if its state goes.
    @usableFromInline var isFiring = false
    /// The host with a timer that the step may renew in place.
    @usableFromInline var renewing: Borrowed<TimerHost>?
    /// How the timer was that it has renewed.
    @usableFromInline var renewal: TimerRenewal?
    /// The plan of the last renewed timer that has another one now.
    var replaced: (plan: TimerPlan, sequence: UInt64)?

    @usableFromInline
    init() {}
}

// MARK: - The next timers of all hosts. People ask for them a few times a minute, so no index is kept that every timer would pay for.

extension TimerWheel {
    /// The tokens of the timers that end next, in order of deadline and then of arming. It scans all records in order of
    /// memory: a million take some milliseconds. One that is armed for a milestone counts by its end.
    func next(_ count: Int) -> [UInt] {
        // Of a sample, the last one that would be returned: few of all timers end before it, even if their order in memory is the worst.
        let sample = soonest(count, ofEvery: 61, until: .max)
        let last = sample.count < count ? .max : sample[count - 1].deadline
        return soonest(count, ofEvery: 1, until: last).map(\.token)
    }

    private typealias TimerEnd = (deadline: Int64, sequence: UInt64, token: UInt)

    /// The timers that end next, and not after `latest`, among those in each `step`-th slot.
    private func soonest(_ count: Int, ofEvery step: Int, until latest: Int64) -> ArraySlice<TimerEnd> {
        var (best, latest): ([TimerEnd], Int64) = ([], latest)
        for slot in stride(from: 0, to: slab.used, by: step) {
            let record = slab.records[slot]
            guard record.place.isArmed, record.time <= latest else { continue }
            guard let end = end(ofSlot: slot, armedFor: record.time), end <= latest else { continue }
            best.append((end, record.place.sequence, record.token))
            guard best.count >= 2 * count + 64 else { continue }
            best.sort { ($0.deadline, $0.sequence) < ($1.deadline, $1.sequence) }
            best.removeSubrange(count...)
            latest = best.last?.deadline ?? latest
        }
        best.sort { ($0.deadline, $0.sequence) < ($1.deadline, $1.sequence) }
        return best.prefix(count)
    }

    /// Nil for a paused timer that is armed only for milestones that an extension has passed.
    private func end(ofSlot slot: UInt32, armedFor time: Int64) -> Int64? {
        guard ends.isUsed, let end = ends[slot] else { return time }
        switch end {
        case .at(let instant): return instant.nanoseconds
        case .left: return nil
        }
    }
}

extension Timekeeper {
    /// The timers that fire next, in the order in which they will.
    public func nextTimers(_ count: Int) -> [StateTimer] {
        let count = min(count, armedCount)
        return count > 0 ? wheel.next(count).map { Borrowed<StateTimer>(token: $0).object } : []
    }

    /// How many records `nextTimers` scans.
    package var scannedSlots: Int { Int(wheel.slab.used) }
}

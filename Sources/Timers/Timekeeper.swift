// One clock and one wheel: the time of everything that runs on one loop.

import Memory

/// Holds `now` still for the length of a turn, and fires what is due in it.
public final class Timekeeper {
    /// The clock.
    public let source: any TimeSource
    /// The instant of this turn: everything that happens in a turn happens now.
    @inlinable public var now: Instant { instant }
    @usableFromInline @exclusivity(unchecked) private(set) var instant: Instant
    /// A change of the wheel calls nothing back, so that a check at every call would be in vain.
    @exclusivity(unchecked) var wheel = TimerWheel()

    /// The timer that is firing, which is held meanwhile whatever becomes of its state.
    @exclusivity(unchecked) private(set) var firing: UInt = 0

    /// Whether the step has made any timer.
    @inlinable package final var hasNewTimers: Bool { made > 0 }
    /// How many timers have been made since the step of a machine began.
    @usableFromInline @exclusivity(unchecked) final var made: UInt32 = 0

    /// What is made from here on belongs to the step of one machine.
    @inlinable @inline(__always)
    package final func beginStep() { made = 0 }

    /// How late timers have fired so far.
    @exclusivity(unchecked) public private(set) var lateness = Lateness()

    /// Starts at the clock's instant, without timers.
    public init(_ source: any TimeSource = SystemClock()) {
        self.source = source
        instant = source.now
    }

    /// Reads the clock once, for everything until the next call.
    public func beginTurn() {
        instant = max(instant, source.now)
    }

    /// Fires what is due, in order of deadline and then of arming, with what the firings themselves make due. Says how many
    /// fired; after `limit` firings the rest waits for the next call.
    @discardableResult
    public func fireDue(atMost limit: Int = .max) -> Int {
        var fired = 0
        while fired < limit, let expired = wheel.popDue(at: now) {
            fired += 1
            lateness.count(instant.nanoseconds(since: expired.deadline))
            fire(expired)
        }
        return fired
    }

    private func fire(_ expired: TimerWheel.Expired) {
        let outer = firing
        firing = expired.token
        defer { firing = outer }
        Borrowed<StateTimer>(token: expired.token).object.expire(deadline: expired.deadline)
    }

    /// When the next turn is due even if nothing else happens; nil while no timer is armed.
    public var nextWake: Instant? { wheel.nextWake }

    /// Whether a timer that is due now has not fired yet.
    public var hasDue: Bool { wheel.nextWake.map { $0 <= now } ?? false }

    /// Counts anew from here.
    public func forgetLateness() { lateness = Lateness() }

    /// How many timers will fire, if nothing stops them.
    public var armedCount: Int { wheel.armedCount }

    /// Whether the timer has neither been dropped nor stopped.
    public func isAlive(_ timer: TimerID) -> Bool { wheel.slab.holds(timer) }
}

extension Timekeeper {
    /// Moves a virtual clock on by `duration`, at most to the last instant, with a turn at every instant at which something fires, as a
    /// live clock that is never late would have done. `turn` fires what is due and does whatever else belongs to a turn; it returns the
    /// number of firings.
    @discardableResult
    public func advance(
        _ clock: VirtualClock, by duration: Duration, turn: () throws -> Int
    ) rethrows -> Int {
        precondition(clock === source, "a timekeeper advances its own clock")
        let goal = min(now.advanced(by: max(duration, .zero)), .last)
        var fired = 0
        while let wake = nextWake, wake <= goal {
            clock.move(to: max(wake, now))
            beginTurn()
            fired += try turn()
        }
        clock.move(to: goal)
        beginTurn()
        return fired
    }

    /// The same, with turns in which timers fire and nothing else happens.
    @discardableResult
    public func advance(_ clock: VirtualClock, by duration: Duration) -> Int {
        advance(clock, by: duration) { fireDue() }
    }
}

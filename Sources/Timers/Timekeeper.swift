// One clock and one wheel: the time of everything that runs on one loop.

/// Holds `now` still for the length of a turn, and fires what is due in it.
public final class Timekeeper {
    public let source: any TimeSource
    /// The instant of this turn: everything that happens in a turn happens now.
    @inlinable public var now: Instant { instant }
    @usableFromInline @exclusivity(unchecked) private(set) var instant: Instant
    /// Nobody is called back in the middle of a change of the wheel, so that to check for it at every call would be in vain.
    @exclusivity(unchecked) var wheel = TimerWheel()

    /// How late timers have fired so far.
    @exclusivity(unchecked) public private(set) var lateness = Lateness()

    public init(_ source: any TimeSource = SystemClock()) {
        self.source = source
        instant = source.now
    }

    /// Takes the time, once, for all that follows until the next call.
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
            StateTimer.of(token: expired.token).expire(deadline: expired.deadline)
        }
        return fired
    }

    /// When the next turn is due even if nothing else happens; nil while no timer is armed.
    public var nextWake: Instant? { wheel.nextWake }

    /// Whether a timer that is due now has not fired yet.
    public var hasDue: Bool { wheel.nextWake.map { $0 <= now } ?? false }

    /// Counts anew from here.
    public func forgetLateness() { lateness = Lateness() }

    public var armedCount: Int { wheel.armedCount }

    /// Whether somebody still holds the timer.
    public func isAlive(_ timer: TimerID) -> Bool { wheel.slab.holds(timer) }
}

extension Timekeeper {
    /// Moves a virtual clock on by `duration`, at most to the last instant, with a turn at every instant at which something fires, just as a live clock
    /// that is never late would have done. `turn` fires what is due and does whatever else belongs to a turn; it returns the
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

    @discardableResult
    public func advance(_ clock: VirtualClock, by duration: Duration) -> Int {
        advance(clock, by: duration) { fireDue() }
    }
}

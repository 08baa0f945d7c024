// Sources of time: the machine's monotonic clock, or a clock that moves only on request.

/// A clock that can be read. Time never goes backwards on it.
public protocol TimeSource: AnyObject {
    /// The current instant.
    var now: Instant { get }
}

/// The machine's monotonic clock: the one that libevent sleeps on, which stands still while the machine is suspended.
public final class SystemClock: TimeSource {
    /// The machine's monotonic clock.
    public init() {}

    /// The machine's current instant. `SuspendingClock` shows the same, and takes 400 instructions more for its 128-bit numbers.
    public var now: Instant { Instant(nanoseconds: Platform.nanoseconds) }
}

/// A clock for tests and rehearsals. `Timekeeper.advance` moves it on, with a turn at each instant at which something fires. Moved without `advance`,
/// it imitates a loop that was held up.
public final class VirtualClock: TimeSource {
    /// The current instant.
    public private(set) var now: Instant

    /// A clock that stands at `start`.
    public init(startingAt start: Instant = .zero) {
        now = min(start, .last)
    }

    /// Moves the clock; it stops at the last instant.
    public func move(to instant: Instant) {
        precondition(instant >= now, "a virtual clock cannot go backwards")
        now = min(instant, .last)
    }
}

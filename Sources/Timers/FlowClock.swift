// A session's own time, as its flow sees it.

/// Starts timers and can be frozen, all the session's timers with it. A flow keeps one as a plain value: it refers to the
/// session and does not hold it.
public struct FlowClock {
    unowned let host: TimerHost

    /// The instant of this turn.
    public var now: Instant { host.timekeeper.now }

    public var isFrozen: Bool { host.isFrozen }

    /// Every timer of the session stops exactly.
    public func freeze() { host.freeze() }

    /// Every timer goes on with its remainder and its phase, but for those that were paused by themselves.
    public func resume() { host.resume() }

    /// The session's timers, in the order of their making.
    public var timers: [StateTimer] { host.timers }
}

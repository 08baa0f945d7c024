// A session's own time, as its flow sees it.

import Memory

/// Starts timers and can be frozen, all the session's timers with it. A flow keeps one as a plain value: it refers
/// to the session and does not hold it. A clock that is kept longer than its session traps when it is used; `isAlive` tells.
public struct FlowClock {
    package let session: HostReference

    init(of host: TimerHost) {
        session = host.reference
    }

    /// The session's host.
    @inline(__always)
    var host: Borrowed<TimerHost> {
        guard let host = session.borrowed else { Self.sessionIsGone() }
        return host
    }

    @inline(never)
    private static func sessionIsGone() -> Never {
        fatalError("a flow's clock was used after its session had ended; ask isAlive of a clock that is kept that long")
    }

    /// Whether its session is still there.
    public var isAlive: Bool { session.borrowed != nil }

    /// The instant of this turn.
    public var now: Instant { host.with { $0.timekeeper.now } }

    /// What the session is called; empty before its host has it.
    public var sessionName: String { host.with { $0.sessionName } }

    /// Whether the session's timers stand still.
    public var isFrozen: Bool { host.with { $0.isFrozen } }

    /// Every timer of the session stops exactly.
    public func freeze() { host.with { $0.freeze() } }

    /// Every timer goes on with its remainder and its phase, but for those that were paused by themselves.
    public func resume() { host.with { $0.resume() } }

    /// Throws if a timer with so much left would never fire.
    package func check(_ left: Duration, of plan: TimerPlan) throws(TimerError) {
        try StateTimer.check(left.wholeNanoseconds, plan, at: now)
    }

    /// The session's timers, in the order of their making.
    public var timers: [StateTimer] { host.with { $0.timers } }
}

/// It is for the thread that its session is on.
@available(*, unavailable)
extension FlowClock: Sendable {}

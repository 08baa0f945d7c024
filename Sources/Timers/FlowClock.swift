// A session's own time, as its flow sees it.

import Memory

/// Starts timers, and can be frozen together with all the session's timers. A flow keeps one as a plain value: it refers
/// to the session without retaining it. Using a clock after its session has ended traps; check `isAlive`.
public struct FlowClock {
    package let session: HostReference

    init(of host: TimerHost) {
        session = host.reference
    }

    var host: Borrowed<TimerHost> {
        guard let host = session.borrowed else { Self.sessionIsGone() }
        return host
    }

    private static func sessionIsGone() -> Never {
        fatalError("a flow's clock was used after its session had ended; ask isAlive of a clock that is kept that long")
    }

    /// Whether its session still exists.
    public var isAlive: Bool { session.borrowed != nil }

    /// The instant of this turn.
    public var now: Instant { host.with { $0.timekeeper.now } }

    /// Reports that the session's step can take long, so that the code that bounds a turn's time checks the clock.
    package func requestTimeCheck() { host.with { $0.timekeeper.mayHaveTakenLong = true } }

    /// The session's name; empty until its host has one.
    public var sessionName: String { host.with { $0.sessionName } }

    /// The name of the session that created this one; nil without a parent.
    public var parentName: String? { host.with { $0.parentName } }

    /// Whether the session's timers are frozen.
    public var isFrozen: Bool { host.with { $0.isFrozen } }

    /// Every timer of the session stops exactly.
    public func freeze() { host.with { $0.freeze() } }

    /// Every timer continues with its remainder and its phase, except those that were paused individually.
    public func resume() { host.with { $0.resume() } }

    /// Whether the session is in a step without an observer that sees both states: the new state may use the old one's memory.
    package var mayReuseOldState: Bool { host.with { $0.timekeeper.mayRenewTimer(of: $0) } }

    /// The session's timers, in the order of their making.
    public var timers: [StateTimer] { host.with { $0.timers } }
}

/// Only for its session's thread.
@available(*, unavailable)
extension FlowClock: Sendable {}

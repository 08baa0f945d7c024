// A session's own time, as its flow sees it.

/// Starts timers and can be frozen, all the session's timers with it. A flow keeps one as a plain value: it refers to the
/// session and does not hold it, and it must not be used once the session is gone. (A reference that is counted would cost every
/// event more than its timer.)
public struct FlowClock {
    let reference: Unmanaged<TimerHost>

    init(of host: TimerHost) {
        reference = .passUnretained(host)
    }

    init(of host: Unmanaged<TimerHost>) {
        reference = host
    }

    /// Calls `body` with the session's host, which is there for as long as its clock is used.
    @inline(__always)
    func withHost<Result>(_ body: (TimerHost) -> Result) -> Result {
        reference._withUnsafeGuaranteedRef(body)
    }

    /// The instant of this turn.
    public var now: Instant { withHost { $0.timekeeper.now } }

    /// What the session is called; empty before its host has it.
    public var sessionName: String { withHost { $0.sessionName } }

    public var isFrozen: Bool { withHost { $0.isFrozen } }

    /// Every timer of the session stops exactly.
    public func freeze() { withHost { $0.freeze() } }

    /// Every timer goes on with its remainder and its phase, but for those that were paused by themselves.
    public func resume() { withHost { $0.resume() } }

    /// Throws if a timer with so much left would never fire.
    package func check(_ left: Duration, of plan: TimerPlan) throws(TimerError) {
        try StateTimer.check(left.wholeNanoseconds, plan, at: now)
    }

    /// The session's timers, in the order of their making.
    public var timers: [StateTimer] { withHost { $0.timers } }
}

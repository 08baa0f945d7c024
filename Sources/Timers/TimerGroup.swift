// Timers without a flow: each calls a closure, on the actor that it was made on.

/// Keeps timers that call closures. One group serves one actor: its timers are made, changed and dropped there, and call their closures there.
///
///     let closing = try Countdown(.seconds(30)) { print("the lobby closes") }        // on the main actor
///     let tick = try Pendulum(every: .seconds(1)) { missed in … }
///
/// A timer runs until it is released. Released on its actor, it never calls its closure again. A closure that refers to the owner of its timer does so
/// weakly, or neither is released. A group that is released stops all of
/// its timers.
public final class TimerGroup: TimerHost {
    /// The timers of the main actor, on the machine's clock.
    @MainActor public static let main = TimerGroup(on: SuspendingClock(), isolation: MainActor.shared)

    /// Nil on a virtual clock.
    private var alarm: Alarm?
    private var isFiring = false

    /// Timers of this actor, on any clock. On the main actor write `TimerGroup.main`, which is there already.
    public init<C: Clock>(on clock: C, isolation: isolated any Actor) where C.Duration == Duration {
        let source = ClockSource(clock)
        super.init(on: Timekeeper(source))
        let group = WeakGroup(group: self)
        // The actor that keeps its group is not kept by it.
        alarm = Alarm(on: source) { [weak isolation] in
            if let isolation { await group.fire(on: isolation) }
        }
    }

    /// Timers in virtual time, which `advance` moves.
    public init(on clock: VirtualClock) { super.init(on: Timekeeper(clock)) }

    /// Advances virtual time. Due timers call their closures one after the other, each at its own instant. Returns how many did. On another clock it does
    /// nothing.
    @discardableResult
    public func advance(by duration: Duration) -> Int {
        guard let clock = timekeeper.source as? VirtualClock else { return 0 }
        return timekeeper.advance(clock, by: duration)
    }

    public override func timerFired(_ firing: Firing) {
        (firing.timer.plan.message as? TimerBody)?.call(firing.missed)
    }

    /// While timers fire, time stands: otherwise closures that take longer than a pendulum's period would make it due again without end.
    override func readClock() { if !isFiring { timekeeper.beginTurn() } }

    override func timersChanged() { alarm?.set(for: timekeeper.nextWake) }

    fileprivate func fire() {
        timekeeper.beginTurn()
        isFiring = true
        timekeeper.fireDue()
        isFiring = false
        alarm?.reset()
        timersChanged()
    }

    fileprivate func plan(_ kind: TimerPlan.Kind, _ length: Duration, _ body: TimerBody) -> TimerPlan {
        readClock()
        return TimerPlan(kind, kind.rawValue, length, message: body)
    }
}

/// Carries a group to its own actor.
private struct WeakGroup: @unchecked Sendable {
    weak var group: TimerGroup?

    func fire(on actor: isolated any Actor) { group?.fire() }
}

/// The closure of a group's timer. It is called on the group's actor alone.
private struct TimerBody: @unchecked Sendable {
    let call: (_ missed: Int) -> Void
}

extension Countdown {
    /// Calls the closure on the main actor once the time has passed, unless it is dropped before.
    @MainActor
    public convenience init(_ length: Duration, _ body: @escaping @MainActor () -> Void) throws(TimerError) {
        try self.init(length, on: .main) { MainActor.assumeIsolated(body) }
    }

    /// Calls the closure on the group's actor once the time has passed, unless it is dropped before.
    public convenience init(_ length: Duration, on group: TimerGroup, _ body: @escaping () -> Void) throws(TimerError) {
        try self.init(group.plan(.countdown, length, TimerBody { _ in body() }), on: group.clock)
        group.timersChanged()
    }
}

extension Pendulum {
    /// Calls the closure on the main actor after each period, with the number of swings that were missed, until it is dropped.
    @MainActor
    public convenience init(every period: Duration, _ body: @escaping @MainActor (_ missed: Int) -> Void) throws(TimerError) {
        try self.init(every: period, on: .main) { missed in MainActor.assumeIsolated { body(missed) } }
    }

    /// Calls the closure on the group's actor after each period, with the number of swings that were missed, until it is dropped.
    public convenience init(
        every period: Duration, on group: TimerGroup, _ body: @escaping (_ missed: Int) -> Void
    ) throws(TimerError) {
        try self.init(group.plan(.pendulum, period, TimerBody(call: body)), on: group.clock)
        group.timersChanged()
    }
}

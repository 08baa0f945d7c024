// A session of a flow in a program without a daemon: an actor, on any clock.

import Synchronization

/// Runs one session of a flow: its timers fire, and its hooks and work run, until it is released. Its effects go to `outgoing`.
///
///     let session = try await LiveSession(Game.self)
///     try await session.send(.startPlaying)
///     for await view in await session.views { print(view.screen.title) }
public actor LiveSession<F: TypedFlow> {
    private let machine: Machine<F>
    private let work: ManualExecutor
    private let link: SessionLink<F>
    private var alarm: Alarm?
    private var observation: ChangeSubscription<F.Event>?
    private let viewers = StreamReaders<ViewModel>()
    private let listeners = StreamReaders<Change<F.Event>>()
    private var lastReader = 0
    private var shown: ViewMark?
    private let watcher: SessionWatcher

    /// Begins a session in its flow's initial state, or in the named state with these data. `configure` adds hooks and work. Asynchronous hooks that
    /// take longer than `hookLimit` refuse their event. `outgoing` is called on the session's actor, in order, for each message, child session,
    /// emitted event and log line that a committed step asks for, which is then done: an app has no other sessions to send it to. Throws
    /// `OutgoingError` without `outgoing` if the flow has effects.
    public init<C: Clock>(
        _ flow: F.Type = F.self, named name: String = "", context: JSON? = nil, startingIn state: String? = nil,
        data: JSON = .object([]), on clock: C = SuspendingClock(), hookLimit: Duration = .seconds(10),
        configure: @Sendable (inout FlowDefinition<F>) -> Void = { _ in }, outgoing: (@Sendable (Outgoing) -> Void)? = nil
    ) async throws where C.Duration == Duration {
        let (source, kind, link) = (ClockSource(clock), TypedFlowKind<F>(configure), SessionLink<F>())
        guard outgoing != nil || !kind.hasEffects else { throw OutgoingError(flow: kind.name) }
        try kind.checkOnce()
        (work, self.link) = (ManualExecutor { link.scheduleTurn() }, link)
        kind.executor = work
        let timekeeper = Timekeeper(source)
        watcher = SessionWatcher(name, hookLimit, timekeeper, outgoing)
        kind.watch(watcher)
        if let state {
            machine = try Machine(on: timekeeper, kind: kind, context: context, startingIn: state, data: data)
        } else {
            machine = try Machine(on: timekeeper, kind: kind, context: context)
        }
        // Until here nothing runs: the work of the first state has only been enqueued.
        (link.session, link.work) = (self, work)
        alarm = Alarm(on: source) { await link.session?.ring() }
        observation = machine.observe { [listeners] change in listeners.yield(change) }
        finishTurn()
    }

    // MARK: Reading

    /// The name of the session's state.
    public var state: String { machine.stateName }

    /// Everything that a user interface shows now.
    public var view: ViewModel {
        machine.timekeeper.beginTurn()
        return machine.viewModel
    }

    /// Reads the typed state, with its timers, which `body` may change.
    public func read<Value: Sendable>(_ body: @Sendable (F.State) throws -> Value) rethrows -> Value {
        begin()
        defer { finishTurn() }
        return try body(machine.state)
    }

    /// The state's data, from which a session can begin in it.
    public func data() throws -> JSON {
        machine.timekeeper.beginTurn()
        return try machine.stateData()
    }

    /// The view now, and again after each change. A slow reader gets the newest one.
    public var views: AsyncStream<ViewModel> {
        let (stream, reader) = AsyncStream.makeStream(of: ViewModel.self, bufferingPolicy: .bufferingNewest(1))
        reader.yield(view)
        viewers.add(reader, numbered: nextReader())
        return stream
    }

    /// Every change from now on. A reader that is 1,000 changes behind loses the oldest.
    public var events: AsyncStream<Change<F.Event>> {
        let (stream, reader) = AsyncStream.makeStream(of: Change<F.Event>.self, bufferingPolicy: .bufferingNewest(1_000))
        listeners.add(reader, numbered: nextReader())
        return stream
    }

    private func nextReader() -> Int {
        lastReader += 1
        return lastReader
    }

    // MARK: Changing

    /// Sends an event, and returns once it is decided: an event that has to wait for an asynchronous hook is `taken` or refused then. A refusal names
    /// the events that are accepted. Cancelling the task does not withdraw the event. A hook must not wait for an event to its own session.
    @discardableResult
    public func send(_ event: F.Event, from source: EventSource = .ui) async throws(EventRefusal) -> Outcome {
        try await deliver { () throws(Refusal) in try machine.send(event, from: source) }
    }

    /// Sends an event by its name, with its payload.
    @discardableResult
    public func send(
        named event: String, payload: JSON? = nil, from source: EventSource = .ui
    ) async throws(EventRefusal) -> Outcome {
        try await deliver { () throws(Refusal) in
            try machine.send(named: event, payload: payload.map { Payload($0) }, from: source)
        }
    }

    private func deliver(_ send: () throws(Refusal) -> Outcome) async throws(EventRefusal) -> Outcome {
        begin()
        let outcome: Outcome
        do throws(Refusal) {
            outcome = try send()
        } catch {
            let refusal = EventRefusal(error, of: machine)
            finishTurn()
            throw refusal
        }
        switch outcome {
        case .taken, .postponed, .ignored:
            finishTurn()
            return outcome
        case .queued, .waiting: return try await decision(of: outcome).get()
        }
    }

    /// The decision about the event that was just sent with the outcome `waiting` or `queued`.
    private func decision(of outcome: Outcome) async -> Result<Outcome, EventRefusal> {
        await withCheckedContinuation { continuation in
            let held = HeldLimit()
            let receipt = EventReceipt { [machine] decision in
                held.limit = nil
                continuation.resume(returning: decision.mapError { EventRefusal($0, of: machine) })
            }
            machine.attach(receipt, toEventWith: outcome)
            // A step that waits for its own hooks is limited already.
            if outcome == .queued {
                held.limit = watcher.limitHooks { [weak receipt, weak machine] duration in
                    if let receipt { machine?.withdraw(receipt, after: duration) }
                }
            }
            finishTurn()
        }
    }

    /// Pauses the session's clock, and with it all timers.
    public func pause() {
        begin()
        machine.clock.freeze()
        finishTurn()
    }

    /// Resumes the session's clock.
    public func resume() {
        begin()
        machine.clock.resume()
        finishTurn()
    }

    /// Adds time to a timer; a negative duration subtracts. Returns the remaining time. Throws `TimerError.finished` if no such timer runs.
    @discardableResult
    public func extend(_ timer: String, by duration: Duration) throws(TimerError) -> Duration {
        begin()
        defer { finishTurn() }
        guard let found = machine.ownTimers.last(where: { $0.plan.name == timer }) else { throw .finished(timer: timer) }
        try found.extend(by: duration)
        return max(.zero, found.remaining ?? .zero)
    }

    // MARK: Turns

    /// Every entry is a turn: timers that are due come before it.
    private func begin() {
        machine.kind.thread = .current
        machine.timekeeper.beginTurn()
        machine.timekeeper.fireDue()
    }

    fileprivate func takeScheduledTurn() {
        link.turnDidBegin()
        finishTurn()
    }

    fileprivate func ring() {
        alarm?.reset()
        finishTurn()
    }

    private static var maxJobsAtOnce: Int { 1_000 }

    /// Fires due timers and runs hooks and work, as far as they can go now, and shows the result. Work that never waits goes on in later turns.
    fileprivate func finishTurn() {
        var (ran, last) = (0, 0)
        repeat {
            begin()
            last = work.run(atMost: Self.maxJobsAtOnce)
            ran += last
        } while last > 0 && ran < Self.maxJobsAtOnce
        if last > 0 { link.scheduleTurn() }
        alarm?.set(for: machine.timekeeper.nextWake)
        let mark = ViewMark(machine)
        guard mark != shown else { return }
        shown = mark
        if !viewers.isEmpty { viewers.yield(machine.viewModel) }
    }
}

/// Differs whenever a view does, the passing of time aside.
private struct ViewMark: Equatable {
    private let version: UInt32
    private let timers: [UInt64]
    private let firedTimers: [Bool]
    private let isFrozen: Bool

    init(_ machine: AnyMachine) {
        let timers = machine.timers
        (version, isFrozen) = (machine.version, machine.isFrozen)
        (self.timers, firedTimers) = (timers.map(\.generation), timers.map { $0.remaining == nil })
    }
}

/// Lets other threads reach a session without retaining it.
private final class SessionLink<F: TypedFlow>: @unchecked Sendable {
    weak var session: LiveSession<F>?
    weak var work: ManualExecutor?
    private let isScheduled = Atomic(false)

    /// One turn for all work that is enqueued before it begins. Work that was cancelled with its session still has to end.
    func scheduleTurn() {
        guard let work, !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        Task { [weak work] in
            if let session { return await session.takeScheduledTurn() }
            turnDidBegin()
            if let work { await WorkOfEndedSessions.shared.run(work) }
        }
    }

    func turnDidBegin() { isScheduled.store(false, ordering: .releasing) }
}

/// Finishes the work of ended sessions, one after the other.
private actor WorkOfEndedSessions {
    static let shared = WorkOfEndedSessions()

    func run(_ work: ManualExecutor) { while work.run() > 0 {} }
}

/// Something that a committed step of a session asks of others.
public enum Outgoing: Sendable {
    /// A message to another session, or a child session to begin or to drop.
    case effect(Effect)
    /// An event for subscribers.
    case emission(Emission)
    /// A line for the log.
    case log(String)
}

/// A flow has effects, and its `LiveSession` was given no closure that performs them.
public struct OutgoingError: Error, Equatable, CustomStringConvertible {
    /// The flow's name.
    public let flow: String

    public var description: String {
        "the flow '\(flow)' sends messages or begins sessions; pass LiveSession a closure that does so: outgoing: { request in … }"
    }
}

/// Gives the session its name, limits its hooks, and passes on what its steps ask for.
private final class SessionWatcher: MachineWatcher {
    private let name: String
    private let hookLimit: Duration
    private let limits: HookLimits
    private let outgoing: (@Sendable (Outgoing) -> Void)?

    init(_ name: String, _ hookLimit: Duration, _ timekeeper: Timekeeper, _ outgoing: (@Sendable (Outgoing) -> Void)?) {
        (self.name, self.hookLimit, limits, self.outgoing) = (name, hookLimit, HookLimits(on: timekeeper), outgoing)
    }

    override func name(of machine: AnyMachine) -> String { name }

    override func collect(_ requests: Outbox, from machine: AnyMachine) {
        guard let outgoing else { return }
        let (emissions, logs) = (requests.emissions, requests.logs)
        (requests.emissions, requests.logs) = ([], [])
        for emission in emissions { outgoing(.emission(emission)) }
        for line in logs { outgoing(.log(line)) }
        while let effect = requests.nextEffect {
            requests.completeEffect()
            outgoing(.effect(effect))
        }
    }

    /// A countdown; nil if the limit is beyond the end of time.
    override func limitHooks(_ end: @escaping (_ limit: Duration) -> Void) -> AnyObject? {
        let length = max(.zero, hookLimit)
        let plan = TimerPlan.countdown("hook", length, message: HookLimit { [hookLimit] in end(hookLimit) })
        return try? Countdown(plan, on: limits.clock)
    }
}

/// The limits of a session's hooks, on its time.
private final class HookLimits: TimerHost {
    override func timerFired(_ firing: Firing) { (firing.timer.plan.message as? HookLimit)?.end() }
}

/// Called on the session's actor alone.
private struct HookLimit: @unchecked Sendable { let end: () -> Void }

private final class HeldLimit { var limit: AnyObject? }

/// A refusal with copies of the state and the accepted events, so that it can cross actors.
public struct EventRefusal: Error, Equatable, CustomStringConvertible {
    /// The error code, for programs.
    public let code: ErrorCode
    /// The session's state.
    public let state: String
    /// The events that it accepts, but for those that only timers send.
    public let accepted: [String]
    /// The reason, for people.
    public let description: String

    init(_ refusal: Refusal, of machine: AnyMachine) {
        (code, description) = (refusal.code, refusal.description)
        state = machine.stateName
        accepted = machine.acceptedFromOutside.map(\.name)
    }
}

// A session's machine: how it is made, what can be read of it, and how its state is overridden.

import Timers

/// The one place where a session's state changes. `MachineStep.swift` has how.
public final class Machine<F: Flow>: AnyMachine {
    // Both are set once the host exists that the flow's clock refers to, and never nil again.
    @usableFromInline @exclusivity(unchecked) var madeFlow: F?
    @usableFromInline @exclusivity(unchecked) var current: F.State?
    @inlinable var setup: MachineSetup<F> { unsafeDowncast(kind, to: MachineSetup<F>.self) }

    /// How many events may wait for their turn.
    static var mostQueued: Int { 1_000 }
    /// How many events may be put off until the state changes.
    static var mostPostponed: Int { 100 }
    /// How many bytes may come with those that wait, unless it is one alone.
    static var mostHeldBytes: Int { 1 << 20 }
    /// More changes than this without any time passing are a loop in the flow.
    static var mostFiringsAtOnce: Int { 1_000 }

    /// A session in its flow's initial state.
    public convenience init(
        on timekeeper: Timekeeper, setup: MachineSetup<F> = MachineSetup(), _ makeFlow: (FlowClock) -> F
    ) throws {
        try self.init(on: timekeeper, setup: setup, makeFlow) { flow in try flow.initialState() }
    }

    /// A session that begins, or goes on, in the named state.
    @inlinable
    public convenience init(
        on timekeeper: Timekeeper, setup: MachineSetup<F> = MachineSetup(), startingIn state: String, data: JSON = .object([]),
        away: Duration = .zero, timers: ArraySlice<TimerImage> = [], _ makeFlow: (FlowClock) -> F
    ) throws {
        try self.init(on: timekeeper, setup: setup, makeFlow) { flow in
            try Self.restore(state, data, flow, setup, away: away, timers: timers)
        }
    }

    @inlinable
    init(
        on timekeeper: Timekeeper, setup: MachineSetup<F>, _ makeFlow: (FlowClock) -> F, _ begin: (F) throws -> F.State
    ) throws {
        super.init(on: timekeeper, kind: setup)
        let flow = makeFlow(clock)
        madeFlow = flow
        let state = try begin(flow)
        current = state
        place = setup.place(ofState: state.name)
        entered = timekeeper.now
        if !setup.orchestrators.isEmpty { enterStay() }
    }

    deinit {
        kind.circles.forget(self)
        guard let extras else { return }
        kind.watcher?._withUnsafeGuaranteedRef { $0.waitingBytes -= extras.heldBytes }
        extras.stopEverything()
        setup.extras[ObjectIdentifier(self)] = nil
    }

    // MARK: Reading

    @inlinable
    public var flow: F { madeFlow.unsafelyUnwrapped }

    /// Where the session is. Nobody but the machine changes it. Whoever keeps a copy keeps the timers in it alive.
    @inlinable
    public var state: F.State { current.unsafelyUnwrapped }

    public override var isFinal: Bool { markedIfNobodyHas(.look) { flow.isFinal(state) } }
    public override var screen: Screen { markedIfNobodyHas(.look) { flow.screen(for: state) } }
    public override func stateData() throws -> JSON { try markedIfNobodyHas(.look) { try state.savedData() } }

    /// Events that were not valid and that the policy let pass.
    public var ignoredEvents: Int { extras?.ignored ?? 0 }

    public override var acceptedEvents: [AcceptedEvent] {
        markedIfNobodyHas(.look) { F.events.specs.filter { $0.samples.contains(where: accepts) }.map(AcceptedEvent.init) }
    }

    @inlinable
    func acceptedBits() -> UInt64? {
        // Taken once: each sample is tried on them, and to count references for each would take longer than to try.
        let (trials, flow, state) = (setup.trials, flow, state)
        guard setup.specs.count <= 64 else { return nil }
        var bits: UInt64 = 0
        for trial in trials where bits & trial.bit == 0 && Self.accepts(trial.event, flow, state) { bits |= trial.bit }
        return bits
    }

    func accepts(_ event: F.Event) -> Bool { Self.accepts(event, flow, state) }

    @inlinable
    static func accepts(_ event: F.Event, _ flow: F, _ state: F.State) -> Bool {
        do throws(FlowError) {
            _ = try flow.transition(from: state, on: event)
            return true
        } catch {
            return error == .postpone
        }
    }

    // MARK: What waits

    package override var waitingEvents: [WaitingEvent] { eventsThatWait }
    override func restore(_ events: [WaitingEvent]) throws { try wait(for: events) }

    override func takeUpQueue() {
        if phase == .idle { marked(.work) { settle() } }
    }

    // MARK: Overrides and restoring

    public override func force(_ name: String, data: JSON, from source: EventSource = .ui) throws(Refusal) {
        try markedIfNobodyHas(.force) { () throws(Refusal) in try doForce(name, data, source) }
    }

    private func doForce(_ name: String, _ data: JSON, _ source: EventSource) throws(Refusal) {
        guard phase != .handling else { throw .tooMany("a state cannot be forced in the middle of a step") }
        let state: F.State
        do {
            state = try Self.restore(name, data, flow, setup)
        } catch {
            throw .badEvent("\(error)")
        }
        abandonWait()
        kind.circles.forget(self)
        phase = .handling
        _ = try saying(data == .object([]) ? nil : Payload(data), Cause(source)) { () throws(Refusal) in
            commit(state, nil, Cause(source))
            return .taken
        }
        phase = .idle
        settle()
    }

    @inlinable
    static func restore(
        _ name: String, _ data: JSON, _ flow: F, _ setup: MachineSetup<F>, away: Duration = .zero,
        timers: ArraySlice<TimerImage> = []
    ) throws -> F.State {
        let restorer = try setup.restorer(of: name, on: flow.clock)
        let restoring = restorer.begin(on: flow.clock, away: away, timers: timers)
        defer { restorer.end(restoring) }
        let state = try flow.completed(try F.State.restored(name, data, restoring))
        do throws(FlowError) { try flow.check(state) } catch { throw RestoringError(error.sentence) }
        return state
    }

    /// What only some machines need; nil for most.
    @usableFromInline
    var extras: MachineExtras<F>? { standing.hasExtras ? setup.extras[ObjectIdentifier(self)] : nil }

    @usableFromInline
    func makeExtras() -> MachineExtras<F> {
        if let extras { return extras }
        let made = MachineExtras<F>()
        setup.extras[ObjectIdentifier(self)] = made
        standing.hasExtras = true
        return made
    }
}

extension Flow {
    /// Who may send an event. A flow that is in a hurry says it itself.
    public static func sources(of event: Event) -> EventSources {
        events[caseName(of: event)]?.sources ?? .anyone
    }
}

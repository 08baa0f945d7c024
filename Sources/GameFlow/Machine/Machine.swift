// A session's machine: how it is made, what can be read of it, and how its state is overridden.

import Timers

/// The one place where a session's state changes. `MachineStep.swift` has how.
public final class Machine<F: Flow>: AnyMachine {
    // Both are set once the host exists that the flow's clock refers to, and never nil again.
    @usableFromInline @exclusivity(unchecked) var madeFlow: F?
    @usableFromInline @exclusivity(unchecked) var current: F.State?
    /// Its kind, with the flow's types.
    @inlinable var typed: TypedFlowKind<F> { unsafeDowncast(kind, to: TypedFlowKind<F>.self) }

    /// How many events may wait for their turn.
    static var mostQueued: Int { 1_000 }
    /// How many events may be put off until the state changes.
    static var mostPostponed: Int { 100 }
    /// How many bytes may come with those that wait, unless it is one alone.
    static var mostHeldBytes: Int { 1 << 20 }
    /// More changes than this without any time passing are a loop in the flow.
    static var mostFiringsAtOnce: Int { 1_000 }

    /// A session in its flow's initial state, with these parameters. Its work has begun.
    @inlinable
    public convenience init(on timekeeper: Timekeeper, kind: TypedFlowKind<F>, context: JSON? = nil) throws {
        try self.init(on: timekeeper, of: kind, context, at: nil)
        beginWork()
    }

    /// A session that begins, or goes on, in the named state.
    @inlinable
    public convenience init(
        on timekeeper: Timekeeper, kind: TypedFlowKind<F>, context: JSON? = nil, startingIn state: String,
        data: JSON = .object([]), away: Duration = .zero, timers: ArraySlice<TimerImage> = []
    ) throws {
        let image = SessionImage(state: state, data: data, away: away, timers: timers)
        try self.init(on: timekeeper, of: kind, context, at: image)
        beginWork()
    }

    @inlinable
    init(on timekeeper: Timekeeper, of kind: TypedFlowKind<F>, _ context: JSON?, at image: SessionImage?) throws {
        super.init(on: timekeeper, kind: kind)
        let (value, text) = try kind.context(context, on: clock)
        let flow = try kind.make(clock, value)
        madeFlow = flow
        if let image {
            current = try Self.restore(image, flow, kind)
        } else {
            current = try flow.initialState()
        }
        place = placeOfState()
        entered = timekeeper.now
        if let text { keepContext(text) }
    }

    @usableFromInline
    func keepContext(_ text: String) { kind.contexts[ObjectIdentifier(self)] = text }

    deinit {
        kind.zeroTimers.forget(self)
        if !kind.parameters.isEmpty { kind.contexts[ObjectIdentifier(self)] = nil }
        guard let extras else { return }
        kind.watcher?.with { $0.waitingBytes -= extras.heldBytes }
        extras.stopEverything()
        typed.extras[ObjectIdentifier(self)] = nil
    }

    // MARK: Reading

    @inlinable
    public var flow: F { madeFlow.unsafelyUnwrapped }

    /// The session's state. In a copy that is kept, the timers stop once the session's own state carries them no more.
    @inlinable
    public var state: F.State { current.unsafelyUnwrapped }

    public override var isFinal: Bool { markedIfNobodyHas(.look) { flow.isFinal(state) } }
    public override var screen: Screen { markedIfNobodyHas(.look) { flow.screen(for: state) } }
    public override func stateData() throws -> JSON { try markedIfNobodyHas(.look) { try state.savedData() } }

    /// Events that were not valid and that the policy let pass.
    public var ignoredEvents: Int { extras?.ignored ?? 0 }

    public override var acceptedEvents: [AcceptedEvent] {
        markedIfNobodyHas(.look) { typed.specs.filter { $0.samples.contains(where: accepts) }.map(AcceptedEvent.init) }
    }

    @inlinable
    func acceptedBits() -> UInt64? {
        // Taken once: each sample is tried on them, and to count references for each would take longer than to try.
        let (trials, flow, state) = (typed.trials, flow, state)
        guard typed.specs.count <= 64 else { return nil }
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

    /// The work of the state in which the session is, once its host knows it.
    public override func beginWork() {
        guard typed.works, extras?.stay ?? 0 == 0 else { return }
        marked(.work) { enterStay() }
    }

    override func trySample(_ sample: Int, ofEvent place: Int) -> Bool {
        let (spec, before) = (typed.specs[place], version)
        let source = EventSource.allCases.first { spec.sources.contains($0) && $0 != .timer } ?? .ui
        guard let outcome = try? send(spec.samples[sample], from: source) else { return false }
        timekeeper.fireDue()
        switch outcome {
        case .postponed: return true
        case .taken, .ignored, .queued, .waiting: return version != before
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
        timekeeper.beginStep()
        guard phase != .handling else { throw .tooMany("a state cannot be forced in the middle of a step") }
        let state: F.State
        do {
            state = try Self.restore(SessionImage(state: name, data: data), flow, typed)
        } catch {
            throw .badEvent("\(error)")
        }
        abandonWait()
        kind.zeroTimers.forget(self)
        phase = .handling
        _ = try carrying(data == .object([]) ? nil : Payload(data), Cause(source)) { () throws(Refusal) in
            commit(state, nil, Cause(source))
            return .taken
        }
        phase = .idle
        settle()
    }

    @inlinable
    static func restore(_ image: SessionImage, _ flow: F, _ kind: TypedFlowKind<F>) throws -> F.State {
        let restorer = try kind.restorer(of: image.state, on: flow.clock)
        let restoring = restorer.begin(on: flow.clock, away: image.away, timers: image.timers)
        if F.Context.self != NoContext.self { restoring.adapt = flow.plan }
        defer { restorer.end(restoring) }
        let state = try flow.completed(try F.State.restored(image.state, image.data, restoring))
        do throws(FlowError) { try flow.check(state) } catch { throw RestoringError(error.sentence) }
        return state
    }

    /// What only some machines need; nil for most.
    @usableFromInline
    var extras: MachineExtras<F>? { flags.hasExtras ? typed.extras[ObjectIdentifier(self)] : nil }

    @usableFromInline
    func makeExtras() -> MachineExtras<F> {
        if let extras { return extras }
        let made = MachineExtras<F>()
        typed.extras[ObjectIdentifier(self)] = made
        flags.hasExtras = true
        return made
    }
}

extension Machine: FlowSession {
    public func raise(_ event: F.Event, from source: EventSource) throws { _ = try send(event, from: source) }
}

extension Machine where F: TypedFlow {
    /// A session of a kind of its own, which only its type describes.
    @inlinable
    public convenience init(on timekeeper: Timekeeper, context: JSON? = nil) throws {
        try self.init(on: timekeeper, kind: TypedFlowKind(), context: context)
    }

    /// The same in the named state.
    @inlinable
    public convenience init(
        on timekeeper: Timekeeper, context: JSON? = nil, startingIn state: String, data: JSON = .object([])
    ) throws {
        try self.init(on: timekeeper, kind: TypedFlowKind(), context: context, startingIn: state, data: data)
    }
}

// A session's machine: making it, reading it, and overriding its state.

/// Runs one session. Only the machine changes the session's state; `MachineStep.swift` has the steps.
public final class Machine<F: Flow>: AnyMachine {
    // Both are set once the host exists that the flow's clock refers to, and are never nil after that.
    @usableFromInline @exclusivity(unchecked) var madeFlow: F?
    @usableFromInline @exclusivity(unchecked) var current: F.State?
    /// Its kind, with the flow's types.
    @inlinable var typed: TypedFlowKind<F> { proven(kind, is: TypedFlowKind<F>.self) }

    static var maxQueued: Int { 1_000 }
    /// More events than this, sent by the hooks and observers of one step and of those that follow from it, are a loop.
    static var maxSentByStep: Int { 4_096 }
    static var maxPostponed: Int { 100 }
    /// Bytes of payloads that waiting events may hold; a single event may hold more.
    static var maxHeldBytes: Int { 1 << 20 }
    /// More firings than this in a row, without time passing, are a loop in the flow.
    static var maxFiringsAtOnce: Int { 1_000 }

    /// Begins a session in its flow's initial state, with these parameters, and its work.
    @inlinable
    public convenience init(on timekeeper: Timekeeper, kind: TypedFlowKind<F>, context: JSON? = nil) throws {
        try self.init(on: timekeeper, of: kind, context)
        start(in: try flow.initialState())
        beginWork()
    }

    /// Begins a session in the named state, or restores one after a downtime of `away`.
    @inlinable
    public convenience init(
        on timekeeper: Timekeeper, kind: TypedFlowKind<F>, context: JSON? = nil, startingIn state: String,
        data: JSON = .object([]), away: Duration? = nil, timers: ArraySlice<TimerImage> = []
    ) throws {
        let image = SessionImage(state: state, data: data, away: away, timers: timers)
        try self.init(on: timekeeper, of: kind, context)
        start(in: try Self.restore(image, flow, kind))
        beginWork()
    }

    /// Makes the flow; `start` completes the machine. `isSaved` if the parameters come from a stored session.
    @inlinable
    init(on timekeeper: Timekeeper, of kind: TypedFlowKind<F>, _ context: JSON?, isSaved: Bool = false) throws {
        super.init(on: timekeeper, kind: kind)
        let (value, text) = try kind.context(context, on: clock, isSaved: isSaved)
        madeFlow = try kind.make(clock, value)
        if let text { keepContext(text) }
    }

    @inlinable
    func start(in state: F.State) {
        current = state
        stateIndex = indexOfState()
        entered = timekeeper.now
    }

    @usableFromInline
    func keepContext(_ text: String) {
        if !kind.parameters.isEmpty { kind.contexts[ObjectIdentifier(self)] = text }
    }

    deinit {
        kind.zeroTimers.forget(self)
        if !kind.parameters.isEmpty { kind.contexts[ObjectIdentifier(self)] = nil }
        guard let extras else { return }
        kind.watcher?.with { $0.waitingBytes -= extras.heldBytes }
        extras.stopEverything()
        typed.extras[ObjectIdentifier(self)] = nil
    }

    // MARK: Reading

    /// The flow's instance for this session, with its clock and parameters.
    @inlinable
    public var flow: F { madeFlow.proven }

    /// The session's state. Timers in a copy stop once the session's own state no longer carries them.
    @inlinable
    public var state: F.State { current.proven }

    public override func stateData() throws -> JSON { try data(for: .saving) }
    public override func shownData() throws -> JSON { try data(for: .showing) }

    public override var outbox: Outbox? { kind.mayHaveEffects ? flow.outbox(of: state) : nil }

    public override var children: [ChildSession] {
        kind.mayHaveEffects ? withFlightMarkIfClear(.read) { flow.children(of: state) } : []
    }

    public override func setStage(_ stage: ChildSession.Stage?, ofChild id: String) {
        withFlightMarkIfClear(.read) {
            flow.setStage(stage, ofChild: id, in: state)
            if let step = extras?.pending { flow.setStage(stage, ofChild: id, in: step.candidate) }
        }
    }

    override var ownStateName: String { state.name }

    public override var output: JSON? { withFlightMarkIfClear(.read) { flow.output(of: state) } }

    public override var acceptedEvents: [AcceptedEvent] {
        withFlightMarkIfClear(.read) {
            flow.beginTrials()
            return typed.specs.indices.filter { typed.specs[$0].samples.contains(where: accepts) }.map { kind.events[$0] }
        }
    }

    @inlinable
    func acceptedBits() -> UInt64? {
        // Read once: retaining them for each sample would take longer than trying it.
        let (trials, flow, state) = (typed.trials, flow, state)
        guard typed.specs.count <= 64 else { return nil }
        flow.beginTrials()
        var bits: UInt64 = 0
        for trial in trials where bits & trial.bit == 0 && flow.accepts(trial.event, in: state) { bits |= trial.bit }
        return bits
    }

    func accepts(_ event: F.Event) -> Bool { flow.accepts(event, in: state) }

    /// Begins the work of the session's state, once its host has taken it.
    public override func beginWork() {
        if kind.mayHaveEffects { flushOutbox() }
        guard kind.hasWork, extras?.stay ?? 0 == 0 else { return }
        withFlightMark(.work) { enterStay() }
    }

    override func trySample(_ sample: Int, ofEvent index: Int) -> Bool {
        let (spec, before) = (typed.specs[index], version)
        let source = EventSource.allCases.first { spec.sources.contains($0) && $0 != .timer } ?? .ui
        guard let outcome = try? send(spec.samples[sample], from: source) else { return false }
        timekeeper.fireDue()
        switch outcome {
        case .postponed: return true
        case .taken, .ignored, .queued, .waiting: return version != before
        }
    }

    // MARK: Waiting events

    package override var waitingEvents: [WaitingEvent] { eventsThatWait }
    override func restore(_ events: [WaitingEvent], away: Duration) throws { try wait(for: events, away: away) }

    public override var postponed: [PostponedEvent] {
        guard let extras else { return [] }
        return extras.postponed.compactMap { event in
            guard let postponement = event.postponement else { return nil }
            let payload = event.payload ?? JSON.carried(by: event.event).map { Payload($0) }
            return PostponedEvent(
                number: postponement.number, event: kind.eventName(at: completed(event.cause, event.event).event) ?? "",
                payload: payload, age: .nanoseconds(timekeeper.now.nanoseconds(since: postponement.since)))
        }
    }

    package override var lastPostponed: Int {
        get { extras?.lastPostponed ?? 0 }
        set { makeExtras().lastPostponed = newValue }
    }
    public override func withdraw(
        postponed number: Int, from source: EventSource = .ui, by actor: ActorNumber = .none
    ) -> String? {
        guard let extras, let index = extras.postponed.firstIndex(where: { $0.postponement?.number == number }) else {
            return nil
        }
        let event = extras.postponed.remove(at: index)
        release(event.payload)
        let eventIndex = completed(event.cause, event.event).event
        record(
            .withdrawn, of: event.event, HistoryEntry.Cause(source, event: eventIndex, actor: actor), carrying: event.payload)
        kind.watcher?.keep(self)
        return kind.eventName(at: eventIndex) ?? ""
    }

    package override var sent: SentEvents? {
        get { extras?.sent }
        set { makeExtras().sent = newValue }
    }

    package override var savedText: String? {
        get { storedText }
        set { keepStored(newValue) }
    }

    public override func attach(_ receipt: EventReceipt, toEventWith outcome: Outcome) {
        guard let extras else { return }
        switch outcome {
        case .waiting: extras.pending?.queued.receipt = receipt
        case .queued where !extras.queue.isEmpty: extras.queue[extras.queue.count - 1].receipt = receipt
        case .queued, .taken, .postponed, .ignored: break
        }
    }

    public override func withdraw(_ receipt: EventReceipt, after limit: Duration) {
        withFlightMark(.work) { withdrawEvent(receipt, .withdrawn(.timedOut(after: limit))) }
    }

    package override func leaves() { extras?.answerSenders(.withdrawn(.moved)) }

    public override func timersWillChange(_ timer: StateTimer?) {
        // Timers that the step has made end with it.
        guard phase == .handling, timer.map({ sees($0, in: &current) || state.carries($0) }) ?? true else { return }
        makeExtras().timerChanges.record(timer, of: self)
    }

    override func waitingStepTest() -> (StateTimer) -> Bool {
        guard let candidate = extras?.pending?.candidate else { return { _ in false } }
        let state = state
        // An enum's timers are searched for all at once: a thousand in a collection, one by one, take a second.
        if typed.stateIndicesByCase != nil {
            let (old, new) = (TimerSearch.all(in: state), TimerSearch.all(in: candidate))
            let added = new.timers.subtracting(old.timers)
            if old.isComplete, new.isComplete { return { added.contains(ObjectIdentifier($0)) } }
        }
        return { candidate.carries($0) && !state.carries($0) }
    }

    package override func resumeWaitingEvents() {
        if flags.hasExtras, phase == .idle { withFlightMark(.work) { drainQueue() } }
    }

    // MARK: Overrides and restoring

    public override func force(
        _ name: String, data: JSON, from source: EventSource = .ui, by actor: ActorNumber = .none
    ) throws(Refusal) {
        try withFlightMarkIfClear(.force) { () throws(Refusal) in
            try doForce(name, data, HistoryEntry.Cause(source, actor: actor))
        }
    }

    private func doForce(_ name: String, _ data: JSON, _ cause: HistoryEntry.Cause) throws(Refusal) {
        guard phase != .handling else { throw .badEvent("a state cannot be forced in the middle of a step") }
        timekeeper.beginStep()
        let state: F.State
        do {
            state = try Self.restore(SessionImage(givenState: name, data: data), flow, typed, from: self.state)
        } catch {
            throw .badEvent("\(error)")
        }
        abandonWait(.withdrawn(.forced), entering: state)
        kind.zeroTimers.forget(self)
        phase = .handling
        _ = try carrying(data == .object([]) ? nil : Payload(data), cause) { () throws(Refusal) in
            commit(state, nil, cause)
            return .taken
        }
        phase = .idle
        drainQueue()
    }

    @inlinable
    static func restore(
        _ image: SessionImage, _ flow: F, _ kind: TypedFlowKind<F>, from current: F.State? = nil
    ) throws -> F.State {
        if let own = try flow.restored(image, from: current) { return own }
        let restorer = try kind.restorer(of: image.state, on: flow.clock)
        try kind.checkFields(of: image)
        let adapt = F.Context.self == NoContext.self ? nil : flow.plan
        let state = try flow.completed(restorer.state(image, on: flow.clock, adapt), from: current)
        do throws(FlowError) { try flow.check(state) } catch { throw RestorationError(error.description) }
        return state
    }

    /// State that only some machines need; nil for most.
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
    /// Has the event handled when the step that is under way is complete. Throws if it is refused.
    public func raise(_ event: F.Event, from source: EventSource) throws { _ = try send(event, from: source) }
}

extension Machine where F: TypedFlow {
    /// Begins a session of a kind made from its flow's type alone.
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

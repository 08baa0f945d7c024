// Events that wait for the end of the current step, or for another state.

import Memory

extension Machine {
    @usableFromInline
    func enqueue(_ event: QueuedEvent<F.Event>) throws(Refusal) -> Outcome {
        let extras = makeExtras()
        guard extras.queue.count < Self.maxQueued else { throw .tooMany(.queued(Self.maxQueued)) }
        if phase == .handling {
            guard extras.sentByStep < Self.maxSentByStep else { throw breakLoop(of: event) }
            extras.sentByStep += 1
        }
        return try enqueueBeyondLimit(event)
    }

    /// Queues a timer's event. There is always room for a countdown's end: each timer has one, and it does not come again.
    @usableFromInline
    func enqueue(_ event: F.Event, _ cause: HistoryEntry.Cause, _ firing: Firing) {
        let queued = QueuedEvent(event: event, cause: cause, timer: firing.timer.id)
        let isEnd = firing.timer.plan.kind == .countdown && !firing.isMilestone
        do throws(Refusal) {
            _ = try isEnd ? enqueueBeyondLimit(queued) : enqueue(queued)
        } catch {
            record(error, of: event, cause)
        }
    }

    /// Records it, too: a hook may ignore the refusal, and nothing else would show why the events end.
    private func breakLoop(of event: QueuedEvent<F.Event>) -> Refusal {
        let refusal = Refusal.tooMany(.sentByStep(Self.maxSentByStep))
        record(refusal, of: event.event, event.cause)
        return refusal
    }

    private func enqueueBeyondLimit(_ event: QueuedEvent<F.Event>) throws(Refusal) -> Outcome {
        let extras = makeExtras()
        var event = try held(event)
        // Behind a hook it can wait long enough to be reported and recorded; within a step it cannot.
        if phase == .waiting { event.notified = .waiting }
        extras.queue.append(event)
        if phase == .waiting { record(.waiting, of: event.event, event.cause, carrying: event.payload) }
        return .queued
    }

    @usableFromInline
    func postpone(_ event: QueuedEvent<F.Event>) throws(Refusal) -> Outcome {
        let extras = makeExtras()
        guard extras.postponed.count < Self.maxPostponed else {
            throw .tooMany(.postponed(Self.maxPostponed))
        }
        // One that has waited before keeps its place, even if the limits are lower by now: its sender was told that it waits.
        var event = try held(event, hasWaited: extras.offered != nil)
        event.postponement = extras.offered?.postponement ?? makePostponement(extras)
        extras.postponed.append(event)
        if extras.offered?.notified != .postponed { record(.postponed, of: event.event, event.cause, carrying: event.payload) }
        return .postponed
    }

    private func makePostponement(_ extras: MachineExtras<F>) -> Postponement {
        extras.lastPostponed += 1
        return Postponement(number: extras.lastPostponed, since: timekeeper.now)
    }

    /// Handles events that came meanwhile: first postponed ones that can be offered again, then queued ones.
    @usableFromInline
    func drainQueue() {
        guard let extras, phase == .idle else { return }
        defer { extras.sentByStep = 0 }
        while phase == .idle, let next = nextWaiting(extras) {
            if isOvertaken(next) {
                // An event that was not recorded as waiting was never reported to anyone.
                if next.notified == .waiting { refuse(next, .withdrawn(.timerEnded)) }
                continue
            }
            extras.offered = next
            do throws(Refusal) {
                let outcome = try carrying(next.payload, next.cause) { () throws(Refusal) in
                    try handle(next.event, next.cause)
                }
                extras.offered = nil
                handOn(next.receipt, outcome)
            } catch {
                extras.offered = nil
                refuse(next, error)
            }
        }
    }

    /// Records and saves that an event which waited is refused, and tells its sender.
    func refuse(_ event: QueuedEvent<F.Event>, _ refusal: Refusal) {
        record(refusal, of: event.event, event.cause, carrying: event.payload)
        kind.watcher?.keep(self)
        if let receipt = event.receipt { complete(receipt, with: .failure(refusal)) }
    }

    /// Tells the sender. Events that it sends at once queue behind those that wait, as within a step.
    private func complete(_ receipt: EventReceipt, with result: Result<Outcome, Refusal>) {
        let before = phase
        if before == .idle { phase = .handling }
        receipt.complete(with: result)
        if before == .idle { phase = .idle }
    }

    /// Whether the event's timer has ended since then, with its state or in a change of its flow: the event is dropped.
    func isOvertaken(_ event: QueuedEvent<F.Event>) -> Bool {
        event.hasLostTimer || event.timer.map { !timekeeper.isAlive($0) } ?? false
    }

    /// Completes the receipt of a queued event, or hands it to the pending step: the event may have to wait for a hook again.
    private func handOn(_ receipt: EventReceipt?, _ outcome: Outcome) {
        guard let receipt else { return }
        switch outcome {
        case .waiting:
            extras?.pending?.queued.receipt = receipt
            // It was saved before it had its id back.
            if receipt.id != nil { kind.watcher?.keep(self) }
        case .taken, .postponed, .ignored, .queued: complete(receipt, with: .success(outcome))
        }
    }

    private func nextWaiting(_ extras: MachineExtras<F>) -> QueuedEvent<F.Event>? {
        // The step before is over: the next one does not undo what its hooks, work and senders have changed.
        extras.timerChanges = TimerChanges()
        if extras.stateHasChanged {
            extras.stateHasChanged = false
            for index in extras.postponed.indices { extras.postponed[index].notified = .postponed }
            extras.queue.insert(contentsOf: extras.postponed, at: 0)
            extras.postponed = []
        }
        guard !extras.queue.isEmpty else { return nil }
        let next = extras.queue.removeFirst()
        release(next.payload)
        return next
    }

    // MARK: Payloads

    /// Stores the event's payload with it, if it has one. Throws if there is no room, unless the event has waited before.
    private func held(_ event: QueuedEvent<F.Event>, hasWaited: Bool = false) throws(Refusal) -> QueuedEvent<F.Event> {
        var event = event
        event.payload = takePayload(event.cause)
        if !hasWaited, let bytes = event.payload?.size, bytes > 0 { try checkRoom(for: bytes) }
        hold(event.payload)
        return event
    }

    private func checkRoom(for bytes: Int) throws(Refusal) {
        let held = makeExtras().heldBytes
        guard held == 0 || held + bytes <= Self.maxHeldBytes else {
            throw .tooMany(.heldBytes(held, adding: bytes, atMost: Self.maxHeldBytes))
        }
        if let watcher = kind.watcher { try watcher.checkRoom(for: bytes) }
    }

    func hold(_ payload: Payload?) {
        guard let bytes = payload?.size, bytes > 0 else { return }
        makeExtras().heldBytes += bytes
        kind.watcher?.with { $0.waitingBytes += bytes }
    }

    func release(_ payload: Payload?) {
        guard let bytes = payload?.size, bytes > 0, let extras else { return }
        extras.heldBytes -= bytes
        kind.watcher?.with { $0.waitingBytes -= bytes }
    }
}

extension Borrowed<MachineWatcher> {
    func checkRoom(for bytes: Int) throws(Refusal) {
        let (held, max) = with { ($0.waitingBytes, $0.maxWaitingBytes) }
        guard held + bytes <= max else { throw .tooMany(.waitingBytes(held, adding: bytes, atMost: max)) }
    }

    func keep(_ machine: AnyMachine) {
        with { $0.recordImage(of: machine) }
    }
}

/// An event that waits for a state which accepts it.
public struct PostponedEvent: Sendable {
    /// Its number among the postponed events of its session.
    public let number: Int
    /// The event's name.
    public let event: String
    /// Its payload.
    public let payload: Payload?
    /// How long it has been postponed.
    public let age: Duration
}

// MARK: - The observer of a host's machines

/// Observes the machines of some kinds.
open class MachineWatcher {
    /// The payload of the event being handled, until it is taken.
    @usableFromInline @exclusivity(unchecked) final var pending: PendingPayload?
    /// Whether the event being handled has a payload.
    @inlinable public final var hasPendingPayload: Bool { pending != nil }
    /// Bytes of all waiting events' payloads.
    public final var waitingBytes = 0
    /// The limit of `waitingBytes`.
    public final var maxWaitingBytes = Int.max

    /// The kinds that refer to this watcher without retaining it.
    private final var watched: [FlowKind] = []

    /// Watches nothing until it is set on a kind.
    public init() {}

    deinit {
        for kind in watched { kind.unwatch(self) }
    }

    final func remember(_ kind: FlowKind) {
        if !watched.contains(where: { $0 === kind }) { watched.append(kind) }
    }

    final func forget(_ kind: FlowKind) { watched.removeAll { $0 === kind } }

    /// Called for everything that happens to a session, except for refusals that `send` throws: its caller has those noted.
    open func record(_ entry: borrowing HistoryEntry, of machine: AnyMachine) {}

    /// Called when only the waiting events have changed.
    open func recordImage(of machine: AnyMachine) {}

    /// Called with a step's effects once the step is recorded. The step is still running, so nothing is sent to any machine yet. The watcher removes
    /// the effects that it carries out; the rest is saved with the state.
    open func collect(_ outgoing: Outbox, from machine: AnyMachine) {}

    /// Called when a step begins to wait for its asynchronous hooks. Calls `end` with the limit once they have had their time, unless the returned
    /// object is released before. Nil if they may take any time.
    open func limitHooks(_ end: @escaping (_ limit: Duration) -> Void) -> AnyObject? { nil }

    /// Whether events that sessions send each other are being handled: no outside client sent them.
    public final var isRunningEffects = false

    /// The session's name; empty if it has none.
    open func name(of machine: AnyMachine) -> String { "" }

    /// Returns the actor's name, or nil for `ActorNumber.none`.
    open func name(of actor: ActorNumber) -> String? { nil }

    /// Returns the number of a stored actor or of a session.
    open func actor(named name: String) -> ActorNumber { .none }

    /// The name of the session that created this one; nil without a parent.
    open func parent(of machine: AnyMachine) -> String? { nil }
}

extension Borrowed<MachineWatcher> {
    /// Calls `record` without retaining the watcher.
    @inlinable func record(_ machine: AnyMachine, _ entry: borrowing HistoryEntry) {
        with { $0.record(entry, of: machine) }
    }
}

// MARK: - A payload on its way from the sender to the history. A machine handles values of its flow's types; meanwhile the JSON that they were made from is stored beside them, and waits with an event that waits.

@usableFromInline
struct PendingPayload {
    let machine: ObjectIdentifier
    let event: UInt16
    let source: EventSource
    let payload: Payload

    /// Whether it belongs to this machine's step: other machines and events can be handled before its own event is.
    func belongs(to machine: AnyMachine, _ cause: HistoryEntry.Cause) -> Bool {
        self.machine == ObjectIdentifier(machine) && event == cause.event && source == cause.source
    }
}

extension MachineWatcher {
    /// Returns the payload of the event just handled, once; nil if it has none.
    public final func takePayload(_ machine: AnyMachine, _ cause: HistoryEntry.Cause) -> Payload? {
        guard let pending, pending.belongs(to: machine, cause) else { return nil }
        self.pending = nil
        return pending.payload
    }
}

extension AnyMachine {
    func takePayload(_ cause: HistoryEntry.Cause) -> Payload? {
        kind.watcher?.object.takePayload(self, cause)
    }

    /// Runs `body` with this payload pending.
    @usableFromInline
    final func carrying(_ payload: Payload?, _ cause: HistoryEntry.Cause, _ body: () throws(Refusal) -> Outcome) throws(Refusal)
        -> Outcome
    {
        guard let payload, let watcher = kind.watcher?.object else { return try body() }
        let outer = watcher.pending
        watcher.pending = PendingPayload(
            machine: ObjectIdentifier(self), event: cause.event, source: cause.source, payload: payload)
        defer { watcher.pending = outer }
        return try body()
    }
}

extension JSON {
    /// An enum case's values as a client would send them: a single unlabelled value alone, others by their labels. Nil if there are none,
    /// or no client could send them.
    static func carried(by event: some Any) -> JSON? {
        if let named = event as? any NamedEvent { return named.carried }
        let mirror = Mirror(reflecting: event)
        guard mirror.displayStyle == .enum else { return nil }
        return mirror.children.first.flatMap { JSON(reflecting: $0.value) }
    }

    private init?(reflecting value: Any) {
        switch value {
        case let value as JSON: self = value
        case let value as Bool: self = .bool(value)
        case let value as any BinaryInteger: self = Int(exactly: value).map { .integer($0) } ?? .number(Double(value))
        case let value as any BinaryFloatingPoint: self = .number(Double(value))
        case let value as String: self = .string(value)
        case let value as any RawRepresentable: self.init(reflecting: value.rawValue)
        default:
            guard let json = JSON(partsOf: Mirror(reflecting: value)) ?? JSON(encoded: value) else { return nil }
            self = json
        }
    }

    /// A dictionary, a set or an enum, which have no parts by name.
    private init?(encoded value: Any) {
        guard let value = value as? any Encodable, let json = try? JSON(encoding: value) else { return nil }
        self = json
    }

    private init?(partsOf mirror: Mirror) {
        switch mirror.displayStyle {
        case .optional: self = mirror.children.first.flatMap { JSON(reflecting: $0.value) } ?? .null
        case .collection: self = .array(mirror.children.compactMap { JSON(reflecting: $0.value) })
        case .tuple, .struct:
            self = .object(
                mirror.children.compactMap { child in
                    child.label.flatMap { label in JSON(reflecting: child.value).map { Member(label, $0) } }
                })
        default: return nil
        }
    }
}

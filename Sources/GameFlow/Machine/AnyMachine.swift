// A session's machine, type-erased.

import Memory

/// A session's machine, without its flow's types.
open class AnyMachine: TimerHost {
    // The smallest fields come first, to fit behind the superclass's last. So a machine of a small state, like that of `turns`, takes 72
    // bytes, and 80 with malloc's own 8.
    @usableFromInline @exclusivity(unchecked) final var flags = MachineFlags()
    @usableFromInline @exclusivity(unchecked) final var narrowStateIndex: UInt16 = 0
    @usableFromInline @exclusivity(unchecked) final var mark = FlightMark.noSlot
    /// The number of changes so far.
    public final var version: UInt32 { changes }
    @usableFromInline @exclusivity(unchecked) final var changes: UInt32 = 0
    /// The kind of flow that it runs, shared by all machines of that kind.
    public final let kind: FlowKind
    /// When the session entered its state.
    public final var since: Instant { entered }
    @usableFromInline @exclusivity(unchecked) final var entered = Instant.zero

    /// The index of the state's name among its flow's.
    @inlinable public final internal(set) var stateIndex: UInt32 {
        get { UInt32(narrowStateIndex) }
        set { narrowStateIndex = UInt16(truncatingIfNeeded: newValue) }
    }
    @inlinable final var phase: MachinePhase {
        get { flags.phase }
        set { flags.phase = newValue }
    }

    /// The owner's slot number.
    @inlinable public final var tag: UInt32 {
        get { mark }
        set { mark = newValue }
    }

    /// A number below 32 that distinguishes the session from earlier ones in its slot; 0 if unknown. The owner sets it.
    @inlinable public final var stamp: UInt8 {
        get { flags.stamp }
        set { flags.stamp = newValue }
    }

    @usableFromInline
    init(on timekeeper: Timekeeper, kind: FlowKind) {
        self.kind = kind
        super.init(on: timekeeper)
        kind.thread = .current
    }

    public final override func timerFired(_ firing: Firing) {
        kind.paths.fire(self, firing)
    }

    /// The name of the session's state.
    public final var stateName: String { stateIndex == NameList.unnumbered ? ownStateName : kind.stateName(at: stateIndex) }

    /// The name that the state itself gives.
    var ownStateName: String { abstract() }

    /// The name of a state that the session has just come to or left, by its index.
    package final func stateName(at index: UInt32) -> String {
        index == stateIndex ? stateName : kind.stateName(at: index)
    }

    /// Sends an event by its index in the flow's catalogue, with its payload.
    @inlinable @discardableResult
    public final func send(
        at index: Int, payload: Payload? = nil, from source: EventSource, by actor: ActorNumber = .none
    ) throws(Refusal) -> Outcome {
        let flight = kind.flight
        let outer = flight?.enter(FlightMark(.event, UInt16(truncatingIfNeeded: index), of: self))
        defer { if let outer { flight?.leave(outer) } }
        // The kind is borrowed: counting its closure would take as long as decoding the event.
        return try Borrowed(kind).with { kind in
            Result { () throws(Refusal) in try kind.paths.send(self, index, payload, source, actor) }
        }.get()
    }

    /// Sends an event by name, with its payload.
    @discardableResult
    public final func send(
        named name: String, payload: Payload? = nil, from source: EventSource, by actor: ActorNumber = .none
    ) throws(Refusal) -> Outcome {
        guard let index = kind.index(ofEvent: name) else { throw kind.unknownEvent(name, from: source) }
        return try send(at: index, payload: payload, from: source, by: actor)
    }

    /// The name of the session's flow.
    public final var flowName: String { kind.name }

    /// The session's name; empty before its host has taken it, or if the host names no sessions.
    public final override var sessionName: String { kind.watcher?.object.name(of: self) ?? "" }

    /// The name of the session that created this one; nil without a parent.
    public final override var parentName: String? { kind.watcher?.object.parent(of: self) }

    /// The parameters that the session began with, as JSON, defaults included. Nil if its flow has none, or its states' data
    /// have them.
    public final var contextText: String? { savedContextText ?? kind.defaultContextText }

    /// The same, as it is saved; nil, too, if the session was given none and so has its kind's `defaultContextText`.
    package final var savedContextText: String? {
        kind.parameters.isEmpty ? nil : kind.contexts[ObjectIdentifier(self)]
    }

    /// Called by the host once it has the machine: the work of its state begins.
    open func beginWork() { abstract() }

    /// Tries a sample of an event, and returns whether it was accepted.
    func trySample(_ sample: Int, ofEvent index: Int) -> Bool { abstract() }

    /// Whether the session has ended.
    public final var isFinal: Bool { withFlightMarkIfClear(.read) { kind.paths.isFinal(self) } }
    /// The screen to show.
    public final var screen: Screen { withFlightMarkIfClear(.read) { kind.paths.screen(self) } }
    /// The events that have a transition now.
    open var acceptedEvents: [AcceptedEvent] { abstract() }

    /// The accepted events that can be sent by others than timers.
    public final var acceptedFromOutside: [AcceptedEvent] {
        acceptedEvents.filter { !$0.sources.isSubset(of: .timers) }
    }

    /// The accepted events, as one bit for each in the catalogue; nil where there are more than 64.
    public final var acceptedMask: UInt64? { withFlightMarkIfClear(.read) { kind.paths.accepted(self) } }

    /// The state's data as JSON, as it is saved: timers to the nanosecond.
    open func stateData() throws -> JSON { abstract() }
    /// The state's data as JSON, as it is shown: timers in whole milliseconds, rounded up.
    open func shownData() throws -> JSON { abstract() }

    /// Effects that its steps have requested and that are not done yet.
    open var outbox: Outbox? { abstract() }
    /// The sessions that run for its state.
    open var children: [ChildSession] { abstract() }
    /// Stores with its state the stage of a child that was reported; nil if the child no longer exists.
    open func setStage(_ stage: ChildSession.Stage?, ofChild id: String) { abstract() }
    /// The output that its final state hands to the session that waits for it; nil for its data.
    open var output: JSON? { abstract() }

    /// Puts the session into a state, regardless of its flow's transitions. Timers start afresh unless the data has their remainders.
    open func force(
        _ state: String, data: JSON, from source: EventSource = .ui, by actor: ActorNumber = .none
    ) throws(Refusal) { abstract() }

    /// Records something that has not changed the session's state.
    final func recordUnchanged(_ cause: HistoryEntry.Cause, _ detail: HistoryEntry.Detail) {
        kind.watcher?.record(
            self,
            HistoryEntry(from: stateIndex, to: stateIndex, cause: cause, detail: detail, at: timekeeper.now, version: version))
    }

    // MARK: Timers

    /// Its state's timers, the oldest first, including finished ones. The new timers of a step that waits for a hook are not among them.
    package final var ownTimers: [StateTimer] {
        guard phase == .waiting else { return timers }
        let isOfWaitingStep = waitingStepTest()
        return timers.filter { !isOfWaitingStep($0) }
    }

    /// Visits them, the youngest first.
    package final func forEachOwnTimer(_ body: (StateTimer) -> Void) {
        guard phase == .waiting else { return forEachTimer(body) }
        let isOfWaitingStep = waitingStepTest()
        forEachTimer { if !isOfWaitingStep($0) { body($0) } }
    }

    /// Finds out whether only the step that waits for a hook has a timer.
    func waitingStepTest() -> (StateTimer) -> Bool { abstract() }

    // MARK: Waiting events

    /// Events that were acknowledged and are not handled yet.
    package var waitingEvents: [WaitingEvent] { abstract() }
    /// Queues waiting events again after a restart. Those that waited for a hook are handled by `resumeWaitingEvents`.
    func restore(_ events: [WaitingEvent], away: Duration) throws { abstract() }

    /// The postponed events, in the order in which they are offered again.
    open var postponed: [PostponedEvent] { abstract() }

    /// The number of the last event that was postponed; 0 before the first.
    package var lastPostponed: Int {
        get { abstract() }
        set { abstract() }
    }

    /// Takes a postponed event back. Returns its name, or nil if no postponed event has that number.
    open func withdraw(postponed number: Int, from source: EventSource = .ui, by actor: ActorNumber = .none) -> String? {
        abstract()
    }

    /// Withdraws an event that still waits: its sender has waited this long.
    public func withdraw(_ receipt: EventReceipt, after limit: Duration) { abstract() }

    /// Tells the sender of the event that was just sent its later outcome. The event's first outcome was `waiting` or `queued`.
    open func attach(_ receipt: EventReceipt, toEventWith outcome: Outcome) { abstract() }

    /// The events that were sent with ids; nil if no event was, which is nearly always so.
    package var sent: SentEvents? {
        get { abstract() }
        set { abstract() }
    }

    /// The text that hooks and work have stored for the session; nil if nothing is stored.
    package var savedText: String? {
        get { abstract() }
        set { abstract() }
    }

    /// The session continues in another process: this one reports nothing more about the events that wait.
    package func leaves() { abstract() }

    /// Handles the events that waited for a hook before a restart.
    package func resumeWaitingEvents() { abstract() }

    private func abstract() -> Never {
        preconditionFailure("every machine is a Machine of some flow")
    }
}

// MARK: - A machine's phase and flags, packed into one byte

@usableFromInline
enum MachinePhase: UInt8 {
    /// Ready for an event.
    case idle
    /// Handling an event; further ones queue.
    case handling
    /// Waiting for an asynchronous hook; further events queue.
    case waiting
}

@usableFromInline
struct MachineFlags {
    @usableFromInline var bits: UInt8 = 0

    @inlinable
    init() {}

    @inlinable var phase: MachinePhase {
        get { MachinePhase(rawValue: bits & 3) ?? .idle }
        set { bits = bits & ~3 | newValue.rawValue }
    }

    /// The owner's number, in five bits.
    @inlinable var stamp: UInt8 {
        get { bits >> 3 }
        set { bits = bits & 7 | newValue << 3 }
    }

    /// Whether its kind has extras for it.
    @inlinable var hasExtras: Bool {
        get { bits & 4 != 0 }
        set { bits = bits & ~4 | (newValue ? 4 : 0) }
    }
}

// MARK: - Names by number: the declared ones first, then others in order of appearance.

/// Finds a name's number, in a few nanoseconds if the name is the same literal each time, as a typed state's is.
struct NameList {
    private static let shortList = 16
    /// Machines store an index in two bytes. The limit also keeps a flow that makes up names from filling the memory.
    static let maxNames = Int(unnumbered)
    /// Bytes of the names that are not declared, for the same reason.
    static let maxBytes = 16 << 20
    /// The index of all names beyond the limits, which are not kept: each session knows its own.
    static let unnumbered = UInt32(UInt16.max)
    /// Stands for such a name where no session can be asked for it.
    static let otherName = "(one of too many states)"

    private(set) var names: [String]
    private var indices: [String: Int]
    /// The bytes of those that were added.
    private var addedBytes = 0

    init(_ names: [String]) {
        self.names = names
        indices = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    /// Names that are mostly read, by their index.
    init(record names: [String]) {
        self.names = names
        indices = [:]
    }

    subscript(index: UInt32) -> String? { index < names.count ? names[Int(index)] : nil }

    /// A record of names, of which few are ever looked for, has no indices.
    func find(_ name: String) -> Int? { indices[name] ?? (indices.count < names.count ? names.firstIndex(of: name) : nil) }

    /// The name's number; a new name gets the next one, which `onAdded` is called for, or `unnumbered` beyond the limits.
    mutating func index(of name: String, onAdded: () -> Void = {}) -> UInt32 {
        // Equal texts that are not identical are found by hash, which takes ten times as long.
        for index in 0..<min(names.count, Self.shortList) where names[index].isIdentical(to: name) {
            return UInt32(truncatingIfNeeded: index)
        }
        if let index = find(name) { return UInt32(truncatingIfNeeded: index) }
        guard names.count < Self.maxNames, addedBytes + name.utf8.count <= Self.maxBytes else { return Self.unnumbered }
        addedBytes += name.utf8.count
        names.append(name)
        indices[name] = names.count - 1
        onAdded()
        return UInt32(truncatingIfNeeded: names.count - 1)
    }
}

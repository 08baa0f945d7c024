// A daemon's sessions, by name.

import GameFlow
import Memory

/// Begins, finds and ends sessions.
package final class Sessions: MachineWatcher {
    /// The limits of a daemon's sessions.
    package struct Limits {
        package var sessions = 10_000_000
        package var nameLength = SessionName.maxLength
        /// For how long a drop can be taken back.
        package var undo = Duration.seconds(10)

        package init(
            sessions: Int = 10_000_000, nameLength: Int = SessionName.maxLength, undo: Duration = .seconds(10)
        ) {
            self.sessions = sessions
            self.nameLength = nameLength
            self.undo = undo
        }
    }

    package let timekeeper: Timekeeper
    /// The daemon around it, which lives longer.
    package unowned var delegate: (any SessionDelegate)?
    package var flows: [FlowKind] { flowTable.hosted }
    package var limits = Limits() { didSet { undoableDrops.limit = limits.undo } }
    /// Records what happens to sessions; nil if nothing survives a restart.
    @exclusivity(unchecked) package var recorder: (any SessionRecorder)? { didSet { recorder?.expiries = expiries } }
    /// The sessions that expire; nil if none do.
    var expiries: Expiries? { didSet { recorder?.expiries = expiries } }
    /// Holds the sessions that recovery set aside; nil without persistence. A weak reference would make each retain of it slower.
    package unowned var persistence: (any SessionPersistence)?
    /// Records which session is being handled, for quarantine after a trap; nil if that is not wanted.
    package var flightRecorder: FlightRecorder? {
        didSet { for kind in flowTable.all { kind.flight = flightRecorder } }
    }
    /// Sessions that could not be restored, or moved to a flow that has changed, and why.
    package var setAsideSessions = SetAsideSessions()
    @exclusivity(unchecked) var observers = SessionObservers()
    /// Sessions that were dropped while they were set aside.
    var setAsideDropCount = 0
    var flowTable = FlowTable()
    /// Does what steps have asked for.
    let effects: EffectRunner
    /// The session that is just being made, which has no slot yet.
    var sessionBeingCreated: (name: ByteString, parent: String?)?
    @exclusivity(unchecked) var table = SessionTable()
    @exclusivity(unchecked) var log: EventLog
    package let actors = ActorTable()
    /// The sessions that were dropped last.
    var undoableDrops = UndoableDrops()
    var lifeCounter = LifeCounter()

    package init(on timekeeper: Timekeeper, flows: [FlowKind], history: History.Limits = History.Limits()) {
        self.timekeeper = timekeeper
        log = EventLog(history)
        effects = EffectRunner(on: timekeeper)
        super.init()
        effects.attach(to: self)
        for flow in flows where flowTable[flow.name] == nil { host(flow) }
        // Retained: a weak reference would give the runner a side table, and each retain of it would cost four times as much.
        timekeeper.betweenTimers { [effects] in effects.run() }
    }

    deinit {
        effects.attach(to: nil)
        for kind in flowTable.all { kind.watch(nil) }
        table.freeMemory()
        log.freeMemory()
        observers.freeMemory()
    }

    // MARK: Finding

    package var count: Int { table.count }

    /// Whether there is no room for another session: by the limit, or in the table.
    package var isFull: Bool { count >= limits.sessions || table.isFull }

    /// Why there is no room. More sessions than the limit exist where it was lowered since.
    package var limitProblem: String { "limit of \(min(count, limits.sessions)) sessions reached" }

    /// Whether there is no room for this session. One that was set aside while the daemon ran still has its slot.
    package func isFull(for session: SetAsideSession) -> Bool { session.isInMemory ? count >= limits.sessions : isFull }

    /// `slot` is the hint that its request got from `prefetch`.
    package func find(_ name: ByteView, hint slot: UInt32 = SessionTable.noSlot) -> Session? {
        guard table.isRight(hint: slot), let machine = table.records[slot].machine else { return find(withoutHint: name) }
        assert(table.records[slot].name.equals(name.bytes), "the hint is for another name")
        return Session(machine, in: self)
    }

    /// Apart: with the whole search in it, finding by a hint would copy the table's head first.
    private func find(withoutHint name: ByteView) -> Session? {
        guard let slot = table.find(name), let machine = table.records[slot].machine else { return nil }
        table.prefetchTimer(of: machine)
        return Session(machine, in: self)
    }

    /// Prefetches the sessions of these names. Each gets a hint, with which it is found faster.
    package func prefetch(_ names: Span<ByteView>, hints: inout MutableSpan<UInt32>) { table.prefetch(names, hints: &hints) }

    package func find(_ name: String) -> Session? { name.utf8Span.span.withUnsafeBytes { find(ByteView($0)) } }

    package func find(_ name: ByteString) -> Session? { name.withBytes { find(ByteView($0)) } }

    package func find(inSlot slot: UInt32) -> Session? {
        slot < table.used ? table.records[slot].machine.map { Session($0, in: self) } : nil
    }

    package subscript(name: String) -> AnyMachine? { find(name)?.machine }

    // MARK: Flows

    package func flow(named name: String) -> FlowKind? { flowTable[name] }

    /// Every kind that has sessions, or can have some.
    package var countedKinds: [FlowKind] { flowTable.all }

    /// Statistics of retired kinds, by the flow's name.
    package var retiredStatistics: [String: RetiredKindStatistics] { flowTable.retiredStatistics }

    package var flowChanges: Int { flowTable.changes }

    /// Changes with every change of flows, and with the sessions that it moves, sets aside or brings back.
    package var flowSignature: [Int] { [flowChanges, flowTable.retiring.count, setAsideSessions.count, flows.count] }

    /// How often this has happened since the start.
    package func count(of what: HistoryEntry.Kind) -> Int {
        Int(flowTable.count(of: what)) + (what == .dropped ? setAsideDropCount : 0)
    }

    // MARK: Scanning

    /// Sessions from a cursor on, in the order of their slots, and the next cursor (0 at the end).
    package func scan(from cursor: Int, atMost limit: Int) -> (sessions: [Session], next: Int) {
        guard cursor >= 0, cursor < Int(table.used) else { return ([], 0) }
        let end = min(Int(table.used), cursor + limit)
        return ((cursor..<end).compactMap { find(inSlot: UInt32($0)) }, end == Int(table.used) ? 0 : end)
    }

    package var all: [Session] { (0..<table.used).compactMap(find(inSlot:)) }

    // MARK: For sessions

    /// For people; empty once the session has been dropped.
    package override func name(of machine: AnyMachine) -> String {
        withName(of: machine) { String(decoding: $0, as: UTF8.self) }
    }

    package override func name(of actor: ActorNumber) -> String? { actors.name(actor) }

    package override func actor(named name: String) -> ActorNumber { actors.number(of: name, .session) }

    /// Returns the name of the session that created it; nil if no session did, or that session no longer exists.
    package override func parent(of machine: AnyMachine) -> String? {
        guard owns(machine) else { return machine.tag == FlightMark.noSlot ? sessionBeingCreated?.parent : nil }
        return effects.family.link(of: reference(to: machine))?.parent
    }

    /// The name's bytes, empty once the session has been dropped.
    package func withName<Result>(of machine: AnyMachine, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard owns(machine) else {
            if machine.tag == FlightMark.noSlot, let sessionBeingCreated { return sessionBeingCreated.name.withBytes(body) }
            return body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return table.records[machine.tag].name.withBytes(body)
    }

    /// The session's life; 0 once it has been dropped.
    package func life(of machine: AnyMachine) -> Life { owns(machine) ? table.records[machine.tag].life : 0 }

    /// Records everything that happens to a session: in its history, with the recorder, and with the observers. Nothing else does.
    package override func record(_ entry: borrowing HistoryEntry, of machine: AnyMachine) {
        guard owns(machine) else { return }
        if hasPendingPayload, let payload = takePayload(machine, entry.cause) {
            record(entry.with(payload: payload.kept), machine)
        } else {
            record(entry, machine)
        }
    }

    private func record(_ entry: borrowing HistoryEntry, _ machine: AnyMachine) {
        machine.kind.borrowedStatistics.with { $0.record(entry) }
        if entry.detail != nil { countDetailedEntry(entry, machine) }
        if expiries != nil { updateExpiry(entry, machine) }
        let encoded = log.encode(entry, of: machine.tag, machine.kind)
        var number = EntryNumber(serial: log.nextSerial, seq: seq(of: machine))
        if encoded.entry.mayRepeat {
            number = log.number(
                ofRepeatable: encoded, number, at: entry.at, after: table.records[machine.tag].latest, machine.kind)
        }
        if let recorder { record(encoded, of: machine, number, in: recorder) }
        if number.times == 1 {
            table.records[machine.tag].latest = log.append(
                encoded, at: entry.at, number, after: table.records[machine.tag].latest)
        }
        if !observers.isEmpty, observers.observe(machine.tag) || entry.kind == .dropped {
            notifyObservers(of: entry, machine)
        }
        if !effects.family.isEmpty { effects.scheduleCompletionCheck(of: reference(to: machine)) }
    }

    /// Not inlined: it takes the name's address, which makes a function check its stack.
    @inline(never)
    private func record(
        _ encoded: EncodedEntry, of machine: AnyMachine, _ number: EntryNumber, in recorder: any SessionRecorder
    ) {
        let record = table.records[machine.tag]
        record.name.withStored { recorder.record(encoded, of: machine, named: $0, life: record.life, number: number) }
    }

    /// Counts session events other than a plain accepted event.
    private func countDetailedEntry(_ entry: borrowing HistoryEntry, _ machine: AnyMachine) {
        let what = entry.kind
        if !what.isChange { log.countUnversioned(machine.tag) }
        if what == .paused, entry.cause.source == .timer { delegate?.sessionClockDidStop(Session(Borrowed(machine), in: self)) }
    }

    /// The number of the latest thing that happened to the session, counted within its life.
    func seq(of machine: AnyMachine) -> UInt32 { log.seq(machine.tag, version: machine.version) }

    // MARK: Observers

    /// Notifies the observer from now on.
    package func add(_ observer: SessionObserver) { observers.add(observer) }

    package func remove(_ observer: SessionObserver) { observers.remove(observer) }

    /// Notifies the observers of the session in this slot again.
    package func resumeObserving(_ slot: UInt32) { observers.resume(slot) }

    /// Notifies the observers of every session again.
    package func resumeObservingAll() { observers.resumeAll() }

    /// An observer may remove itself meanwhile, and no other.
    private func notifyObservers(of entry: borrowing HistoryEntry, _ machine: AnyMachine) {
        let session = Session(Borrowed(machine), in: self)
        var isObserved = false
        for observer in observers.uncounted.reversed() {
            if observer.with({ $0.session(session, didRecord: entry) }) == .stays { isObserved = true }
        }
        if !isObserved { observers.mute(machine.tag) }
    }

    package override func limitHooks(_ end: @escaping (_ limit: Duration) -> Void) -> AnyObject? { delegate?.limitHooks(end) }

    /// Delivers emissions and log lines at once, and schedules effects for after the step.
    package override func collect(_ outgoing: Outbox, from machine: AnyMachine) {
        guard owns(machine) else { return }
        let session = Session(Borrowed(machine), in: self)
        for emission in outgoing.emissions {
            for observer in observers.all { observer.session(session, didEmit: emission) }
        }
        for line in outgoing.logs { delegate?.session(session, didLog: line) }
        (outgoing.emissions, outgoing.logs) = ([], [])
        guard outgoing.effectCount > 0 else { return }
        effects.scheduleEffects(outgoing.effectCount, of: reference(to: machine))
    }

    /// Notifies the observers that a session has arrived, or leaves.
    func notifyObservers(ofResidenceOf session: Session, isHere: Bool) {
        for observer in observers.all { observer.session(session, didChangeResidence: isHere) }
    }

    /// How many of the newest entries are certainly stored.
    package var storedEntries: UInt64 {
        get { log.storedEntries }
        set { log.storedEntries = newValue }
    }

    package var hasObservers: Bool { !observers.isEmpty }

    /// Records a session as it is now: what waits has changed, or its timers.
    package override func recordImage(of machine: AnyMachine) {
        guard let recorder, owns(machine) else { return }
        let (record, seq) = (table.records[machine.tag], seq(of: machine))
        record.name.withStored { recorder.recordImage(of: machine, named: $0, life: record.life, seq: seq) }
    }

    /// Whether the machine belongs to a session: not while it is being made, nor after the session was dropped.
    package func owns(_ machine: AnyMachine) -> Bool {
        machine.tag < table.used && table.records[machine.tag].machine == Borrowed(machine)
    }
}

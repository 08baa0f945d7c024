// The registry as the host of the effect runner.

import GameFlow
import Memory
import Timers

extension Sessions: EffectHost {
    var isRecording: Bool { recorder != nil }

    var hasEffectBudget: Bool { delegate?.mayPerformEffect() ?? true }

    func setAsideError(_ name: String) -> SessionError? { setAsideSessions[ByteString(name)]?.error }

    func beginChild(_ name: String, _ flow: String, _ context: JSON, of parent: String, _ link: ParentLink) throws(SessionError)
    {
        guard let kind = self.flow(named: flow) else { throw .noFlow(flow, flows) }
        let data: JSON? = context == .null || context == .object([]) ? nil : ["context": context]
        _ = try begin(
            ByteString(name), kind, data, from: .orchestrator, by: actor(named: parent),
            as: NewChild(link: link, parent: parent))
    }

    func didBecomeChild(_ session: SessionReference) { expiries?.remove(session.slot) }

    func drop(_ session: Session, by parent: String) {
        _ = session.nameBytes.withBytes { drop(ByteView($0), by: actor(named: parent), from: .orchestrator) }
    }

    func dropSetAside(_ name: String, by parent: String) {
        dropSetAside(ByteString(name), DropOrigin(actor: actor(named: parent), source: .orchestrator))
    }

    func sessionWillReceive(_ machine: AnyMachine) { delegate?.sessionWillReceive(machine) }

    func messagesDidStop(_ sentence: String) { delegate?.messagesDidStop(sentence) }
}

/// A child that is about to begin.
struct NewChild {
    let link: ParentLink
    /// Its parent's name.
    let parent: String
}

// MARK: For the journal

extension Sessions {
    /// Messages that one step may lead to, over all sessions.
    package static var maxMessages: Int { EffectRunner.maxMessages }

    /// Events that sessions have sent each other.
    package var messages: MessageCounts { effects.counts }

    /// Brings messages to sessions that are kept apart; nil if all are together.
    package var mail: (any MailTransport)? {
        get { effects.mail }
        set { effects.mail = newValue }
    }

    /// Does what a message from a session that is kept apart says.
    package func apply(_ message: Message) { effects.apply(message) }

    /// Finds the children and the parents of all sessions that have come back since the last call.
    package func relinkReturned() { effects.relinkReturned(atMost: .max) }
}

// MARK: - A session by its slot and its life

/// Refers to a session without keeping it.
struct SessionReference: Hashable {
    let slot: UInt32
    let life: Life
}

extension Sessions {
    func reference(to machine: AnyMachine) -> SessionReference {
        SessionReference(slot: machine.tag, life: table.records[machine.tag].life)
    }

    /// Nil once it is gone.
    func session(_ reference: SessionReference) -> Session? {
        guard reference.slot < table.used, table.records[reference.slot].life == reference.life else { return nil }
        return table.records[reference.slot].machine.map { Session($0, in: self) }
    }
}

// MARK: - Recording images without a history entry

extension Sessions {
    /// Records every session with a running timer. Called after virtual time was advanced: it does not pass while the daemon is down, so the records
    /// need the current remaining times.
    package func recordRunningTimers() { _ = recordRunningTimers(from: 0, atMost: Int(table.used)) }

    /// The same for `count` slots, starting at `slot`. Returns the next slot, or 0 at the end.
    package func recordRunningTimers(from slot: Int, atMost count: Int) -> Int {
        guard recorder != nil else { return 0 }
        let (sessions, next) = scan(from: slot, atMost: count)
        for session in sessions where hasTime(session.machine) { recordImage(of: session.machine) }
        return next
    }

    /// Whether time brings something about.
    private func hasTime(_ machine: AnyMachine) -> Bool {
        machine.timers.contains { $0.deadline != nil } || expiries?[machine.tag] != nil
    }
}

// MARK: - Sessions that go on elsewhere: another node has them now

extension Sessions {
    /// Forgets the session in this slot, if there is one. Nothing about it has changed, so nothing is recorded.
    package func evict(_ slot: UInt32) {
        guard slot < table.used, let session = session(at: slot) else { return }
        notifyObservers(ofResidenceOf: session, isHere: false)
        session.machine.leaves()
        effects.evict(reference(to: session.machine))
        expiries?.remove(slot)
        table.remove(slot)
        observers.resume(slot)
    }

    /// Tells the observers of the session in this slot, if there is one, which has come from elsewhere.
    package func notifyObserversOfArrival(_ slot: UInt32) {
        guard slot < table.used, let session = session(at: slot) else { return }
        observers.resume(slot)
        notifyObservers(ofResidenceOf: session, isHere: true)
    }

    /// The session in this slot, if there is one.
    package func find(inSlot slot: UInt32) -> Session? { slot < table.used ? session(at: slot) : nil }

    /// Forgets those of these that were set aside.
    package func evict(setAside names: some Sequence<ByteString>) {
        for name in names {
            guard let session = setAsideSessions.removeValue(forKey: name) else { continue }
            // One that was set aside while the daemon ran still has its slot.
            if let reserved = session.reserved { table.freeReserved(reserved.slot) }
        }
    }
}

// MARK: - The histories of sessions, as they are read.

extension Sessions {
    /// The newest entries of a session's history that have happened, or happened again, after the number `seq`, the newest first. `wall` is the
    /// wall clock now, in nanoseconds since 1970.
    func historyTexts(of machine: AnyMachine, _ count: Int, after seq: UInt32, at wall: Int64) -> [HistoryEntryText] {
        history(of: machine, count, after: seq).map { HistoryEntryText($0, of: machine.kind, in: self, at: wall) }
    }

    /// The same for a session of that name that was set aside while the daemon ran, or else for the last one that was dropped. Returns nil if there
    /// is no such session, or all of its entries were overwritten.
    package func historyTexts(ofGone name: ByteString, _ count: Int, at wall: Int64) -> [HistoryEntryText]? {
        guard let (entries, flow) = history(ofSetAside: name, count) ?? history(ofDropped: name, count) else { return nil }
        return entries.map { HistoryEntryText($0, of: flow, in: self, at: wall) }
    }

    /// Whether all that has happened to the session after the number `seq` is kept.
    func hasAll(of machine: AnyMachine, after seq: UInt32) -> Bool {
        chain(of: machine).map { log.isComplete(after: seq, of: $0) } ?? false
    }

    func history(of machine: AnyMachine, _ count: Int, after seq: UInt32 = 0) -> [PastEntry] {
        chain(of: machine).map { log.newest(count, of: $0, machine.kind, after: seq) } ?? []
    }

    /// Of the last session of that name that was dropped; nil if nothing is left.
    private func history(ofDropped name: ByteString, _ count: Int) -> (entries: [PastEntry], flow: FlowKind)? {
        guard let (chain, flow) = log.chain(ofDropped: name) else { return nil }
        let kind = flowTable.newest(ofFlow: flow)
        return (log.newest(count, of: chain, kind), kind)
    }

    package func hasDropped(_ name: ByteString) -> Bool { log.hasDropped(name) }

    /// Of a session that was set aside while the daemon ran; nil of another one.
    private func history(ofSetAside name: ByteString, _ count: Int) -> (entries: [PastEntry], flow: FlowKind)? {
        guard let reserved = setAsideSessions[name]?.reserved else { return nil }
        let kind = flowTable.newest(ofFlow: reserved.flow)
        return (log.newest(count, of: log.chain(of: reserved.slot, latest: reserved.latest), kind), kind)
    }

    /// The latest change of state that the history still has.
    func latestMove(of machine: AnyMachine) -> HistoryEntry? {
        chain(of: machine).flatMap { log.latestMove(of: $0, machine.kind) }
    }

    /// Whether nothing but ticks has changed the session since it had this version.
    func hasOnlyTicked(_ machine: AnyMachine, since version: UInt32) -> Bool {
        chain(of: machine).map { log.hasOnlyTicked($0, since: version) } ?? false
    }

    private func chain(of machine: AnyMachine) -> EventLog.Chain? {
        owns(machine) ? log.chain(of: machine.tag, latest: table.records[machine.tag].latest) : nil
    }
}

extension HistoryEntryText {
    /// `wall` is the wall clock now, in nanoseconds since 1970.
    init(_ past: PastEntry, of flow: FlowKind, in sessions: Sessions, at wall: Int64) {
        let entry = past.entry
        func wallTime(_ instant: Instant) -> Int64 { wall - instant.duration(to: sessions.timekeeper.now).wholeNanoseconds }
        self.init(
            seq: Int(past.seq), version: Int(entry.version), at: wallTime(entry.at), kind: entry.kind,
            source: entry.cause.source, event: entry.eventName(in: flow), payload: entry.payload,
            timer: flow.timerName(at: entry.cause.timer), from: flow.stateName(at: entry.from),
            to: flow.stateName(at: entry.to), code: entry.refused?.code, refused: entry.refused?.sentence,
            accepted: entry.accepted(in: flow), actor: sessions.actors.name(entry.cause.actor), definition: past.definition,
            repeats: past.repetition.map {
                Repeats(
                    times: Int($0.times), lastAt: wallTime($0.lastAt), lastSeq: Int($0.lastSeq),
                    lastVersion: Int($0.lastVersion))
            })
    }
}

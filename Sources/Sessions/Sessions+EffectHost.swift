// The registry as the host of the effect runner.

import GameFlow
import Memory

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

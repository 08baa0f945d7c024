// How sessions begin and end.

import GameFlow
import Memory
import Texts

extension Sessions {
    /// Begins a session, in the flow's initial state or in the one named by the data.
    package func begin(
        _ name: ByteString, _ flow: FlowKind, _ data: JSON?, from source: EventSource, by actor: ActorNumber = .none
    ) throws(SessionError) -> Session {
        try begin(name, flow, data, from: source, by: actor, as: nil)
    }

    func begin(
        _ name: ByteString, _ flow: FlowKind, _ data: JSON?, from source: EventSource, by actor: ActorNumber,
        as child: ParentLink?
    ) throws(SessionError) -> Session {
        guard find(name) == nil else { throw SessionError(.exists, "session '\(name.text.shortened)' already exists") }
        if let session = setAsideSessions[name] { throw session.error }
        guard !isFull else { throw SessionError(.limit, limitProblem) }
        try checkNewName(name)
        sessionBeingCreated = (name, child?.parent)
        defer { sessionBeingCreated = nil }
        let machine = try machine(flow, data)
        let session = admit(machine, as: name)
        if let child { effects.family.add(reference(to: machine), child) }
        session.record(.begun, payload: data?.kept, by: actor, from: source)
        machine.beginWork()
        return session
    }

    /// Throws unless a new session can have this name.
    private func checkNewName(_ name: ByteString) throws(SessionError) {
        let longest = min(limits.nameLength, SessionName.maxLength)
        guard (1...longest).contains(name.count) else {
            // No limit can be raised so that a name may be empty.
            throw SessionError(
                name.isEmpty ? .badName : .limit, "a session's name has 1 to \(longest) bytes, and not \(name.count)")
        }
        try name.checkAsNewName()
    }

    /// How to create the missing session of this name, or the rule for names that it breaks.
    package func adviceToCreate(_ name: ByteString) -> String {
        do throws(SessionError) {
            try checkNewName(name)
            return "NEW \(name.text.shellWord) FLOW creates one"
        } catch {
            return error.sentence
        }
    }

    package func adviceToCreate(_ name: String) -> String { adviceToCreate(ByteString(name)) }

    func admit(_ machine: AnyMachine, as name: ByteString) -> Session {
        let life = lifeCounter.next()
        recorder?.lastLife = life
        name.withBytes { _ = table.add(ByteView($0), machine, life) }
        log.begin(machine.tag)
        return Session(Borrowed(machine), in: self)
    }

    package func drop(_ name: ByteView, by actor: ActorNumber = .none, from source: EventSource = .ui) -> Bool {
        find(name).map { drop($0, by: actor, from: source) } ?? false
    }

    /// Returns false if the session was dropped before.
    @discardableResult
    package func drop(_ session: Session, by actor: ActorNumber = .none, from source: EventSource = .ui) -> Bool {
        guard owns(session.machine) else { return false }
        let parent = undoableDrops.isEnabled ? effects.family.parent(of: reference(to: session.machine)) : nil
        drop(session, asChildOf: parent, by: actor, from: source)
        return true
    }

    /// Drops a session that is here. `parent` is the session that had begun it; nil if none is known to have.
    func drop(_ session: Session, asChildOf parent: String?, by actor: ActorNumber, from source: EventSource) {
        let name = session.nameBytes
        let machine = undoableDrops.isEnabled ? session.machine : nil
        let creator = undoableDrops.isEnabled ? creator(of: session.machine) : .none
        session.record(.dropped, by: actor, from: source)
        log.recordDrop(of: name, session.machine.kind, creator: creator)
        delegate?.sessionWillEnd(name)
        let reference = reference(to: session.machine)
        end(reference.slot)
        if !effects.family.isEmpty {
            // Its children go with it, and its parent knows.
            let by = actors.name(actor).map { " by \($0)" } ?? ""
            let problem = SessionError(.noSession, "'\(name.text.shortened)' was dropped\(by)")
            effects.handleDrop(of: reference, name.text, because: problem)
        }
        // After its children, which go first where there is no room for all.
        if let machine { retainDrop(of: machine, named: name, asChildOf: parent) }
    }

    func end(_ slot: UInt32) {
        if let recorder { table.records[slot].name.withStored { recorder.drop(slot, named: $0) } }
        expiries?.remove(slot)
        table.remove(slot)
        // It may be another session's next.
        observers.resume(slot)
    }

    func machine(_ flow: FlowKind, _ data: JSON?) throws(SessionError) -> AnyMachine {
        do {
            return try data.map { try flow.begin(on: timekeeper, where: $0) } ?? flow.begin(on: timekeeper)
        } catch {
            throw SessionError(.badEvent, "\(error)")
        }
    }
}

// RESTART and UNDROP: sessions restart from their beginning, or return in the state in which they were dropped. Each is a new life of its name.

import GameFlow
import Memory
import Texts

extension Sessions {
    // MARK: From the beginning

    /// Restarts the session with these data, or else with those of its original parameters that still fit its flow. A parent
    /// keeps its child.
    package func restart(
        _ session: Session, _ data: JSON?, by actor: ActorNumber, from source: EventSource
    ) throws(SessionError) -> Session {
        let (old, name, reference) = (session.machine, session.nameBytes, reference(to: session.machine))
        guard let flow = flow(named: old.flowName) else { throw .noFlow(old.flowName, flows) }
        let data = data ?? old.beginning(in: flow)
        sessionBeingCreated = (name, parent(of: old))
        defer { sessionBeingCreated = nil }
        let machine = try machine(flow, data)
        machine.savedText = old.savedText
        let creator = creator(of: old)
        session.record(.dropped, by: actor, from: source, as: Self.restarting)
        log.recordDrop(of: name, old.kind, creator: creator)
        end(reference.slot)
        effects.dropChildren(of: reference, name.text)
        let link = effects.family.unlink(reference)
        let anew = admit(machine, as: name)
        if let link { effects.family.add(self.reference(to: machine), link) }
        anew.record(.begun, payload: data?.kept, by: actor, from: source, as: Self.restarting)
        delegate?.session(anew, didRestartFrom: reference.life)
        machine.beginWork()
        return anew
    }

    /// The commands, as histories have them.
    static let (restarting, takingBack) = ("RESTART", "UNDROP")

    // MARK: Undrop

    /// Begins the last session of that name that was dropped, and the children that went with it, where they were. A child alone is not restored:
    /// its parent no longer has a place for it, and could not begin the next child of that name.
    package func undrop(_ name: ByteString, by actor: ActorNumber, from source: EventSource) throws(SessionError) -> Session {
        guard find(name) == nil else {
            throw SessionError(
                .exists, "session '\(name.text.shortened)' exists; UNDROP restores one whose name is free")
        }
        if let session = setAsideSessions[name] { throw session.error }
        let drop = try keptDrop(name)
        guard !isFull else { throw SessionError(.limit, limitProblem) }
        let session = try begin(drop, by: actor, from: source)
        relinkReturned()
        return session
    }

    private func keptDrop(_ name: ByteString) throws(SessionError) -> UndoableDrops.Drop {
        let text = name.text.shortened
        guard let drop = undoableDrops.last(name) else {
            let rule =
                limits.undo > .zero
                ? "UNDROP restores one of the last \(UndoableDrops.maxCount), for \(limits.undo.written)"
                : "UNDROP restores none, since the limit undo-ms is 0"
            throw SessionError(.noSession, "there is no dropped session '\(text)'; \(rule)")
        }
        if let parent = drop.parent {
            throw SessionError(
                .noSession, "'\(text)' was a child of '\(parent.shortened)'; UNDROP restores a child only with its parent")
        }
        let ago = drop.at.duration(to: timekeeper.now)
        guard ago <= limits.undo else {
            throw SessionError(
                .noSession, "'\(text)' was dropped \(ago.written) ago, and a DROP can be undone for \(limits.undo.written)")
        }
        return drop
    }

    private func begin(_ drop: UndoableDrops.Drop, by actor: ActorNumber, from source: EventSource) throws(SessionError)
        -> Session
    {
        let name = drop.name
        guard let flow = flow(named: drop.flow) else { throw .noFlow(drop.flow, flows) }
        sessionBeingCreated = (name, nil)
        defer { sessionBeingCreated = nil }
        let machine: AnyMachine
        do { machine = try drop.machine(of: flow, on: timekeeper) } catch {
            throw SessionError(.generic, "'\(name.text.shortened)' cannot be restored to its state: \(error)")
        }
        _ = undoableDrops.remove(name)
        let session = admit(machine, as: name)
        session.record(.begun, payload: machine.beginningHere.kept, by: actor, from: source, as: Self.takingBack)
        beginChildren(drop.children, of: name, droppedAt: drop.at)
        effects.handleReturn(of: session)
        machine.beginWork()
        return session
    }

    /// One that is not kept, cannot begin, or is in another shard, is missed by its parent, as after a restart of the daemon.
    private func beginChildren(_ children: [String], of parent: ByteString, droppedAt instant: Instant) {
        for id in children {
            let name = ByteString(ChildName.make(id, below: parent.text))
            guard find(name) == nil, setAsideSessions[name] == nil, !isFull,
                let child = undoableDrops.last(name), child.at == instant, child.parent == parent.text
            else { continue }
            _ = try? begin(child, by: actor(named: parent.text), from: .orchestrator)
        }
    }

    // MARK: Keeping dropped sessions

    /// Dropped sessions of which something is kept. For tests.
    package var keptDrops: Int { undoableDrops.count }

    /// `parent` is the session that had begun it; nil if none had.
    func retainDrop(of machine: AnyMachine, named name: ByteString, asChildOf parent: String?) {
        let isFirst = undoableDrops.add(machine, named: name, asChildOf: parent)
        machine.tag = FlightMark.noSlot
        if isFirst { delegate?.dropDidBecomeRestorable() }
    }

    /// Forgets drops past the UNDROP limit. Returns the milliseconds until the next call; nil if there is no need for one.
    package func expireDrops() -> Int? { undoableDrops.removeExpired(on: timekeeper) }
}

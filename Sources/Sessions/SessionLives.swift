// How sessions begin and end.

import GameFlow
import Memory
import RESP
import Texts
import Timers

extension Sessions {
    /// Begins a session, in the flow's initial state or in the one named by the data.
    package func begin(
        _ name: ByteString, _ flow: FlowKind, _ data: JSON?, from source: EventSource, by who: String? = nil
    ) throws(CommandError) -> Session {
        try begin(name, flow, data, from: source, by: who, as: nil)
    }

    func begin(
        _ name: ByteString, _ flow: FlowKind, _ data: JSON?, from source: EventSource, by who: String?, as child: NewChild?
    ) throws(CommandError) -> Session {
        guard find(name) == nil else { throw CommandError(.exists, "there is a session '\(name.text.shortened)' already") }
        if let session = unrestored[name] { throw session.error }
        guard count < min(limits.sessions, SessionTable.mostSessions) else {
            throw CommandError(.limit, "there are \(count) sessions, as many as are allowed")
        }
        let longest = min(limits.nameLength, SessionName.longest)
        guard (1...longest).contains(name.count) else {
            throw CommandError(.limit, "a session's name has 1 to \(longest) bytes, and not \(name.count)")
        }
        try name.checkAsNewName()
        making = (name, child?.parentName)
        defer { making = nil }
        let machine = try machine(flow, data)
        name.withBytes { _ = table.add(Argument($0), machine, newLife()) }
        otherLines.set(machine.tag, 0)
        if let child { family.add(reference(to: machine), child.id, of: child.parent) }
        let session = Session(Borrowed(machine), in: self)
        session.note(.begun, payload: data?.kept, by: who, from: source)
        machine.beginWork()
        return session
    }

    func newLife() -> Life {
        let life = lifeCounter.next()
        recorder?.lastLife = life
        return life
    }

    /// The machine of the session in this slot, if there is one.
    package func machine(at slot: Int64) -> AnyMachine? {
        slot >= 0 && slot < table.used ? table.records[UInt32(slot)].machine?.object : nil
    }

    package func drop(_ name: Argument, by who: String? = nil, from source: EventSource = .ui) -> Bool {
        guard let slot = table.find(name), let session = session(at: slot) else { return false }
        session.note(.dropped, by: who, from: source)
        rememberDropped(ByteString(name.bytes), session.machine.kind, log.next - 1)
        // What was set aside has no parent.
        let lost = unrestored.isEmpty ? [] : session.machine.children + session.machine.childrenToDrop
        guard !family.isEmpty || !lost.isEmpty else {
            end(slot)
            return true
        }
        let (reference, text) = (reference(to: session.machine), session.name)
        // Its children go with it, and its parent knows: all of it or nothing.
        let held = recorder?.holdsTogether ?? false
        recorder?.holdsTogether = true
        end(slot)
        dropped(reference, text, by: who, lost: lost.map(\.id))
        recorder?.holdsTogether = held || !errands.isEmpty
        return true
    }

    private func end(_ slot: UInt32) {
        recorder?.drop(slot)
        table.remove(slot)
    }

    package func drop(_ session: Session) -> Bool {
        session.nameBytes.withBytes { drop(Argument($0)) }
    }

    func rememberDropped(_ name: ByteString, _ flow: FlowKind, _ serial: UInt64) {
        dropped.add(name, DroppedSessions.Ending(serial: serial, flow: flow.flowNumber), oldest: log.oldest)
    }

    private func machine(_ flow: FlowKind, _ data: JSON?) throws(CommandError) -> AnyMachine {
        do {
            return try data.map { try flow.begin(on: timekeeper, where: $0) } ?? flow.begin(on: timekeeper)
        } catch {
            throw CommandError(.badEvent, "\(error)")
        }
    }
}

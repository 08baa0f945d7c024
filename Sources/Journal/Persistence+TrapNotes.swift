// Crash notes: the session or command that trapped.

import GameFlow
import Memory
import Sessions
import Store
import Texts

extension Persistence {
    /// Returns nil if no session caused the trap. Called by another thread than the loop's. The loop's thread is halted in the code that trapped.
    func trapNote(of mark: FlightMark, _ commands: [FlightNames.Command]) -> TrapNote? {
        let ofRow = restorer?.withRowUnderWay { row in
            trapNote(ByteString(row.name), row.flow.string, life: row.life, version: row.version, mark, commands)
        }
        if let ofRow { return ofRow }
        if let session = session(of: mark) { return trapNote(session, mark, commands) }
        guard let (number, id, message) = mailroom?.underWay, let shard = shards[number] else { return nil }
        if case .begin(_, _, let invocation) = message.content {
            return TrapNote(shard, nil, taken: id, posted: loss(of: message, invocation))
        }
        return sessions.find(message.receiver).flatMap { trapNote($0, FlightMark(.work, of: $0.machine), commands) }
    }

    private func session(of mark: FlightMark) -> Session? {
        guard mark.slot != FlightMark.noSlot, let session = sessions.find(inSlot: mark.slot) else { return nil }
        return mark.stamp == 0 || mark.stamp == LifeCounter.stamp(of: session.life) ? session : nil
    }

    private func trapNote(_ session: Session, _ mark: FlightMark, _ commands: [FlightNames.Command]) -> TrapNote? {
        let machine = session.machine
        return trapNote(
            session.nameBytes, machine.kind.name, life: Int64(session.life), version: Int64(machine.version), mark, commands)
    }

    private func trapNote(
        _ name: ByteString, _ flow: String, life: Int64, version: Int64, _ mark: FlightMark, _ commands: [FlightNames.Command]
    ) -> TrapNote? {
        guard let shard = shards[shard(of: name)] else { return nil }
        let problem = FlightRecord.problem(mark, FlightNames(sessions.flows, commands), session: name.text, flow: flow)
        return TrapNote(shard, SavedVersion(name: name.text, life: life, version: version), problem: problem)
    }

    /// Notifies the parent of a child that cannot start. Otherwise the next owner of the shard would start it again.
    private func loss(of message: Message, _ invocation: UInt64) -> PostedMessage? {
        let child = message.receiver
        guard let id = ChildName.split(child)?.id else { return nil }
        let sentence = "the daemon died while '\(child.shortened)' began"
        let update = ChildUpdate(id, invocation, .lost(.setAside, sentence: sentence))
        let notice = Message(from: child, to: message.sender, after: message.hops + 1, .child(update))
        return PostedMessage(to: journal.map.shard(of: message.sender), notice.bytes)
    }
}

// The histories of sessions, as they are read.

import GameFlow
import RESP

extension Sessions {
    package func history(of machine: AnyMachine, _ count: Int) -> [PastLine] {
        isHere(machine) ? log.newest(count, of: machine.tag, from: latest(of: machine), machine.kind, editions) : []
    }

    /// The newest history lines of the last session of that name that was dropped, the newest first; nil if none are left.
    package func history(ofDropped name: ByteString, _ count: Int) -> (lines: [PastLine], flow: FlowKind)? {
        guard let ending = dropped[name], let slot = log.session(of: ending.serial) else { return nil }
        let flow = flowTable.newest(ofFlow: ending.flow)
        return (log.newest(count, of: slot, from: ending.serial, flow, editions), flow)
    }

    package func hasDropped(_ name: ByteString) -> Bool { dropped[name] != nil }

    /// The newest history lines of a session that was set aside while the daemon ran, the newest first; nil of another one.
    package func history(ofSetAside name: ByteString, _ count: Int) -> (lines: [PastLine], flow: FlowKind)? {
        guard let place = unrestored[name]?.image?.place else { return nil }
        let flow = flowTable.newest(ofFlow: place.flow)
        return (log.newest(count, of: place.slot, from: log.serial(place.latest), flow, editions), flow)
    }

    /// The latest change of state that the history still has.
    func latestMove(of machine: AnyMachine) -> Occurrence? {
        guard isHere(machine) else { return nil }
        return log.first(of: machine.tag, from: latest(of: machine), machine.kind, editions, where: \.entry.isMove)
    }

    /// Whether nothing but ticks has changed the session since it had this version.
    func hasOnlyTicked(_ machine: AnyMachine, since version: UInt32) -> Bool {
        isHere(machine) && log.hasOnlyTicked(machine.tag, since: version, from: latest(of: machine))
    }

    func latest(of machine: AnyMachine) -> UInt64 { log.serial(table.records[machine.tag].latest) }
}

// Sessions that a start has set aside are dropped: their histories can be read on, and their children are known by what is saved.

import GameFlow
import Memory
import Posix
import Sessions
import Store

extension Persistence {
    package func history(ofHeld name: ByteString) -> [HistoryEntryText]? {
        (held[name]?.lines ?? dropped[name])?.map { HistoryEntryText($0, of: sessions.flow(named: $0.flow)) }
    }

    package func drop(_ session: SetAsideSession, by actor: ActorNumber, from source: EventSource) -> [String] {
        guard let held = held[session.name] else {
            removeSetAside(session)
            return []
        }
        var lines = held.lines
        let last = held.lastLine(sessions.nextEntrySerial(), by: actor, from: source)
        journal.recordDrop(last)
        lines.append(StoredEntry(last, by: sessions.actors.name(actor), at: clock.moment.time.wallNanoseconds))
        dropped[session.name] = lines
        removeSetAside(session)
        return held.children
    }

    /// Its row and its history are gone.
    func removeSetAside(_ session: SetAsideSession) {
        held[session.name] = nil
        journal.drop(session)
    }
}

extension SetAsideRow {
    fileprivate func lastLine(_ serial: UInt64, by actor: ActorNumber, from source: EventSource) -> DropEntry {
        let newest = lines.last
        return withRow { row in
            DropEntry(
                slot: 0, name: name, life: row.knownLife, flow: flow, definition: newest?.definition, state: row.state.string,
                version: UInt32(truncatingIfNeeded: row.version),
                seq: UInt32(truncatingIfNeeded: max(newest?.seq ?? 0, row.seq)) &+ 1, serial: serial, source: source,
                actor: actor)
        }
    }

    /// What it calls the children that it has.
    fileprivate var children: [String] {
        guard let data = try? JSON(parsing: withRow { $0.data.string }) else { return [] }
        return ChildSession.ids(savedIn: data)
    }
}

extension StoredEntry {
    fileprivate init(_ last: DropEntry, by actor: String?, at wall: Int64) {
        (serial, name, at) = (last.serial, last.name, wall / 1_000_000)
        (source, self.actor, kind) = (last.source.name, actor, .dropped)
        (from, to, version, seq) = (last.state, last.state, last.version, Int64(last.seq))
        (flow, definition, life) = (last.flow, last.definition, Int64(last.life))
        (event, timer, code, facts, payload, repeats) = (nil, nil, nil, nil, nil, nil)
    }
}

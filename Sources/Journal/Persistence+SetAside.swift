// Drops sessions that a start has set aside. Their histories stay readable, and their children are found by the saved data.

import GameFlow
import Memory
import Posix
import Sessions
import Store

extension Persistence {
    package func history(ofHeld name: ByteString) -> [HistoryEntryText]? {
        (held[name]?.lines ?? dropped[name])?.map { HistoryEntryText($0, of: sessions.flow(named: $0.names.flow)) }
    }

    package func drop(
        _ session: SetAsideSession, by actor: ActorNumber, from source: EventSource
    ) -> (children: [String], last: DropEntry?) {
        guard let held = held[session.name] else {
            removeSetAside(session)
            return ([], nil)
        }
        var lines = held.lines
        let last = held.lastLine(sessions.nextEntrySerial(), by: actor, from: source)
        journal.recordDrop(last)
        lines.append(StoredEntry(last, by: sessions.actors.name(actor), at: clock.moment.time.wallNanoseconds))
        dropped[session.name] = lines
        removeSetAside(session)
        return (held.children, last)
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
                slot: 0, name: name, life: row.knownLife, flow: flow, definition: newest?.names.definition,
                state: row.state.string, version: UInt32(truncatingIfNeeded: row.version),
                seq: UInt32(truncatingIfNeeded: max(newest?.seq ?? 0, row.seq)) &+ 1, serial: serial, source: source,
                actor: actor)
        }
    }

    /// The ids that the session has for its children.
    fileprivate var children: [String] {
        guard let data = try? JSON(parsing: withRow { $0.data.string }) else { return [] }
        return ChildSession.ids(savedIn: data)
    }
}

extension StoredEntry {
    fileprivate init(_ last: DropEntry, by actor: String?, at wall: Int64) {
        self.init(
            serial: last.serial, name: last.name, life: Int64(last.life), seq: Int64(last.seq), version: last.version,
            at: wall / 1_000_000, kind: .dropped,
            names: EntryNames(
                flow: last.flow, source: last.source.name, from: last.state, to: last.state, definition: last.definition,
                actor: actor))
    }
}

// MARK: - Sessions that a start has set aside are tried again

extension Persistence {
    /// Restores the session in a free slot. If it traps, the next start finds it quarantined.
    package func retry(_ session: SetAsideSession) throws -> RestoredMachine {
        let held = try held(session)
        let restored = try machine(restoring: held, on: sessions.timekeeper)
        let machine = restored.machine
        sessions.setAsideSessions[session.name] = nil
        // Both rows have the same name: the old one is dropped before the new one is recorded.
        removeSetAside(session)
        sessions.readmit(held, machine)
        sessions.restoreHistory(held.lines, of: machine, at: clock.moment.time.wallNanoseconds)
        sessions.relinkReturned()
        machine.resumeWaitingEvents()
        return restored
    }

    /// Throws if this kind would not restore it.
    package func tryToRestore(_ session: SetAsideSession, as kind: FlowKind) throws -> [LostPart] {
        let still = Timekeeper(VirtualClock(startingAt: sessions.timekeeper.now))
        return try machine(restoring: held(session), as: kind, on: still).lost
    }

    private func held(_ session: SetAsideSession) throws -> SetAsideRow {
        guard let held = held[session.name] else {
            throw RestorationError("there is another session of that name, or its row cannot be read before the next start")
        }
        return held
    }

    /// With the kind that is hosted, unless another one is given.
    private func machine(
        restoring held: SetAsideRow, as kind: FlowKind? = nil, on timekeeper: Timekeeper
    ) throws -> RestoredMachine {
        guard sessions.find(held.name) == nil else { throw RestorationError("there is another session of that name") }
        try SessionName.checkLength(ofStored: held.name.count)
        let moment = clock.moment
        return try held.withRow { row in
            var image = try row.image(at: moment)
            let machine = try sessions.machine(
                restoring: row, &image, of: try kind ?? sessions.hosted(held.flow), late: sessions.nanoseconds(since: moment),
                on: timekeeper)
            return (machine, image.lostParts(in: machine))
        }
    }
}

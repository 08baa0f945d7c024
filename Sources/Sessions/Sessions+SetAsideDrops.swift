// Sessions that were set aside are dropped like any others: with a last entry in their history, and together with their children.

import GameFlow
import Memory

/// The last entry of a dropped session, which no longer has a machine.
package struct DropEntry {
    /// Where its other entries are.
    package let slot: UInt32
    package let name: ByteString
    package let life: Life
    package let flow: String
    /// The definition under which it came about; nil for a flow that is part of the program.
    package let definition: String?
    package let state: String
    package let version: UInt32
    package let seq: UInt32
    package let serial: UInt64
    package let source: EventSource
    package let actor: ActorNumber

    package init(
        slot: UInt32, name: ByteString, life: Life, flow: String, definition: String?, state: String, version: UInt32,
        seq: UInt32, serial: UInt64, source: EventSource, actor: ActorNumber
    ) {
        (self.slot, self.name, self.life, self.flow, self.definition) = (slot, name, life, flow, definition)
        (self.state, self.version, self.seq, self.serial) = (state, version, seq, serial)
        (self.source, self.actor) = (source, actor)
    }
}

extension DropEntry {
    /// The same in words. `wall` is the wall clock now, in nanoseconds since 1970.
    package func text(in sessions: Sessions, at wall: Int64) -> HistoryEntryText {
        HistoryEntryText(
            seq: Int(seq), version: Int(version), at: wall, kind: .dropped, source: source, event: nil, payload: nil,
            timer: nil, from: state, to: state, code: nil, refused: nil, accepted: nil, actor: sessions.actors.name(actor),
            definition: definition, repeats: nil)
    }
}

extension Sessions {
    /// Drops a session that was set aside. Returns false if no session of that name is set aside.
    package func dropSetAside(_ name: ByteString, by actor: ActorNumber, from source: EventSource) -> Bool {
        guard setAsideSessions[name] != nil else { return false }
        removeSetAside(name, by: actor, from: source)
        effects.handleDrop(ofSetAside: name.text)
        return true
    }

    /// The number of an entry that is recorded for a session without a machine.
    package func nextEntrySerial() -> UInt64 { log.nextEntrySerial() }

    /// The same without notifying its parent.
    func removeSetAside(_ name: ByteString, by actor: ActorNumber, from source: EventSource) {
        guard let session = setAsideSessions.removeValue(forKey: name) else { return }
        setAsideDropCount += 1
        let (children, last) =
            if let reserved = session.reserved { dropInMemory(session, reserved, by: actor, from: source) } else {
                persistence?.drop(session, by: actor, from: source) ?? ([], nil)
            }
        // Forgets an earlier drop of that name: an UNDROP after this would mean the later session.
        if !undoableDrops.isEmpty { _ = undoableDrops.remove(name) }
        delegate?.setAsideSessionDidDrop(name, last)
        for child in children { effects.dropChild(child, of: name.text) }
    }

    /// Drops a session that was set aside while the daemon ran. Returns the ids of its children, and its last entry.
    private func dropInMemory(
        _ session: SetAsideSession, _ reserved: ReservedSlot, by actor: ActorNumber, from source: EventSource
    ) -> (children: [String], last: DropEntry?) {
        let kind = flowTable.newest(ofFlow: reserved.flow)
        let last = DropEntry(
            slot: reserved.slot, name: session.name, life: reserved.life, flow: kind.name, definition: kind.origin?.fingerprint,
            state: reserved.state, version: reserved.version, seq: reserved.seq &+ 1, serial: nextEntrySerial(),
            source: source, actor: actor)
        recorder?.recordDrop(last)
        if let recorder { session.name.withStored { recorder.drop(reserved.slot, named: $0) } }
        table.freeReserved(reserved.slot)
        let state = kind.index(ofState: reserved.state)
        let line = HistoryEntry(
            from: state, to: state, cause: HistoryEntry.Cause(source, actor: actor),
            detail: HistoryEntry.Detail(.dropped), at: timekeeper.now, version: reserved.version)
        _ = log.append(
            log.encode(line, of: reserved.slot, kind), at: line.at, EntryNumber(serial: last.serial, seq: last.seq),
            after: reserved.latest)
        log.recordDrop(of: session.name, kind)
        return (reserved.children, last)
    }
}

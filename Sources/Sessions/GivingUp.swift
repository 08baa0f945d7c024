// Sessions that were set aside are dropped like any others: with a last line in their history, and together with their children.

import GameFlow
import RESP

/// The last line of a session that has no machine any more: it was dropped.
package struct DropEntry {
    /// Where its other lines are.
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

extension Sessions {
    /// Drops a session that was set aside. False if there is none of that name.
    package func giveUp(_ name: ByteString, by actor: ActorNumber, from source: EventSource) -> Bool {
        guard unrestored[name] != nil else { return false }
        giveUp(name, for: Deed(actor: actor, source: source))
        forgetChild(name)
        return true
    }

    /// The number of a line that is noted for a session without a machine.
    package func takeSerial() -> UInt64 { log.takeSerial() }

    private struct Deed {
        let actor: ActorNumber
        let source: EventSource
    }

    private func giveUp(_ name: ByteString, for deed: Deed) {
        guard let session = unrestored.removeValue(forKey: name) else { return }
        givenUp += 1
        let children =
            if let place = session.reserved { giveUp(session, at: place, for: deed) } else {
                persistence?.drop(session, by: deed.actor, from: deed.source) ?? []
            }
        // An earlier one of that name is not what somebody means who takes this back.
        if !undoableDrops.isEmpty { _ = undoableDrops.take(name) }
        delegate?.setAsideSessionDidDrop(name)
        for child in children { dropChild(child, of: name.text) }
    }

    /// One that was set aside while the daemon ran. Returns what it calls its children.
    private func giveUp(_ session: SetAsideSession, at place: ReservedSlot, for deed: Deed) -> [String] {
        let kind = flowTable.newest(ofFlow: place.flow)
        let last = DropEntry(
            slot: place.slot, name: session.name, life: place.life, flow: kind.name, definition: kind.origin?.fingerprint,
            state: place.state, version: place.version, seq: place.seq &+ 1, serial: takeSerial(), source: deed.source,
            actor: deed.actor)
        recorder?.note(last)
        if let recorder { session.name.withStored { recorder.drop(place.slot, named: $0) } }
        table.giveUp(place.slot)
        let state = kind.place(ofState: place.state)
        let line = HistoryEntry(
            from: state, to: state, cause: HistoryEntry.Cause(deed.source, actor: deed.actor),
            detail: HistoryEntry.Detail(.dropped),
            at: timekeeper.now, version: place.version)
        _ = log.append(
            log.encode(line, of: place.slot, kind), at: line.at, EntryNumber(serial: last.serial, seq: last.seq),
            after: place.latest)
        log.noteDrop(of: session.name, kind)
        return place.children
    }

    // MARK: Families

    /// Drops a child of a session that is gone, wherever it is. One that has another parent by now stays.
    func dropChild(_ id: String, of parent: String) {
        let name = Self.name(of: id, below: parent)
        if isApart(name, from: parent) { return post(.drop, to: name, from: parent) }
        dropHere(ByteString(name), by: parent)
    }

    func dropHere(_ name: ByteString, by parent: String) {
        if let child = find(name) {
            if family.link(of: reference(to: child.machine)) == nil {
                _ = name.withBytes { drop(Argument($0), by: actor(named: parent), from: .orchestrator) }
            }
        } else {
            giveUp(name, for: Deed(actor: actor(named: parent), source: .orchestrator))
        }
    }

    /// Its parent knows already that it is lost; now it does not wait for it any more.
    private func forgetChild(_ name: ByteString) {
        let text = name.text
        guard let (parentName, id) = Self.parent(ofNamed: text) else { return }
        if isApart(parentName, from: text) {
            return tell(.forgotten, of: text, FarFamily.Link(parent: parentName, id: id, invocation: nil))
        }
        guard let parent = find(parentName) else { return }
        if parent.machine.children.contains(where: { $0.id == id }) { note(nil, ofChild: id, parent.machine) }
    }
}

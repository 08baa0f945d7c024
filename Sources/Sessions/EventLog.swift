// The history of sessions: numbering, recording and reading of entries.

import GameFlow
import Memory

/// The history of all sessions, with the names that its entries refer to. It knows a session by its slot and by its latest entry; the session's
/// record has the short number of that entry.
struct EventLog: ~Copyable {
    /// The number of the next entry that is recorded; they count over all runs.
    private(set) var nextSerial: UInt64 = 0
    /// The number of the newest entries that the store certainly has. An older one may be deleted, so what repeats it becomes a new entry.
    var storedEntries = UInt64.max
    private(set) var history: History
    private let encoder = EntryEncoder()
    private var unversioned = UnversionedCounts()
    private var dropped = DroppedSessions()

    init(_ limits: History.Limits) { history = History(limits) }

    /// Frees its memory: see `SessionTable.freeMemory`.
    mutating func freeMemory() {
        history.freeMemory()
        unversioned.freeMemory()
    }

    // MARK: Numbers

    /// The number of the latest thing that happened to a session in this version, counted within its life.
    func seq(_ slot: UInt32, version: UInt32) -> UInt32 { version &+ 1 &+ unversioned[slot] }

    /// Something happens to the session that does not change its version.
    mutating func countUnversioned(_ slot: UInt32) { unversioned.increment(slot) }

    /// A session begins its life in this slot.
    mutating func begin(_ slot: UInt32) { unversioned.set(slot, 0) }

    /// A session that is restored has had this number. An entry is stored more often than its session, so the highest number counts.
    mutating func restore(seq: UInt32, _ slot: UInt32, version: UInt32) {
        let ofChanges = version &+ 1
        if seq > ofChanges, seq - ofChanges > unversioned[slot] { unversioned.set(slot, seq - ofChanges) }
    }

    /// The number of an entry of a session without a machine.
    mutating func nextEntrySerial() -> UInt64 {
        defer { nextSerial &+= 1 }
        return nextSerial
    }

    /// The next entry gets this number, or a higher one.
    mutating func advanceSerial(to serial: UInt64) { nextSerial = max(nextSerial, serial) }

    // MARK: Recording

    @inline(__always)
    func encode(_ entry: borrowing HistoryEntry, of slot: UInt32, _ kind: FlowKind) -> EncodedEntry {
        encoder.encode(entry, of: slot, kind.versionNumber)
    }

    /// Counts the entry into an earlier one, if it repeats that. Returns the number of that one, or `new`.
    mutating func number(
        ofRepeatable encoded: EncodedEntry, _ new: EntryNumber, at: Instant, after latest: UInt32, _ kind: FlowKind
    ) -> EntryNumber {
        let repeated = history.repeat(
            encoded, at: at, seq: new.seq, after: history.serial(latest), from: history.versions.first(of: kind),
            recordedFrom: nextSerial - min(nextSerial, storedEntries))
        guard let repeated else { return new }
        return EntryNumber(serial: repeated.serial, seq: new.seq, times: repeated.repetition.times)
    }

    /// Returns the short number of the new entry, now the session's latest.
    @inline(__always)
    mutating func append(_ encoded: EncodedEntry, at: Instant, _ number: EntryNumber, after latest: UInt32) -> UInt32 {
        let serial = history.append(encoded, at: at, number, after: history.serial(latest))
        if number.serial == nextSerial { nextSerial &+= 1 }
        return History.short(serial)
    }

    /// The newest entry is the last one of a session of that name and flow, which was dropped. RESTART and UNDROP keep `creator`.
    mutating func recordDrop(of name: ByteString, _ flow: FlowKind, creator: ActorNumber = .none) {
        dropped.add(
            name, DroppedSessions.Ending(serial: history.next - 1, flow: flow.flowNumber, creator: creator),
            oldest: history.oldest)
    }

    // MARK: Restoring

    /// Restores an entry of a live session. Returns the short number of that entry, now the session's latest.
    mutating func restore(
        _ past: PastEntry, recorded serial: UInt64, of slot: UInt32, _ flow: FlowKind, after latest: UInt32
    ) -> UInt32 {
        advanceSerial(to: serial + 1)
        return History.short(restore(past, serial, of: slot, flow, after: history.serial(latest)))
    }

    /// Restores an entry of a session that is gone. If it was dropped, that is its last entry.
    mutating func restore(
        _ past: PastEntry, recorded serial: UInt64, ofGone life: Life, named name: ByteString, _ flow: FlowKind, slot: UInt32
    ) {
        advanceSerial(to: serial + 1)
        dropped.restored(restore(past, serial, of: slot, flow, after: dropped.latest(of: life)), of: life)
        guard past.entry.kind == .dropped else { return }
        let chain = History.Chain(slot: slot, latest: dropped.latest(of: life))
        recordDrop(of: name, flow, creator: creator(of: chain, named: name, flow))
    }

    private mutating func restore(
        _ past: PastEntry, _ serial: UInt64, of slot: UInt32, _ flow: FlowKind, after latest: UInt64
    ) -> UInt64 {
        let version = history.versions.number(of: flow, under: past.definition, from: history.next, oldest: history.oldest)
        let encoded = encoder.encode(past.entry, of: slot, version)
        let line = history.append(encoded, at: past.entry.at, EntryNumber(serial: serial, seq: past.seq), after: latest)
        if let repetition = past.repetition { history.restore(repetition, of: line) }
        return line
    }

    mutating func endRestoring() { dropped.endRestoring() }

    // MARK: Flows

    /// Starts recording entries of this kind. Returns false if entries still in the ring become unreadable.
    mutating func begin(_ kind: FlowKind) -> Bool { history.versions.begin(kind, from: history.next, oldest: history.oldest) }

    /// Stops recording entries of this kind.
    mutating func retire(_ kind: FlowKind) { history.versions.retire(kind, before: history.next) }

    // MARK: Reading

    func chain(of slot: UInt32, latest: UInt32) -> History.Chain { History.Chain(slot: slot, latest: history.serial(latest)) }

    /// The entries of the last session of that name that was dropped, and the number of its flow; nil if none are left.
    func chain(ofDropped name: ByteString) -> (chain: History.Chain, flow: Int)? {
        guard let ending = dropped[name], let slot = history.session(of: ending.serial) else { return nil }
        return (History.Chain(slot: slot, latest: ending.serial), ending.flow)
    }

    func hasDropped(_ name: ByteString) -> Bool { dropped[name] != nil }

    /// The actor that created the session of that name, which has these entries; RESTART and UNDROP keep it. None if it is unknown.
    func creator(of chain: History.Chain, named name: ByteString, _ flow: FlowKind) -> ActorNumber {
        guard let first = history.beginning(of: chain, flow) else { return .none }
        guard [Sessions.restarting, Sessions.takingBack].contains(first.eventName(in: flow)) else { return first.cause.actor }
        // It has ended the life before, or comes after its end.
        return dropped[name]?.creator ?? ActorNumber.none
    }
}

/// An entry that the ring has kept, in the lists of the session's kind, or one that is to be restored.
package struct PastEntry {
    package let entry: HistoryEntry
    /// Its number within its session's life.
    package let seq: UInt32
    /// Nil if it has happened once.
    package let repetition: Repetition?
    /// The definition of its flow under which it came about; nil for a flow that is part of the program.
    package let definition: String?

    package init(_ entry: HistoryEntry, seq: UInt32, _ repetition: Repetition?, under definition: String?) {
        (self.entry, self.seq, self.repetition, self.definition) = (entry, seq, repetition, definition)
    }

    /// The number of the last time that it happened.
    package var lastSeq: UInt32 { repetition?.lastSeq ?? seq }
}

// MARK: - Entries that change no version

/// A session's `seq` is its version, and one for its beginning, and those counted here. Most sessions have none, and take no memory.
struct UnversionedCounts: ~Copyable {
    private var counts = Chunks<UInt32>(blank: 0)
    /// Slots below this have room.
    private var end: UInt32 = 0

    /// The entries of the session in this slot that are no changes.
    subscript(slot: UInt32) -> UInt32 { slot < end ? counts[slot] : 0 }

    mutating func increment(_ slot: UInt32) {
        // A slot with a nonzero count already has memory.
        if slot < end, counts[slot] > 0 { counts[slot] &+= 1 } else { set(slot, 1) }
    }

    mutating func set(_ slot: UInt32, _ count: UInt32) {
        guard self[slot] != count else { return }
        counts.makeRoom(for: slot)
        end = max(end, (slot / Chunks<UInt32>.size + 1) * Chunks<UInt32>.size)
        counts[slot] = count
    }

    /// Gives their memory back: see `SessionTable.freeMemory`.
    mutating func freeMemory() {
        counts.removeAll()
        end = 0
    }
}

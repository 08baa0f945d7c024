// The history of all sessions: one ring of lines, in which the newest overwrites the oldest. A session knows its newest line, and
// each line knows the session's line before it.

import GameFlow
import Memory

/// Lines by serial number, for as long as the ring keeps them.
package struct History: ~Copyable {
    /// How much history is kept.
    package struct Limits {
        package var lines = 262_144
        package var perSession = 50
        /// Memory for the texts of all lines.
        package var bytes = 32 << 20

        package init(lines: Int = 262_144, perSession: Int = 50, bytes: Int = 32 << 20) {
            self.lines = lines
            self.perSession = perSession
            self.bytes = bytes
        }
    }

    /// A session's entries: those of its slot, from its latest one back.
    struct Chain {
        let slot: UInt32
        let latest: UInt64
    }

    /// In lines; less than 2^28.
    private let capacity: UInt64
    private let perSession: Int
    private var lines = Chunks<PackedHistoryEntry>()
    private var texts: HistoryTexts
    private var repetitions = Repetitions()
    /// The versions that the flows of its entries have had; none in a standalone history.
    var versions = FlowVersions()
    /// The serial number of the first line of all, and of the next one.
    private let first: UInt64
    package private(set) var next: UInt64
    private var nextSlot: UInt32 = 0

    /// Gives back the memory of its lines: see `SessionTable.freeMemory`.
    mutating func freeMemory() {
        lines.removeAll()
        repetitions.freeMemory()
    }

    /// The first line gets the number `first`.
    package init(_ limits: Limits = Limits(), from first: UInt64 = 0) {
        (self.first, next) = (first, first)
        capacity = UInt64(max(1, limits.lines))
        perSession = max(1, limits.perSession)
        texts = HistoryTexts(bytes: limits.bytes)
    }

    /// Memory held, in bytes.
    package var footprint: Int { lines.footprint + texts.footprint + repetitions.footprint }

    /// Returns the serial number of the new line; `latest` is the session's line before it. The entry is recorded under `number`, which may have
    /// another serial number.
    @inline(__always)
    mutating func append(
        _ encoded: EncodedEntry, at: Instant, _ number: EntryNumber, after latest: UInt64
    ) -> UInt64 {
        // This serial's short number would mean "none", so it is left unused.
        if Self.short(next) == Self.noShort { appendMissing() }
        if encoded.entry.isBeginning, sharesLine(encoded, at, number.seq) { return next - 1 }
        let back = isInReach(latest) ? UInt32(truncatingIfNeeded: next - latest) : 0
        freeSlot()
        var place = encoded.texts.isEmpty ? 0 : texts.append(encoded.texts)
        if encoded.entry.mayRepeat { place = addCount(encoded.entry, at, number, texts: place) }
        lines[nextSlot] = PackedHistoryEntry(encoded.entry, at: at, seq: number.seq, place: place, back: back)
        advance()
        return next &- 1
    }

    private mutating func addCount(_ entry: PackedEntry, _ at: Instant, _ number: EntryNumber, texts: UInt64) -> UInt64 {
        let once = Repetition(times: 1, lastAt: at, lastSeq: number.seq, lastVersion: entry.version)
        return repetitions.add(Repetitions.Count(repetition: once, serial: number.serial, texts: texts))
    }

    private mutating func advance() {
        next &+= 1
        nextSlot = UInt64(nextSlot) &+ 1 == capacity ? 0 : nextSlot &+ 1
    }

    /// Sessions that begin in one instant, side by side, share a line: a million of them must not push all other lines out.
    private mutating func sharesLine(_ encoded: EncodedEntry, _ at: Instant, _ seq: UInt32) -> Bool {
        guard next > first else { return false }
        let last = nextSlot == 0 ? UInt32(capacity - 1) : nextSlot - 1
        let line = lines[last]
        guard line.isShared(by: encoded.entry, at: at, seq: seq), let texts = textBytes(of: line),
            texts.hasSameBytes(as: encoded.texts)
        else {
            return false
        }
        lines[last].share()
        return true
    }

    private static let nobody = UInt32.max

    private mutating func appendMissing() {
        let missing = HistoryEntry(from: 0, to: 0, cause: HistoryEntry.Cause(.orchestrator), detail: nil, at: .zero, version: 0)
        freeSlot()
        lines[nextSlot] = PackedHistoryEntry(PackedEntry(missing, of: Self.nobody, 0), at: .zero, seq: 0, place: 0, back: 0)
        advance()
    }

    /// Nil if they have been overwritten.
    private func textBytes(of line: PackedHistoryEntry) -> UnsafeRawBufferPointer? {
        guard line.hasTexts else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let position = textPosition(of: line)
        return texts.has(position) ? texts.bytes(at: position, Int(line.entry.textCount)) : nil
    }

    private func textPosition(of line: PackedHistoryEntry) -> UInt64 {
        line.entry.mayRepeat ? repetitions[line.place].texts : line.place
    }

    /// Makes room for the next line: a new slot, or the oldest line's.
    @inline(__always)
    private mutating func freeSlot() {
        if nextSlot % Chunks<PackedHistoryEntry>.size == 0 { lines.makeRoom(for: nextSlot) }
        if next &- first >= capacity { release(lines[nextSlot]) }
    }

    private mutating func release(_ oldest: PackedHistoryEntry) {
        // Texts before these were released with their own lines.
        if oldest.hasTexts { texts.release(before: textPosition(of: oldest)) }
        if oldest.entry.mayRepeat { repetitions.remove(oldest.place) }
    }

    // MARK: Repeating

    /// At most this many of a session's newest lines are compared: its timers and refused events may alternate.
    private static let maxCompared = 16

    /// An entry that has happened again.
    package struct Repeated: Equatable {
        package let repetition: Repetition
        /// The serial number under which it is recorded.
        package let serial: UInt64
    }

    /// Counts the entry into an earlier equal one, if only entries that may repeat are between them. Returns nil if there is no such entry, it is
    /// from before the number `oldest`, or it is recorded under a number before `oldestRecorded`.
    mutating func `repeat`(
        _ encoded: EncodedEntry, at: Instant, seq: UInt32, after latest: UInt64, from oldest: UInt64,
        recordedFrom oldestRecorded: UInt64
    ) -> Repeated? {
        guard let number = number(ofSame: encoded, after: latest, from: oldest) else { return nil }
        var count = repetitions[number]
        guard count.serial >= oldestRecorded, count.repetition.times < .max else { return nil }
        count.repetition = Repetition(
            times: count.repetition.times + 1, lastAt: at, lastSeq: seq, lastVersion: encoded.entry.version)
        repetitions[number] = count
        return Repeated(repetition: count.repetition, serial: count.serial)
    }

    /// Its number in `repetitions`.
    private func number(ofSame encoded: EncodedEntry, after latest: UInt64, from oldest: UInt64) -> UInt64? {
        var found: UInt64?
        forEachLine(of: encoded.entry.slot, from: latest, atMost: Self.maxCompared) { line, serial in
            guard line.entry.mayRepeat, serial >= oldest else { return false }
            if line.entry.isSame(as: encoded.entry), textBytes(of: line)?.hasSameBytes(as: encoded.texts) == true {
                found = line.place
            }
            return found == nil
        }
        return found
    }

    /// The line with this number, which is restored, has happened so often.
    mutating func restore(_ repetition: Repetition, of serial: UInt64) {
        guard isInReach(serial), self[serial].entry.mayRepeat else { return }
        repetitions[self[serial].place].repetition = repetition
    }

    // MARK: Reading

    /// The newest entries that have happened, or happened again, after the number `seq`, the newest first.
    func newest(_ count: Int, of chain: Chain, _ flow: FlowKind, after seq: UInt32 = 0) -> [PastEntry] {
        var entries: [PastEntry] = []
        forEachLine(of: chain) { line, serial in
            // An older line may have counted on, until one that does not count.
            guard lastSeq(of: line) > seq else { return line.entry.mayRepeat }
            guard entries.count < count, let entry = past(line, serial, flow) else { return false }
            entries.append(entry)
            return true
        }
        return entries
    }

    /// Whether the ring still has all that has happened after the number `seq`.
    func isComplete(after seq: UInt32, of chain: Chain) -> Bool {
        var isComplete = false
        forEachLine(of: chain) { line, _ in
            // Entries older than one that does not repeat have not happened again since.
            isComplete = line.seq == 1 || UInt64(line.seq) <= UInt64(seq) + 1 && !line.entry.mayRepeat
            return !isComplete
        }
        return isComplete
    }

    private func lastSeq(of line: PackedHistoryEntry) -> UInt32 {
        line.entry.mayRepeat ? repetitions[line.place].repetition.lastSeq : line.seq
    }

    /// A session's latest change of state, if a timer made it: any other one is not decoded.
    func latestTimerMove(of chain: Chain, _ flow: FlowKind) -> HistoryEntry? {
        var found: HistoryEntry?
        forEachLine(of: chain) { line, serial in
            guard line.entry.isMove else { return true }
            if line.entry.timer != HistoryEntry.Cause.none { found = past(line, serial, flow)?.entry }
            return false
        }
        return found
    }

    /// A session's beginning, if it is kept.
    func beginning(of chain: Chain, _ flow: FlowKind) -> HistoryEntry? {
        var found: HistoryEntry?
        forEachLine(of: chain) { line, serial in
            guard line.entry.isBeginning else { return true }
            found = past(line, serial, flow)?.entry
            return false
        }
        return found
    }

    /// The line's entry with the indices of this kind, whichever version of the flow recorded it; nil if that version is no longer known.
    private func past(_ line: PackedHistoryEntry, _ serial: UInt64, _ flow: FlowKind) -> PastEntry? {
        guard let version = versions[line.entry.flowVersion, of: flow, at: serial], let texts = textBytes(of: line) else {
            return nil
        }
        let entry = line.entry(of: version.kind, texts)
        let isItsOwn = version.kind === flow
        return PastEntry(
            isItsOwn ? entry : flow.translated(entry, from: version.kind), seq: line.seq, repetition(of: line),
            under: version.fingerprint)
    }

    /// Nil if it has happened once.
    private func repetition(of line: PackedHistoryEntry) -> Repetition? {
        guard line.entry.mayRepeat else { return nil }
        let repetition = repetitions[line.place].repetition
        return repetition.times > 1 ? repetition : nil
    }

    /// How far back ticks are looked through.
    private static let maxTicks = 4_096

    /// Whether only timers that stayed in their state have changed the session since this version; false too where its lines no longer
    /// reach back. A line counts ticks up to the newest, so the latest other change decides; without it, ticks must reach back to the version.
    func hasOnlyTicked(_ chain: Chain, since version: UInt32) -> Bool {
        var isKnown = false
        forEachLine(of: chain.slot, from: chain.latest, atMost: Self.maxTicks) { line, _ in
            guard line.entry.isChange else { return true }
            isKnown = line.version <= (line.entry.isTick ? version + 1 : version)
            return line.entry.isTick && !isKnown
        }
        return isKnown
    }

    /// From the newest line back, up to the session's limit, until `body` returns false.
    private func forEachLine(of chain: Chain, _ body: (PackedHistoryEntry, _ serial: UInt64) -> Bool) {
        forEachLine(of: chain.slot, from: chain.latest, atMost: perSession, body)
    }

    private func forEachLine(
        of session: UInt32, from latest: UInt64, atMost most: Int, _ body: (PackedHistoryEntry, _ serial: UInt64) -> Bool
    ) {
        var (serial, left) = (latest, most)
        while left > 0, isInReach(serial) {
            let line = self[serial]
            // The line or its texts may have been overwritten.
            guard line.isOf(session), !line.hasTexts || texts.has(textPosition(of: line)), body(line, serial), line.back > 0
            else {
                return
            }
            serial -= UInt64(line.back)
            left -= 1
        }
    }

    /// The serial number of the oldest line that is not overwritten.
    var oldest: UInt64 { next - first <= capacity ? first : next - capacity }

    /// The slot of the session that the line belongs to; nil if it has been overwritten.
    func session(of serial: UInt64) -> UInt32? { isInReach(serial) ? self[serial].entry.slot : nil }

    private func isInReach(_ serial: UInt64) -> Bool {
        serial >= first && serial < next && next &- serial <= capacity
    }

    private subscript(serial: UInt64) -> PackedHistoryEntry {
        lines[UInt32(truncatingIfNeeded: (serial - first) % capacity)]
    }

    // MARK: Short numbers

    /// A short number is the low 28 bits of a serial. The ring holds fewer lines than that, so it is unambiguous.
    static let shortBits: UInt64 = 28
    static let noShort = UInt32(1) << 28 - 1

    /// The newest serial with these low bits. The caller checks the line's session, as the line meant may be gone.
    package func serial(_ short: UInt32) -> UInt64 {
        guard short != Self.noShort, next > 0 else { return PackedHistoryEntry.none }
        let back = (next &- 1 &- UInt64(short)) & UInt64(Self.noShort)
        return back < next ? next &- 1 &- back : PackedHistoryEntry.none
    }

    package static func short(_ serial: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: serial) & noShort }
}

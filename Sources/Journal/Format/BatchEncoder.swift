// Writes batches. This runs on the loop's thread for every event, so it takes as few steps as possible.

import GameFlow
import Posix
import Sessions
import Store
import Timers

/// Appends entries to the open batch.
struct BatchEncoder: ~Copyable {
    /// The largest size of an entry, without texts and timers.
    private static let entrySize = 96
    /// Timers of a session, with the daemon's own.
    private static let maxTimers = Int(UInt16.max)

    private let head: [UInt8]
    private let batch: BatchBytes
    var names: NameEncoder
    /// Values that later entries of this batch omit.
    private var written = WrittenValues()
    /// The last life given out, and the last one written into a batch.
    var lastLife: Life = 0
    private var writtenLife: Life = 0
    /// The sessions that expire; nil if none do.
    var expiries: Expiries?
    /// The encoded timers of the session being written.
    private let timers = BatchBytes(capacity: 64)

    /// Batches of a shared store count no times from a boot, which is one machine's own.
    init(boot: String = TurnClock.bootID, actors: ActorTable) {
        head = Self.head(boot)
        batch = BatchBytes()
        names = NameEncoder(batch, actors)
        begin()
    }

    var count: Int { batch.count }
    /// Whether it must be closed before more is written.
    var isFull: Bool { names.isFull }

    mutating func forgetNames(ofKind number: Int) { names.forget(kind: number) }

    /// Appends the batch to others, with its length before it, and begins the next one in the same memory.
    mutating func close(into batches: BatchBytes) {
        appendLastLife()
        batches.reserve(batch.count + 4)
        batches.write(UInt32(batch.count))
        batches.write(batch.bytes)
        batch.removeAll()
        begin()
    }

    private mutating func appendLastLife() {
        guard lastLife != writtenLife else { return }
        batch.reserve(Self.entrySize)
        batch.write(EntryKind.lastLife.rawValue)
        batch.write(lastLife)
        writtenLife = lastLife
    }

    private mutating func begin() {
        names.begin()
        written = WrittenValues()
        batch.reserve(head.count)
        head.withUnsafeBytes { batch.write($0) }
    }

    /// The head of every batch: its version, and the boot that its times count from.
    private static func head(_ boot: String) -> [UInt8] {
        let head = BatchBytes()
        head.reserve(64)
        head.write(BatchDecoder.version)
        head.write(EntryKind.boot.rawValue)
        head.write(UInt16(boot.utf8.count))
        head.write(boot)
        return Array(head.bytes)
    }

    // MARK: Entries

    @inline(__always)
    mutating func line(
        _ encoded: EncodedEntry, _ kind: FlowKind, _ name: StoredName, _ life: Life, _ number: EntryNumber, _ time: TurnTime
    ) {
        append(encoded, of: names.flow(of: encoded, kind), name, life, number, time)
    }

    private mutating func append(
        _ encoded: EncodedEntry, of flow: UInt16, _ name: StoredName, _ life: Life, _ number: EntryNumber, _ time: TurnTime
    ) {
        var flags = LineFlags()
        if number.times > 1 {
            flags.insert(.repeats)
        } else {
            if number.serial != written.serial &+ 1 { flags.insert(.serial) }
            written.serial = number.serial
        }
        batch.append(atMost: Self.entrySize + name.bytes.count + encoded.texts.count) { cursor in
            append(time, &cursor)
            cursor.append(EntryKind.line.rawValue)
            cursor.append(flags.rawValue)
            cursor.append(flow)
            cursor.append(life)
            cursor.append(number.seq)
            if !flags.isEmpty { cursor.append(number.serial) }
            if flags.contains(.repeats) { cursor.append(number.times) }
            append(name, &cursor)
            cursor.append(encoded.entry)
            if !encoded.texts.isEmpty { cursor.append(encoded.texts) }
        }
    }

    /// The turn's time, once for all its entries.
    private mutating func append(_ time: TurnTime, _ cursor: inout BatchCursor) {
        guard time.wallNanoseconds != written.time.wallNanoseconds || time.bootNanoseconds != written.time.bootNanoseconds
        else { return }
        cursor.append(EntryKind.time.rawValue)
        cursor.append(time.wallNanoseconds)
        cursor.append(time.bootNanoseconds)
        written.time = time
    }

    /// Writes the drop of a session that has no machine. The batch gets a separate flow for it, with one state.
    mutating func line(_ last: DropEntry, _ name: StoredName, _ time: TurnTime) {
        let flow = names.flow(last.flow, last.definition, state: last.state)
        names.name(last.actor)
        let entry = HistoryEntry(
            from: 0, to: 0, cause: HistoryEntry.Cause(last.source, actor: last.actor), detail: HistoryEntry.Detail(.dropped),
            at: .zero,
            version: last.version)
        let encoder = EntryEncoder()
        append(
            encoder.encode(entry, of: last.slot, 0), of: flow, name, last.life,
            EntryNumber(serial: last.serial, seq: last.seq), time)
        withExtendedLifetime(encoder) {}
    }

    /// A row that was edited by hand may have a longer name than any client can give, or an empty one.
    @inline(__always)
    private func append(_ name: StoredName, _ cursor: inout BatchCursor) {
        guard !name.isUUID else {
            cursor.append(BatchDecoder.uuid)
            cursor.append(name.bytes.loadUnaligned(as: UInt64.self))
            return cursor.append(name.bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        let bytes = UnsafeRawBufferPointer(rebasing: name.bytes.prefix(Int(BatchDecoder.uuid) - 1))
        cursor.append(UInt16(truncatingIfNeeded: bytes.count))
        cursor.append(bytes)
    }

    /// A session as it is now. `isOfLine` if its line was put just before, and has the same head.
    mutating func image(
        _ machine: AnyMachine, _ name: StoredName, _ life: Life, seq: UInt32, _ time: TurnTime, isOfLine: Bool = false
    ) {
        let flow = names.flow(machine.kind)
        let state = isOfLine ? BatchNames.none : names.state(of: machine)
        encodeTimers(of: machine)
        let texts = machine.carriesOnlyTimers && machine.hasOnlyState ? nil : ImageTexts(of: machine)
        let elapsed = min(time.wallNanoseconds, max(0, machine.timekeeper.now.nanoseconds(since: machine.since)))
        var flags: ImageFlags = machine.isFrozen ? .frozen : []
        if isOfLine { flags.insert(.ofLine) }
        if elapsed != 0 { flags.insert(.elapsed) }
        if let texts { flags.formUnion(texts.flags) }
        let timers = timers.bytes
        batch.append(atMost: 2 * Self.entrySize + name.bytes.count + (texts?.count ?? 0) + timers.count) { cursor in
            append(time, &cursor)
            cursor.append(EntryKind.image.rawValue)
            cursor.append(flags.rawValue)
            if !isOfLine {
                cursor.append(machine.tag)
                cursor.append(life)
                cursor.append(machine.version)
                cursor.append(seq)
                cursor.append(flow)
                cursor.append(state)
                append(name, &cursor)
            }
            if elapsed != 0 { cursor.append(elapsed) }
            if let data = texts?.data { cursor.append(long: data) }
            appendCount(timers.count / TimerEntries.size, &cursor)
            cursor.append(timers)
            if let waiting = texts?.waiting { cursor.append(long: waiting) }
            if let context = texts?.context { cursor.append(long: context) }
        }
    }

    /// An image's texts: a session's data, waiting events and parameters.
    private struct ImageTexts {
        /// Nil if its state carries only timers, or cannot be encoded, which is a mistake in its flow; the rest is still recorded.
        let data: String?
        let waiting: String?
        let context: String?

        init(of machine: AnyMachine) {
            data = machine.carriesOnlyTimers ? nil : try? machine.stateData().description
            (waiting, context) = (machine.savedEventsText, machine.savedContextText)
        }

        /// Bytes of the texts with their lengths.
        var count: Int { [data, waiting, context].reduce(0) { $0 + ($1?.utf8.count ?? 0) + 4 } }

        var flags: ImageFlags {
            var flags: ImageFlags = []
            if data != nil { flags.insert(.data) }
            if waiting != nil { flags.insert(.waiting) }
            if context != nil { flags.insert(.context) }
            return flags
        }
    }

    func drop(_ session: UInt32, named name: StoredName) {
        batch.append(atMost: Self.entrySize + name.bytes.count) { cursor in
            cursor.append(EntryKind.drop.rawValue)
            cursor.append(session)
            append(name, &cursor)
        }
    }

    // MARK: Timers

    /// Called before the entry, since a name's own entry must not come inside another.
    private mutating func encodeTimers(of machine: AnyMachine) {
        timers.removeAll()
        // First, so that the last one is that of the timer that was made first.
        if expiries != nil || machine.isHalted { encodeMarks(of: machine) }
        machine.forEachOwnTimer { timer in
            guard timers.count < Self.maxTimers * TimerEntries.size else { return }
            let left = timer.left
            var flags: TimerFlags = timer.plan.kind == .pendulum ? .pendulum : []
            if timer.isPaused { flags.insert(.paused) }
            if left == nil { flags.insert(.finished) }
            if timer.hasMilestonesToCome { flags.insert(.milestones(due: timer.milestonesDue)) }
            encodeTimer(names.timer(timer.plan, machine.kind), flags, left ?? 0)
        }
    }

    /// Encodes marks that are stored among the timers without being timers of the flow. They are the time until the session expires, and
    /// that its clock was stopped.
    private mutating func encodeMarks(of machine: AnyMachine) {
        if let expiry = expiries?[machine.tag] {
            let flags: TimerFlags = expiry.isSetAside ? .paused : []
            encodeTimer(names.number(.expiry) { expiry.rule.savedName }, flags, expiry.leftNanoseconds)
        }
        if machine.isHalted { encodeTimer(names.number(.halt) { ImageMarks.halted }, TimerFlags(), 0) }
    }

    @inline(__always)
    private func encodeTimer(_ name: UInt16, _ flags: TimerFlags, _ left: Int64) {
        timers.append(atMost: TimerEntries.size) { cursor in
            cursor.append(name)
            cursor.append(flags.rawValue)
            cursor.append(left)
        }
    }

    /// In one byte if that is enough, as nearly always.
    private func appendCount(_ count: Int, _ cursor: inout BatchCursor) {
        guard count >= BatchDecoder.manyTimers else { return cursor.append(UInt8(truncatingIfNeeded: count)) }
        cursor.append(UInt8(truncatingIfNeeded: BatchDecoder.manyTimers))
        cursor.append(UInt16(truncatingIfNeeded: count))
    }
}

// MARK: - A session without a machine

extension BatchEncoder {
    /// Its image as a row has it, with these timers. The time of the image does not change.
    mutating func image(of row: SessionRow, _ images: [TimerImage], named name: StoredName) {
        let (flow, state) = (names.write(flow: row.flow.string, nil), names.write(row.state.string))
        timers.removeAll()
        for image in images {
            encodeTimer(names.write(image.name), TimerFlags(image), image.left?.wholeNanoseconds ?? 0)
        }
        let timers = timers.bytes
        batch.append(atMost: 2 * Self.entrySize + name.bytes.count + row.textSize + timers.count) { cursor in
            append(TurnTime(wallNanoseconds: max(0, row.saved), bootNanoseconds: 0), &cursor)
            cursor.append(EntryKind.image.rawValue)
            cursor.append(ImageFlags(of: row).rawValue)
            // A store that finds rows by name has no use for a slot.
            cursor.append(UInt32(0))
            cursor.append(row.knownLife)
            cursor.append(UInt32(truncatingIfNeeded: row.version))
            cursor.append(UInt32(truncatingIfNeeded: row.seq))
            cursor.append(flow)
            cursor.append(state)
            append(name, &cursor)
            cursor.append(row.inState)
            cursor.append(long: row.data)
            appendCount(timers.count / TimerEntries.size, &cursor)
            cursor.append(timers)
            if let waiting = row.waiting { cursor.append(long: waiting) }
            if let context = row.context { cursor.append(long: context) }
        }
    }
}

extension ImageFlags {
    fileprivate init(of row: SessionRow) {
        self = [.elapsed, .data]
        if row.paused { insert(.frozen) }
        if row.waiting != nil { insert(.waiting) }
        if row.context != nil { insert(.context) }
    }
}

extension TimerFlags {
    fileprivate init(_ image: TimerImage) {
        self = .milestones(due: image.milestonesDue)
        if image.kind == .pendulum { insert(.pendulum) }
        if image.isPaused { insert(.paused) }
        if image.left == nil { insert(.finished) }
    }
}

// MARK: - Values that the open batch has already. Entries omit them, which halves a record.

/// The last time and serial number of the open batch.
struct WrittenValues {
    var time = TurnTime(wallNanoseconds: .min, bootNanoseconds: .min)
    var serial: UInt64 = 0
}

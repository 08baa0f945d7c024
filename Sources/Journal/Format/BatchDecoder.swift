// Reads batches, to bring the tables up to date while the daemon runs and after a crash.

import GameFlow
import Posix
import Sessions

struct BatchDecoder {
    static let version: UInt8 = 1

    /// In place of a name's length: it is a UUID.
    static let uuid = UInt16.max

    /// In place of a session's count of timers: it is this or more, and follows in two bytes.
    static let manyTimers = 255

    private var reader: BatchReader
    private(set) var names = BatchNames()
    /// The boot that its times count from.
    private(set) var boot = UnsafeRawBufferPointer(start: nil, count: 0)
    private var time = TurnTime(wallNanoseconds: 0, bootNanoseconds: 0)
    private var serial: UInt64 = 0
    /// The head of the last line, for the image that follows it.
    private var lastHead: ImageHead?

    init(_ bytes: UnsafeRawBufferPointer) throws(DamagedBatch) {
        reader = BatchReader(bytes)
        let version = try reader.read(UInt8.self)
        guard version == Self.version else {
            throw DamagedBatch(description: "a batch of version \(version); this version reads \(Self.version)")
        }
    }

    /// The next entry; nil after the last. It points into the batch's bytes.
    mutating func next() throws(DamagedBatch) -> BatchEntry? {
        while !reader.isAtEnd {
            let kind = try reader.read(UInt8.self)
            switch EntryKind(rawValue: kind) {
            case .boot: boot = try text()
            case .name: names.add(try text())
            case .flow: try addFlow()
            case .flowName: try addFlowName()
            case .actor: try addActor()
            case .line: return .line(try line())
            case .image: return .image(try image())
            case .drop: return .drop(try reader.read(UInt32.self), name: try name())
            case .lastLife: return .lastLife(try reader.read(Life.self))
            case .time:
                let wall = try reader.read(Int64.self)
                time = TurnTime(wallNanoseconds: wall, bootNanoseconds: try reader.read(Int64.self))
            case nil: throw DamagedBatch(description: "a batch has an entry of the unknown kind \(kind)")
            }
        }
        return nil
    }

    private mutating func addFlow() throws(DamagedBatch) {
        names.add(try text())
        names.add(try text())
        names.addFlow()
    }

    private mutating func addFlowName() throws(DamagedBatch) {
        let flow = try reader.read(UInt16.self)
        let number = try reader.read(UInt8.self)
        let index = try reader.read(UInt16.self)
        guard let list = NameKind(rawValue: number) else {
            throw DamagedBatch(description: "a batch has a name of the unknown kind \(number)")
        }
        names.add(try text())
        try names.set(flow, list, index)
    }

    private mutating func addActor() throws(DamagedBatch) {
        let actor = ActorNumber(rawValue: try reader.read(UInt16.self))
        names.add(try text())
        names.setActor(actor)
    }

    private mutating func line() throws(DamagedBatch) -> LoggedEntry {
        let flags = LineFlags(rawValue: try reader.read(UInt8.self))
        let flow = try reader.read(UInt16.self)
        let life = try reader.read(Life.self)
        let seq = try reader.read(UInt32.self)
        let number = EntryNumber(
            serial: flags.isEmpty ? serial &+ 1 : try reader.read(UInt64.self), seq: seq,
            times: flags.contains(.repeats) ? try reader.read(UInt32.self) : 1)
        if !flags.contains(.repeats) { serial = number.serial }
        let name = try name()
        let entry = try reader.read(MemoryLayout<PackedEntry>.size).loadUnaligned(as: PackedEntry.self)
        let texts = try reader.read(Int(entry.textCount))
        guard entry.isValid, texts.isEmpty && entry.parts.isEmpty || EntryTexts(texts, entry.parts) != nil else {
            throw DamagedBatch(description: "a history entry in a batch is damaged")
        }
        let names = try self.names.names(of: entry, flow)
        lastHead = ImageHead(
            session: entry.slot, life: life, version: entry.version, seq: seq, flow: names.flow, state: names.to, name: name)
        return LoggedEntry(
            entry: entry, textBytes: texts, name: name, life: life, number: number,
            wallNanoseconds: time.wallNanoseconds, flow: flow, names: names)
    }

    /// A two-byte length and that many bytes, or the mark of a UUID and its bytes.
    private mutating func name() throws(DamagedBatch) -> StoredName {
        let count = try reader.read(UInt16.self)
        let isUUID = count == Self.uuid
        return StoredName(try reader.read(isUUID ? StoredName.uuidLength : Int(count)), isUUID: isUUID)
    }

    /// A two-byte length and that many bytes.
    private mutating func text() throws(DamagedBatch) -> UnsafeRawBufferPointer {
        try reader.read(Int(try reader.read(UInt16.self)))
    }

    private mutating func image() throws(DamagedBatch) -> ImageEntry {
        let flags = ImageFlags(rawValue: try reader.read(UInt8.self))
        let head = flags.contains(.ofLine) ? try headOfLine() : try head()
        let elapsed = flags.contains(.elapsed) ? try reader.read(Int64.self) : 0
        let data = flags.contains(.data) ? try longText() : Self.empty
        let timers = try timers()
        let waiting = flags.contains(.waiting) ? try longText() : Self.empty
        return ImageEntry(
            head: head, isFrozen: flags.contains(.frozen),
            sinceWallNanoseconds: time.wallNanoseconds.subtractingReportingOverflow(elapsed).partialValue, saved: time,
            data: data, timers: timers, waiting: waiting,
            context: flags.contains(.context) ? try longText() : Self.empty)
    }

    private mutating func head() throws(DamagedBatch) -> ImageHead {
        ImageHead(
            session: try reader.read(UInt32.self), life: try reader.read(Life.self), version: try reader.read(UInt32.self),
            seq: try reader.read(UInt32.self), flow: try names.name(of: try reader.read(UInt16.self)),
            state: try reader.read(UInt16.self), name: try name())
    }

    /// An image that follows its line repeats nothing of it.
    private func headOfLine() throws(DamagedBatch) -> ImageHead {
        guard let lastHead else { throw DamagedBatch(description: "a batch has an image whose line is missing") }
        return lastHead
    }

    private static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    /// A four-byte length and that many bytes.
    private mutating func longText() throws(DamagedBatch) -> UnsafeRawBufferPointer {
        try reader.read(Int(try reader.read(UInt32.self)))
    }

    private mutating func timers() throws(DamagedBatch) -> TimerEntries {
        var count = Int(try reader.read(UInt8.self))
        if count == Self.manyTimers { count = Int(try reader.read(UInt16.self)) }
        return TimerEntries(bytes: try reader.read(count * TimerEntries.size))
    }
}

/// How a line is numbered. Without any of them, its serial number follows that of the line before.
struct LineFlags: OptionSet {
    let rawValue: UInt8

    /// Its serial number is given.
    static let serial = LineFlags(rawValue: 1)
    /// It repeats the entry with the serial number that is given, which has happened so often by now.
    static let repeats = LineFlags(rawValue: 2)
}

/// A session's standing, and the parts that the image does not omit.
struct ImageFlags: OptionSet {
    let rawValue: UInt8

    static let frozen = ImageFlags(rawValue: 1)
    /// It follows its session's line, and has the same head.
    static let ofLine = ImageFlags(rawValue: 2)
    /// The session has been in its state for a while.
    static let elapsed = ImageFlags(rawValue: 4)
    static let data = ImageFlags(rawValue: 8)
    static let waiting = ImageFlags(rawValue: 16)
    static let context = ImageFlags(rawValue: 32)
}

struct TimerFlags: OptionSet {
    let rawValue: UInt8

    static let pendulum = TimerFlags(rawValue: 1)
    static let paused = TimerFlags(rawValue: 2)
    static let finished = TimerFlags(rawValue: 4)

    /// How many milestones were due just then, in the upper bits: nearly always none.
    var milestonesDue: Int { Int(rawValue >> 3) }

    static func milestones(due count: Int) -> TimerFlags { TimerFlags(rawValue: UInt8(clamping: min(count, 31)) << 3) }
}

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
    private var time = TurnTime(wallNanoseconds: 0, bootNanoseconds: 0)
    private var serial: UInt64 = 0
    /// Of the last line, for the image that follows it.
    private var lastHead: ImageHead?

    init(_ bytes: UnsafeRawBufferPointer) throws(DamagedBatch) {
        reader = BatchReader(bytes)
        let version = try reader.take(UInt8.self)
        guard version == Self.version else {
            throw DamagedBatch(description: "a batch of version \(version); this version reads \(Self.version)")
        }
    }

    /// The next entry; nil after the last. It points into the batch's bytes.
    mutating func next() throws(DamagedBatch) -> BatchEntry? {
        while !reader.isAtEnd {
            let kind = try reader.take(UInt8.self)
            switch EntryKind(rawValue: kind) {
            case .boot: return .boot(try text())
            case .name: return .name(try reader.take(UInt16.self), try reader.take(Int(try reader.take(UInt16.self))))
            case .line: return .line(try line())
            case .image: return .image(try image())
            case .drop: return .drop(try reader.take(UInt32.self), name: try name())
            case .lastLife: return .lastLife(try reader.take(Life.self))
            case .time:
                let wall = try reader.take(Int64.self)
                time = TurnTime(wallNanoseconds: wall, bootNanoseconds: try reader.take(Int64.self))
            case nil: throw DamagedBatch(description: "a batch has an entry of the unknown kind \(kind)")
            }
        }
        return nil
    }

    private mutating func line() throws(DamagedBatch) -> LineEntry {
        let session = try reader.take(UInt32.self)
        let life = try reader.take(Life.self)
        let version = try reader.take(UInt32.self)
        let event = try reader.take(UInt16.self)
        let timer = try reader.take(UInt16.self)
        let from = try reader.take(UInt16.self)
        let to = try reader.take(UInt16.self)
        let flow = try reader.take(UInt16.self)
        let definition = try reader.take(UInt16.self)
        let seq = try reader.take(UInt32.self)
        let source = try reader.take(UInt8.self)
        let flags = LineFlags(rawValue: try reader.take(UInt8.self))
        serial = flags.contains(.serial) ? try reader.take(UInt64.self) : serial &+ 1
        let name = try name()
        let what = flags.contains(.what) ? try happening() : .taken
        let refused = flags.contains(.refused) ? try refused() : nil
        let payload = flags.contains(.payload) ? try text() : nil
        lastHead = ImageHead(session: session, life: life, version: version, seq: seq, flow: flow, state: to, name: name)
        return LineEntry(
            name: name, life: life, serial: serial, wallNanoseconds: time.wallNanoseconds, source: source, version: version,
            event: event, timer: timer, from: from, to: to, flow: flow, definition: definition, what: what, seq: seq,
            refused: refused, payload: payload, actor: flags.contains(.actor) ? try reader.take(UInt16.self) : LineEntry.none)
    }

    /// A two-byte length and that many bytes, or the mark of a UUID and its bytes.
    private mutating func name() throws(DamagedBatch) -> StoredName {
        let count = try reader.take(UInt16.self)
        let isUUID = count == Self.uuid
        return StoredName(try reader.take(isUUID ? StoredName.uuidLength : Int(count)), isUUID: isUUID)
    }

    private mutating func happening() throws(DamagedBatch) -> Happening {
        let number = try reader.take(UInt8.self)
        guard let what = Happening(rawValue: number) else {
            throw DamagedBatch(description: "a line of a batch tells of something unknown, \(number)")
        }
        return what
    }

    private mutating func refused() throws(DamagedBatch) -> RefusedEntry {
        let code = try reader.take(UInt16.self)
        let reason = try reader.take(UInt8.self)
        switch RefusedEntry.Reason(rawValue: reason) {
        case .sentence: return RefusedEntry(code: code, reason: .sentence, sentence: try text())
        case .accepted:
            let numbers = try reader.take(2 * Int(try reader.take(UInt8.self)))
            return RefusedEntry(code: code, reason: .accepted, acceptedBytes: numbers)
        case .unknownEvent: return RefusedEntry(code: code, reason: .unknownEvent)
        case .notAllowed: return RefusedEntry(code: code, reason: .notAllowed)
        case nil: throw DamagedBatch(description: "a line of a batch has an unknown reason, \(reason)")
        }
    }

    /// A two-byte length and that many bytes.
    private mutating func text() throws(DamagedBatch) -> UnsafeRawBufferPointer {
        try reader.take(Int(try reader.take(UInt16.self)))
    }

    private mutating func image() throws(DamagedBatch) -> ImageEntry {
        let flags = ImageFlags(rawValue: try reader.take(UInt8.self))
        let head = flags.contains(.ofLine) ? try headOfLine() : try head()
        let elapsed = flags.contains(.elapsed) ? try reader.take(Int64.self) : 0
        let data = flags.contains(.data) ? try longText() : Self.empty
        let timers = try timers()
        let waiting = flags.contains(.waiting) ? try longText() : Self.empty
        return ImageEntry(
            session: head.session, life: head.life, name: head.name, flow: head.flow, state: head.state, version: head.version,
            seq: head.seq, isFrozen: flags.contains(.frozen),
            sinceWallNanoseconds: time.wallNanoseconds.subtractingReportingOverflow(elapsed).partialValue, saved: time,
            data: data, timers: timers, waiting: waiting,
            context: flags.contains(.context) ? try longText() : Self.empty)
    }

    private struct ImageHead {
        let session: UInt32
        let life: Life
        let version: UInt32
        let seq: UInt32
        let flow: UInt16
        let state: UInt16
        let name: StoredName
    }

    private mutating func head() throws(DamagedBatch) -> ImageHead {
        ImageHead(
            session: try reader.take(UInt32.self), life: try reader.take(Life.self), version: try reader.take(UInt32.self),
            seq: try reader.take(UInt32.self), flow: try reader.take(UInt16.self), state: try reader.take(UInt16.self),
            name: try name())
    }

    /// An image that follows its line repeats nothing of it.
    private func headOfLine() throws(DamagedBatch) -> ImageHead {
        guard let lastHead else { throw DamagedBatch(description: "a batch has an image whose line is missing") }
        return lastHead
    }

    private static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    /// A four-byte length and that many bytes.
    private mutating func longText() throws(DamagedBatch) -> UnsafeRawBufferPointer {
        try reader.take(Int(try reader.take(UInt32.self)))
    }

    private mutating func timers() throws(DamagedBatch) -> TimerEntries {
        var count = Int(try reader.take(UInt8.self))
        if count == Self.manyTimers { count = Int(try reader.take(UInt16.self)) }
        return TimerEntries(bytes: try reader.take(count * TimerEntries.size))
    }
}

/// The kind of a line, and which optional parts it has.
struct LineFlags: OptionSet {
    let rawValue: UInt8

    /// It is no plain accepted event.
    static let what = LineFlags(rawValue: 1)
    static let payload = LineFlags(rawValue: 2)
    static let actor = LineFlags(rawValue: 4)
    /// Its serial number does not follow that of the line before.
    static let serial = LineFlags(rawValue: 8)
    static let refused = LineFlags(rawValue: 16)
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

    static func milestones(due count: Int) -> TimerFlags { TimerFlags(rawValue: UInt8(min(count, 31)) << 3) }
}

// Reads batches, to bring the tables up to date while the daemon runs and after a crash.

import GameFlow
import Posix
import Sessions

struct BatchDecoder {
    static let version: UInt8 = 1

    /// In place of a session's count of timers: it is this or more, and follows in two bytes.
    static let manyTimers = 255

    private var reader: BatchReader

    init(_ bytes: UnsafeRawBufferPointer) throws(DamagedBatch) {
        reader = BatchReader(bytes)
        let version = try reader.take(UInt8.self)
        guard version == Self.version else {
            throw DamagedBatch(description: "a batch of version \(version); this version reads \(Self.version)")
        }
    }

    /// The next entry; nil after the last. It points into the batch's bytes.
    mutating func next() throws(DamagedBatch) -> BatchEntry? {
        guard !reader.isAtEnd else { return nil }
        let kind = try reader.take(UInt8.self)
        switch EntryKind(rawValue: kind) {
        case .boot: return .boot(try text())
        case .name: return .name(try reader.take(UInt16.self), try reader.take(Int(try reader.take(UInt16.self))))
        case .line: return .line(try line())
        case .image: return .image(try image())
        case .drop: return .drop(try reader.take(UInt32.self), name: nil)
        case .namedDrop: return .drop(try reader.take(UInt32.self), name: try text())
        case .lastLife: return .lastLife(try reader.take(Life.self))
        case nil: throw DamagedBatch(description: "a batch has an entry of the unknown kind \(kind)")
        }
    }

    private mutating func line() throws(DamagedBatch) -> LineEntry {
        let session = try reader.take(UInt32.self)
        let life = try reader.take(Life.self)
        let serial = try reader.take(UInt64.self)
        let wall = try reader.take(Int64.self)
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
        let refused = flags.contains(.refused) ? try refused() : nil
        let payload = flags.contains(.payload) ? try text() : nil
        let what = flags.contains(.what) ? try happening() : refused == nil ? .taken : .refused
        return LineEntry(
            session: session, life: life, serial: serial, wallNanoseconds: wall, source: source, version: version, event: event,
            timer: timer, from: from, to: to, flow: flow, definition: definition, what: what, seq: seq, refused: refused,
            payload: payload,
            who: flags.contains(.who) ? try text() : nil, name: what == .dropped ? try text() : nil)
    }

    private mutating func happening() throws(DamagedBatch) -> Happening {
        let number = try reader.take(UInt8.self)
        guard let what = Happening(rawValue: number) else {
            throw DamagedBatch(description: "a line of a batch tells of something unknown, \(number)")
        }
        return what
    }

    private mutating func refused() throws(DamagedBatch) -> RefusedEntry {
        RefusedEntry(session: try text(), event: try text(), code: try text(), sentence: try text())
    }

    /// A two-byte length and that many bytes.
    private mutating func text() throws(DamagedBatch) -> UnsafeRawBufferPointer {
        try reader.take(Int(try reader.take(UInt16.self)))
    }

    private mutating func image() throws(DamagedBatch) -> ImageEntry {
        let session = try reader.take(UInt32.self)
        let life = try reader.take(Life.self)
        let version = try reader.take(UInt32.self)
        let seq = try reader.take(UInt32.self)
        let flow = try reader.take(UInt16.self)
        let state = try reader.take(UInt16.self)
        let isFrozen = try reader.take(UInt8.self) != 0
        let since = try reader.take(Int64.self)
        let saved = TurnTime(wallNanoseconds: try reader.take(Int64.self), bootNanoseconds: try reader.take(Int64.self))
        let name = try text()
        let data = try reader.take(Int(try reader.take(UInt32.self)))
        let timers = try timers()
        let waiting = try reader.take(Int(try reader.take(UInt32.self)))
        let context = try reader.take(Int(try reader.take(UInt32.self)))
        return ImageEntry(
            session: session, life: life, name: name, flow: flow, state: state, version: version, seq: seq, isFrozen: isFrozen,
            sinceWallNanoseconds: since, saved: saved, data: data, timers: timers, waiting: waiting, context: context)
    }

    private mutating func timers() throws(DamagedBatch) -> [TimerEntry] {
        var timers: [TimerEntry] = []
        var count = Int(try reader.take(UInt8.self))
        if count == Self.manyTimers { count = Int(try reader.take(UInt16.self)) }
        for _ in 0..<count {
            let name = try reader.take(UInt16.self)
            let flags = TimerFlags(rawValue: try reader.take(UInt8.self))
            let left = try reader.take(Int64.self)
            timers.append(
                TimerEntry(
                    name: name, isPendulum: flags.contains(.pendulum), isPaused: flags.contains(.paused),
                    left: flags.contains(.finished) ? nil : left,
                    milestonesDue: flags.milestonesDue))
        }
        return timers
    }
}

/// What a line is, and which texts follow it.
struct LineFlags: OptionSet {
    let rawValue: UInt8

    static let refused = LineFlags(rawValue: 1)
    static let payload = LineFlags(rawValue: 2)
    /// It is neither a plain accepted event nor a refused one.
    static let what = LineFlags(rawValue: 4)
    static let who = LineFlags(rawValue: 8)
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

// Reads batches, to bring the tables up to date while the daemon runs and after a crash.

import Posix
import Sessions

struct BatchDecoder {
    static let version: UInt8 = 4
    /// Batches before version 3 have no lives, those before 4 no contexts.
    private static let oldestVersion: UInt8 = 2

    private var reader: BatchReader
    private let hasLife: Bool
    private let hasContexts: Bool

    init(_ bytes: UnsafeRawBufferPointer) throws(DamagedBatch) {
        reader = BatchReader(bytes)
        let version = try reader.take(UInt8.self)
        guard (Self.oldestVersion...Self.version).contains(version) else {
            throw DamagedBatch(
                description: "a batch of version \(version); this version reads \(Self.oldestVersion) to \(Self.version)")
        }
        hasLife = version >= 3
        hasContexts = version >= 4
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
        case .drop: return .drop(try reader.take(UInt32.self))
        case .lastLife: return .lastLife(try reader.take(Life.self))
        case nil: throw DamagedBatch(description: "a batch has an entry of the unknown kind \(kind)")
        }
    }

    private mutating func line() throws(DamagedBatch) -> LineEntry {
        let session = try reader.take(UInt32.self)
        let life = try life()
        let serial = try reader.take(UInt64.self)
        let wall = try reader.take(Int64.self)
        let version = try reader.take(UInt32.self)
        let event = try reader.take(UInt16.self)
        let timer = try reader.take(UInt16.self)
        let from = try reader.take(UInt16.self)
        let to = try reader.take(UInt16.self)
        let source = try reader.take(UInt8.self)
        let flags = LineFlags(rawValue: try reader.take(UInt8.self))
        return LineEntry(
            session: session, life: life, serial: serial, wallNanoseconds: wall, source: source, version: version, event: event,
            timer: timer, from: from, to: to, isPostponed: flags.contains(.postponed),
            refused: flags.contains(.refused) ? try refused() : nil,
            payload: flags.contains(.payload) ? try text() : nil)
    }

    private mutating func life() throws(DamagedBatch) -> Life? { hasLife ? try reader.take(Life.self) : nil }

    private mutating func refused() throws(DamagedBatch) -> RefusedEntry {
        RefusedEntry(session: try text(), event: try text(), code: try text(), sentence: try text())
    }

    /// A two-byte length and that many bytes.
    private mutating func text() throws(DamagedBatch) -> UnsafeRawBufferPointer {
        try reader.take(Int(try reader.take(UInt16.self)))
    }

    private mutating func image() throws(DamagedBatch) -> ImageEntry {
        let session = try reader.take(UInt32.self)
        let life = try life()
        let version = try reader.take(UInt32.self)
        let flow = try reader.take(UInt16.self)
        let state = try reader.take(UInt16.self)
        let isFrozen = try reader.take(UInt8.self) != 0
        let since = try reader.take(Int64.self)
        let saved = TurnTime(wallNanoseconds: try reader.take(Int64.self), bootNanoseconds: try reader.take(Int64.self))
        let name = try text()
        let data = try reader.take(Int(try reader.take(UInt32.self)))
        let timers = try timers()
        let waiting =
            hasLife ? try reader.take(Int(try reader.take(UInt32.self))) : UnsafeRawBufferPointer(start: nil, count: 0)
        let context =
            hasContexts ? try reader.take(Int(try reader.take(UInt32.self))) : UnsafeRawBufferPointer(start: nil, count: 0)
        return ImageEntry(
            session: session, life: life, name: name, flow: flow, state: state, version: version, isFrozen: isFrozen,
            sinceWallNanoseconds: since, saved: saved, data: data, timers: timers, waiting: waiting, context: context)
    }

    private mutating func timers() throws(DamagedBatch) -> [TimerEntry] {
        var timers: [TimerEntry] = []
        for _ in 0..<(try reader.take(UInt8.self)) {
            let name = try reader.take(UInt16.self)
            let flags = TimerFlags(rawValue: try reader.take(UInt8.self))
            let left = try reader.take(Int64.self)
            timers.append(
                TimerEntry(
                    name: name, isPendulum: flags.contains(.pendulum), isPaused: flags.contains(.paused),
                    left: flags.contains(.finished) ? nil : left))
        }
        return timers
    }
}

/// What a line is, and which texts follow it.
struct LineFlags: OptionSet {
    let rawValue: UInt8

    static let refused = LineFlags(rawValue: 1)
    static let payload = LineFlags(rawValue: 2)
    static let postponed = LineFlags(rawValue: 4)
}

struct TimerFlags: OptionSet {
    let rawValue: UInt8

    static let pendulum = TimerFlags(rawValue: 1)
    static let paused = TimerFlags(rawValue: 2)
    static let finished = TimerFlags(rawValue: 4)
}

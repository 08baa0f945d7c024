// The entries of a batch, as they are read.

import GameFlow
import Posix
import Sessions

/// The first byte of an entry.
enum EntryKind: UInt8 {
    /// A name, and its number from here on.
    case name = 1
    /// A line of a session's history.
    case line = 2
    /// A session's image: its state, data, timers and waiting events at one moment.
    case image = 3
    /// The boot that the batch's times count from; the first entry of each batch.
    case boot = 5
    /// The last life given out.
    case lastLife = 6
    /// A session that has ended.
    case drop = 7
    /// The time of the entries that follow.
    case time = 8
}

/// A line as it is read.
struct LineEntry {
    let name: StoredName
    let life: Life
    let serial: UInt64
    let wallNanoseconds: Int64
    let source: UInt8
    let version: UInt32
    /// Numbers of names, or `none`.
    let event: UInt16
    let timer: UInt16
    let from: UInt16
    let to: UInt16
    let flow: UInt16
    /// `none` for a flow that is part of the program.
    let definition: UInt16
    let what: Happening
    /// The line's number within its session's life.
    let seq: UInt32
    /// Only of a refused event.
    let refused: RefusedEntry?
    /// The event's payload, as the history keeps it.
    let payload: UnsafeRawBufferPointer?
    /// The number of the actor's name, or `none`.
    let actor: UInt16

    static let none = UInt16.max
}

/// Why an event was refused: what `RefusalFacts` has, in numbers of names.
struct RefusedEntry {
    enum Reason: UInt8 {
        case sentence, accepted, unknownEvent, notAllowed
    }

    /// The number of the code's name.
    let code: UInt16
    let reason: Reason
    /// Numbers of the accepted events' names, as bytes: an array would make each line count references.
    var acceptedBytes = UnsafeRawBufferPointer(start: nil, count: 0)
    var sentence = UnsafeRawBufferPointer(start: nil, count: 0)

    var accepted: [UInt16] {
        var (reader, numbers) = (BatchReader(acceptedBytes), [UInt16]())
        while let number = try? reader.take(UInt16.self) { numbers.append(number) }
        return numbers
    }
}

/// An image as it is read.
struct ImageEntry {
    let session: UInt32
    let life: Life
    let name: StoredName
    let flow: UInt16
    let state: UInt16
    let version: UInt32
    /// The number of its latest line.
    let seq: UInt32
    let isFrozen: Bool
    let sinceWallNanoseconds: Int64
    let saved: TurnTime
    /// The state's data as JSON; empty if it carries only timers.
    let data: UnsafeRawBufferPointer
    let timers: TimerEntries
    /// Waiting events, as JSON; empty if there are none.
    let waiting: UnsafeRawBufferPointer
    /// The parameters that the session began with, as JSON; empty where its flow has none.
    let context: UnsafeRawBufferPointer
}

/// An image's timers. They are read when they are needed: of most images of a batch there is a later one.
struct TimerEntries: Sequence, IteratorProtocol {
    /// Of each.
    static let size = 11

    private var rest: UnsafeRawBufferPointer

    init(bytes: UnsafeRawBufferPointer) { rest = bytes }

    mutating func next() -> TimerEntry? {
        guard rest.count >= Self.size else { return nil }
        let flags = TimerFlags(rawValue: rest[rest.startIndex + 2])
        let left = Int64(littleEndian: rest.loadUnaligned(fromByteOffset: 3, as: Int64.self))
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Self.size)) }
        return TimerEntry(
            name: UInt16(littleEndian: rest.loadUnaligned(as: UInt16.self)), isPendulum: flags.contains(.pendulum),
            isPaused: flags.contains(.paused), left: flags.contains(.finished) ? nil : left, milestonesDue: flags.milestonesDue)
    }
}

struct TimerEntry {
    let name: UInt16
    let isPendulum: Bool
    let isPaused: Bool
    /// Nanoseconds; nil for a countdown that has fired.
    let left: Int64?
    /// How many of its milestones were due and had not come yet.
    let milestonesDue: Int
}

enum BatchEntry {
    case boot(UnsafeRawBufferPointer)
    case name(UInt16, UnsafeRawBufferPointer)
    case line(LineEntry)
    case image(ImageEntry)
    case drop(UInt32, name: StoredName)
    case lastLife(Life)
}

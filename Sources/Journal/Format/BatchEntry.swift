// The entries of a batch, as they are read.

import GameFlow
import Posix
import Sessions

/// The first byte of an entry.
enum EntryKind: UInt8 {
    /// A name that belongs to no list of a flow. Names are numbered in the order in which they come.
    case name = 1
    /// An entry of a session's history.
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
    /// A flow: its name and its definition, which count as names. Flows are numbered in the order in which they come.
    case flow = 9
    /// A flow's state, event or timer, which counts as a name.
    case flowName = 10
    /// An actor's number, and its name, which counts as a name.
    case actor = 11
}

/// A history entry as it is read: the encoded form, and the numbers of the names that it refers to.
struct LoggedEntry {
    let entry: PackedEntry
    /// Undamaged: nearly always there are none, so they are taken apart where they are needed.
    let textBytes: UnsafeRawBufferPointer
    let name: StoredName
    let life: Life
    let number: EntryNumber
    let wallNanoseconds: Int64
    /// The flow's number in its batch.
    let flow: UInt16
    let names: BatchNames.OfEntry

    var texts: EntryTexts? { entry.textCount > 0 ? EntryTexts(textBytes, entry.parts) : nil }
}

/// The values that an image has in common with its session's line.
struct ImageHead {
    let session: UInt32
    let life: Life
    let version: UInt32
    /// The number of its latest line.
    let seq: UInt32
    let flow: UInt16
    let state: UInt16
    let name: StoredName
}

/// An image as a batch has it: its names are the batch's numbers, and its timers are not read yet, since of most images there is a later
/// one in the same batch. `RowText` makes the store's row of the last one.
struct ImageEntry {
    let head: ImageHead
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
    /// Bytes of one timer.
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
    case line(LoggedEntry)
    case image(ImageEntry)
    case drop(UInt32, name: StoredName)
    case lastLife(Life)
}

// What a batch consists of, as it is written and as it is read.

import Posix
import Sessions

/// How an entry begins.
enum EntryKind: UInt8 {
    /// A name, and the number that it has from here on.
    case name = 1
    /// Something that happened to a session: a line of its history.
    case line = 2
    /// A session as it is now.
    case image = 3
    /// A session that has ended.
    case drop = 4
    /// The first of each batch: which start of the machine its times are counted from.
    case boot = 5
    /// The last life that was given out.
    case lastLife = 6
}

/// A line as it is read.
struct LineEntry {
    let session: UInt32
    /// Nil in a batch from before lives had numbers.
    let life: Life?
    let serial: UInt64
    let wallNanoseconds: Int64
    let source: UInt8
    let version: UInt32
    /// Numbers of names; `none` where there is none.
    let event: UInt16
    let timer: UInt16
    let from: UInt16
    let to: UInt16
    /// It waits for another state.
    let isPostponed: Bool
    /// Only of what was refused: the session's name is in the image of all else.
    let refused: RefusedEntry?
    /// What came along, as it is kept.
    let payload: UnsafeRawBufferPointer?

    static let none = UInt16.max
}

struct RefusedEntry {
    let session: UnsafeRawBufferPointer
    let event: UnsafeRawBufferPointer
    let code: UnsafeRawBufferPointer
    let sentence: UnsafeRawBufferPointer
}

/// An image as it is read.
struct ImageEntry {
    let session: UInt32
    let life: Life?
    let name: UnsafeRawBufferPointer
    let flow: UInt16
    let state: UInt16
    let version: UInt32
    let isFrozen: Bool
    let sinceWallNanoseconds: Int64
    let saved: TurnTime
    /// The state's data as JSON; empty if it carries only timers.
    let data: UnsafeRawBufferPointer
    let timers: [TimerEntry]
    /// Events that wait, as JSON; empty if there are none.
    let waiting: UnsafeRawBufferPointer
    /// The parameters that it was begun with, as JSON; empty where its flow has none.
    let context: UnsafeRawBufferPointer
}

struct TimerEntry {
    let name: UInt16
    let isPendulum: Bool
    let isPaused: Bool
    /// Nanoseconds; nil for a countdown that has fired.
    let left: Int64?
}

enum BatchEntry {
    case boot(UnsafeRawBufferPointer)
    case name(UInt16, UnsafeRawBufferPointer)
    case line(LineEntry)
    case image(ImageEntry)
    case drop(UInt32)
    case lastLife(Life)
}

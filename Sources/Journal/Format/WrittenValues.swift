// Values that stand in the open batch already. Entries omit them, which halves a record.

import Posix
import Sessions

/// The last time, serial number and line of the open batch.
struct WrittenValues {
    var time = TurnTime(wallNanoseconds: .min, bootNanoseconds: .min)
    var serial: UInt64 = 0
    /// Mostly followed by its image.
    var line: WrittenLine?
}

/// The part of a line that its image omits.
struct WrittenLine: Equatable {
    let session: UInt32
    let life: Life
    let version: UInt32
    let seq: UInt32
    let flow: UInt16
    let to: UInt16
}

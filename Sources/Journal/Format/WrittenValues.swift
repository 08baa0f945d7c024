// Values that stand in the open batch already. Entries omit them, which halves a record.

import Posix

/// The last time and serial number of the open batch.
struct WrittenValues {
    var time = TurnTime(wallNanoseconds: .min, bootNanoseconds: .min)
    var serial: UInt64 = 0
}

// Entries of the history that may happen again and again: each is one line of the ring, which counts.

import GameFlow
import Memory

/// How often an entry has happened, and the last time.
package struct Repetition: BitwiseCopyable, Equatable, Sendable {
    package internal(set) var times: UInt32
    package internal(set) var lastAt: Instant
    package internal(set) var lastSeq: UInt32
    package internal(set) var lastVersion: UInt32

    package init(times: UInt32, lastAt: Instant, lastSeq: UInt32, lastVersion: UInt32) {
        (self.times, self.lastAt, self.lastSeq, self.lastVersion) = (times, lastAt, lastSeq, lastVersion)
    }
}

/// The counts of the ring's lines that may repeat, by number.
struct Repetitions: ~Copyable {
    struct Count: BitwiseCopyable {
        var repetition: Repetition
        /// The serial number under which the entry is recorded; the next free number, if this one is free.
        fileprivate(set) var serial: UInt64
        /// The position of its texts in `HistoryTexts`.
        let texts: UInt64
    }

    private var counts = Chunks<Count>()
    /// Numbers below this have been used.
    private var end: UInt32 = 0
    private var used = 0
    /// The first free number below `end`, or `end` if all are in use.
    private var free: UInt32 = 0

    /// Memory held, in bytes.
    var footprint: Int { counts.footprint }

    /// Gives the memory back: see `SessionTable.freeMemory`.
    mutating func freeMemory() {
        counts.removeAll()
        (end, used, free) = (0, 0, 0)
    }

    subscript(number: UInt64) -> Count {
        get { counts[UInt32(truncatingIfNeeded: number)] }
        nonmutating set { counts[UInt32(truncatingIfNeeded: number)] = newValue }
    }

    /// Returns its number.
    mutating func add(_ count: Count) -> UInt64 {
        let number = free
        if number == end {
            counts.makeRoom(for: end)
            end += 1
            free = end
        } else {
            free = UInt32(truncatingIfNeeded: counts[number].serial)
        }
        counts[number] = count
        used += 1
        return UInt64(number)
    }

    mutating func remove(_ number: UInt64) {
        used -= 1
        guard used > 0 else { return freeMemory() }
        let number = UInt32(truncatingIfNeeded: number)
        counts[number].serial = UInt64(free)
        free = number
    }
}

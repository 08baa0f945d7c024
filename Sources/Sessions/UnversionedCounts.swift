// How many lines of a session's history are no changes, so that every line of a life has a number.

import Memory

/// A session's `seq` is its version, and one for its beginning, and those counted here. Most sessions have none, and take no memory.
struct UnversionedCounts: ~Copyable {
    private var counts = Chunks<UInt32>(blank: 0)
    /// Slots below this have room.
    private var end: UInt32 = 0

    /// The lines of the session in this slot that are no changes.
    subscript(slot: UInt32) -> UInt32 { slot < end ? counts[slot] : 0 }

    mutating func increment(_ slot: UInt32) {
        // One that has been counted has memory of its own.
        if slot < end, counts[slot] > 0 { counts[slot] &+= 1 } else { set(slot, 1) }
    }

    mutating func set(_ slot: UInt32, _ count: UInt32) {
        guard self[slot] != count else { return }
        counts.makeRoom(for: slot)
        end = max(end, (slot / Chunks<UInt32>.size + 1) * Chunks<UInt32>.size)
        counts[slot] = count
    }

    /// Gives their memory back: see `SessionTable.freeMemory`.
    mutating func freeMemory() {
        counts.removeAll()
        end = 0
    }
}

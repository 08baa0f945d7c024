// Of which sessions the observers need to be told: telling costs a part of what an event costs, and is mostly in vain.

import GameFlow
import Memory

/// Whether an observer must be told of what a session does next.
public enum ObserverInterest {
    case stays
    /// Not before `Sessions.resumeObserving`, but for the session's end.
    case suspended
}

/// A set of slots, a bit each. Not of arrays: counting their references waits until the processor has written all that went before.
package struct SlotSet: ~Copyable {
    private var words = Chunks<UInt64>(blank: 0)
    /// Words below this have room.
    private var end: UInt32 = 0
    /// Words from this one on are empty.
    private var used: UInt32 = 0

    package init() {}

    package func contains(_ slot: UInt32) -> Bool { slot >> 6 < end && words[slot >> 6] & Self.bit(slot) != 0 }

    package mutating func insert(_ slot: UInt32) {
        guard slot != FlightMark.noSlot else { return }
        let word = slot >> 6
        if word >= end { grow(to: word) }
        used = max(used, word + 1)
        words[word] |= Self.bit(slot)
    }

    package mutating func remove(_ slot: UInt32) {
        if slot >> 6 < end { words[slot >> 6] &= ~Self.bit(slot) }
    }

    /// Keeps the room that it has.
    package mutating func removeAll() {
        for word in 0..<used { words[word] = 0 }
        used = 0
    }

    /// Gives their memory back: see `SessionTable.freeMemory`.
    package mutating func freeMemory() {
        words.removeAll()
        (end, used) = (0, 0)
    }

    private mutating func grow(to word: UInt32) {
        let size = Chunks<UInt64>.size
        while end <= word {
            words.makeRoom(for: end)
            end += size
        }
    }

    private static func bit(_ slot: UInt32) -> UInt64 { 1 << UInt64(slot & 63) }
}

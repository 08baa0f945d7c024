// Which sessions have changed, in order, so that each reader goes on from where it is.

import GameFlow
import Memory

/// The latest changes in order, and the latest change of each slot. A session that has changed again since is met only once, at its latest
/// change.
package struct Changes {
    /// Capacity of the ring. A follower that is further behind finds the changed sessions by their slots.
    package static let capacity = 1 << 16
    /// In place of a slot: a session that is gone.
    private static let isGone = UInt32.max

    private var ring: [UInt32] = []
    /// The number of the first change recorded since the last `forget`. A follower that returns from before it has missed unrecorded changes.
    private var base: UInt64 = 1
    /// The number of the change that comes next.
    package private(set) var next: UInt64 = 1
    /// The number of each slot's latest change; 0 for one that has not changed.
    private var latest: [UInt64] = []
    /// The names of the gone that are in the ring, by the number of the change.
    private var gone: [UInt64: ByteString] = [:]
    /// The latest change of a session that is gone, after its name has left the ring.
    private var lastForgotten: UInt64 = 0

    // MARK: Adding

    mutating func add(slot: UInt32) {
        guard slot != FlightMark.noSlot else { return }
        let place = Int(slot)
        if place >= latest.count { latest += Array(repeating: 0, count: max(place + 1, 2 * latest.count) - latest.count) }
        latest[place] = next
        append(slot)
    }

    mutating func add(gone name: ByteString) {
        gone[next] = name
        append(Self.isGone)
    }

    private mutating func append(_ slot: UInt32) {
        if ring.count < Self.capacity {
            ring.append(slot)
        } else {
            let place = place(of: next)
            if ring[place] == Self.isGone {
                lastForgotten = next - UInt64(Self.capacity)
                gone[lastForgotten] = nil
            }
            ring[place] = slot
        }
        next += 1
    }

    private func place(of number: UInt64) -> Int { Int((number - base) % UInt64(Self.capacity)) }

    /// Called when the last follower has left. A client that returns later has missed the changes from here on.
    mutating func forget() {
        let number = next + 1
        self = Changes()
        (base, next) = (number, number)
    }

    // MARK: Following

    /// The oldest number from which one can go on in order.
    package var oldest: UInt64 { next - UInt64(ring.count) }

    /// Whether all that has changed from that number on is known, be it in order or not.
    package func isKnown(from number: UInt64) -> Bool { max(base, lastForgotten + 1) <= number && number <= next }

    /// Returns at most `count` changes from that number on, and the number to continue from.
    package func changes(from number: UInt64, atMost count: Int) -> (slots: [UInt32], gone: [ByteString], next: UInt64) {
        var (slots, names, number): ([UInt32], [ByteString], UInt64) = ([], [], number)
        while number < next, slots.count + names.count < count {
            let slot = ring[place(of: number)]
            if slot == Self.isGone {
                if let name = gone[number] { names.append(name) }
            } else if latest[Int(slot)] == number {
                slots.append(slot)
            }
            number += 1
        }
        return (slots, names, number)
    }

    /// Slots that are looked at together.
    private static let maxSlots = 1 << 16

    /// Returns at most `count` slots, from `first` on, that have changed since that number, and the slot to continue from; nil at the end.
    package func slots(from first: Int, changedSince number: UInt64, atMost count: Int) -> (slots: [UInt32], next: Int?) {
        var (slots, slot): ([UInt32], Int) = ([], first)
        let end = min(latest.count, first + Self.maxSlots)
        while slot < end, slots.count < count {
            if latest[slot] >= number { slots.append(UInt32(slot)) }
            slot += 1
        }
        return (slots, slot < latest.count ? slot : nil)
    }

    /// The names of those that have gone from one number on, and before another, in the first `count` changes; and the number to continue from.
    package func gone(
        from first: UInt64, before end: UInt64, in count: Int = capacity
    ) -> (names: [ByteString], next: UInt64) {
        let (first, end) = (max(first, oldest), min(end, next))
        guard first < end else { return ([], end) }
        let stop = first + min(UInt64(count), end - first)
        return ((first..<stop).compactMap { ring[place(of: $0)] == Self.isGone ? gone[$0] : nil }, stop)
    }
}

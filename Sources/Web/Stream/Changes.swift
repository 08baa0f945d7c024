// Which sessions have changed, in order, so that each reader goes on from where it is.

import RESP

/// A ring of the latest changes. A session that has changed again since is met only once, at its latest change.
struct Changes {
    enum Change {
        /// The session in this slot.
        case slot(UInt32)
        case gone(ByteString)
    }

    /// Whoever is further behind gets the whole anew.
    private static let most = 1 << 16

    private var ring: [Change] = []
    /// The number of the change that stood first in it.
    private var base: UInt64 = 0
    /// The number of the change that comes next.
    private(set) var next: UInt64 = 0
    /// The number of each slot's latest change.
    private var latest: [UInt64] = []

    /// The oldest number from which one can go on.
    var oldest: UInt64 { next - UInt64(ring.count) }

    mutating func add(slot: UInt32) {
        let place = Int(slot)
        if place >= latest.count { latest += Array(repeating: .max, count: max(place + 1, 2 * latest.count) - latest.count) }
        latest[place] = next
        append(.slot(slot))
    }

    mutating func add(gone name: ByteString) { append(.gone(name)) }

    private mutating func append(_ change: Change) {
        if ring.count < Self.most { ring.append(change) } else { ring[place(of: next)] = change }
        next += 1
    }

    private func place(of number: UInt64) -> Int { Int((number - base) % UInt64(Self.most)) }

    /// The changes from that number on, so many at most, and where to go on.
    func changes(from number: UInt64, atMost count: Int) -> (slots: [UInt32], gone: [ByteString], next: UInt64) {
        var (slots, gone, number): ([UInt32], [ByteString], UInt64) = ([], [], number)
        while number < next, slots.count + gone.count < count {
            switch ring[place(of: number)] {
            case .slot(let slot): if latest[Int(slot)] == number { slots.append(slot) }
            case .gone(let name): gone.append(name)
            }
            number += 1
        }
        return (slots, gone, number)
    }

    /// Nobody follows any more: who comes back has missed what follows.
    mutating func forget() {
        next += 1
        base = next
        ring = []
        latest = []
    }
}

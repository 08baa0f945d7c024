// Places by hash. Two hundred and fifty-six small tables instead of a large one: when one grows, that takes microseconds, and
// nobody is kept waiting while a million names are sorted anew.

/// Open addressing. A slot holds a place, and eight bits of the hash that spare most looks at the wrong record.
struct SessionIndex: ~Copyable {
    private static let shardBits: UInt64 = 8
    private static let smallest = 8
    private static let empty = UInt32.max
    private static let placeMask: UInt32 = 1 << 24 - 1

    private struct Shard {
        var slots: UnsafeMutablePointer<UInt32>
        var capacity: Int
        var count = 0

        init(capacity: Int) {
            self.capacity = capacity
            slots = .allocate(capacity: capacity)
            slots.initialize(repeating: SessionIndex.empty, count: capacity)
        }
    }

    private let shards: UnsafeMutablePointer<Shard>

    init() {
        shards = .allocate(capacity: 1 << Int(Self.shardBits))
        for number in 0..<(1 << Int(Self.shardBits)) { (shards + number).initialize(to: Shard(capacity: Self.smallest)) }
    }

    deinit {
        for number in 0..<(1 << Int(Self.shardBits)) { shards[number].slots.deallocate() }
        shards.deallocate()
    }

    // The shard by the highest bits of the hash, the mark by the next, the slot by the lowest.

    @inline(__always)
    private func shard(_ hash: UInt64) -> UnsafeMutablePointer<Shard> { shards + Int(hash >> (64 - Self.shardBits)) }

    @inline(__always)
    private static func mark(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 48) & 0xFF }

    @inline(__always)
    func find(_ hash: UInt64, isIt: (UInt32) -> Bool) -> UInt32? {
        let shard = shard(hash)
        let (slots, mask) = (shard.pointee.slots, shard.pointee.capacity - 1)
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != Self.empty {
            let (mark, place) = (slots[slot] >> 24, slots[slot] & Self.placeMask)
            if mark == Self.mark(hash), isIt(place) { return place }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Where the search for a hash begins.
    @inline(__always)
    func slotAddress(of hash: UInt64) -> UnsafePointer<UInt32> {
        let shard = shard(hash)
        return UnsafePointer(shard.pointee.slots + Int(truncatingIfNeeded: hash) & (shard.pointee.capacity - 1))
    }

    /// The first place with the hash's mark: nearly always the one that is looked for.
    @inline(__always)
    func likely(_ hash: UInt64) -> UInt32? {
        find(hash) { _ in true }
    }

    func isFull(for hash: UInt64) -> Bool {
        let shard = shard(hash)
        return (shard.pointee.count + 1) * 4 > shard.pointee.capacity * 3
    }

    /// Room for so many places, if there are none yet: as much as they would have made it grow to.
    func makeRoom(for count: Int) {
        let inEach = count >> Int(Self.shardBits)
        // Some shards get more than others; one that does not suffice grows all the same.
        let needed = (inEach + inEach / 16) * 4 / 3
        guard needed > Self.smallest else { return }
        let capacity = 1 << (Int.bitWidth - (needed - 1).leadingZeroBitCount)
        for number in 0..<(1 << Int(Self.shardBits)) where shards[number].count == 0 {
            shards[number].slots.deallocate()
            shards[number] = Shard(capacity: capacity)
        }
    }

    func insert(_ place: UInt32, _ hash: UInt64) {
        let shard = shard(hash)
        let (slots, mask) = (shard.pointee.slots, shard.pointee.capacity - 1)
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != Self.empty { slot = (slot + 1) & mask }
        slots[slot] = Self.mark(hash) << 24 | place
        shard.pointee.count += 1
    }

    func grow(for hash: UInt64, hashOf: (UInt32) -> UInt64) {
        let shard = shard(hash)
        let old = shard.pointee
        shard.pointee = Shard(capacity: old.capacity * 2)
        for slot in 0..<old.capacity where old.slots[slot] != Self.empty {
            let place = old.slots[slot] & Self.placeMask
            insert(place, hashOf(place))
        }
        old.slots.deallocate()
    }

    /// Takes the place out, and moves back those behind it that a search would no longer reach.
    func remove(_ place: UInt32, _ hash: UInt64, hashOf: (UInt32) -> UInt64) {
        let shard = shard(hash)
        let (slots, mask) = (shard.pointee.slots, shard.pointee.capacity - 1)
        var hole = Int(truncatingIfNeeded: hash) & mask
        while slots[hole] & Self.placeMask != place { hole = (hole + 1) & mask }
        shard.pointee.count -= 1
        var next = hole
        while true {
            next = (next + 1) & mask
            guard slots[next] != Self.empty else { break }
            let home = Int(truncatingIfNeeded: hashOf(slots[next] & Self.placeMask)) & mask
            guard (next - home) & mask >= (next - hole) & mask else { continue }
            slots[hole] = slots[next]
            hole = next
        }
        slots[hole] = Self.empty
    }
}

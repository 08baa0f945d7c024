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

        /// Where the search for a hash begins. The capacity need be no power of two; all bits of the hash have their say, since those
        /// of names that are numbered differ in some places only.
        @inline(__always)
        func home(_ hash: UInt64) -> Int {
            let mixed = (hash &* 0x9E37_79B9_7F4A_7C15) >> 32
            return Int((mixed &* UInt64(capacity)) >> 32)
        }

        @inline(__always)
        func next(_ slot: Int) -> Int { slot &+ 1 == capacity ? 0 : slot &+ 1 }

        /// How many slots further on.
        func distance(from home: Int, to slot: Int) -> Int { slot >= home ? slot - home : slot + capacity - home }
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

    // The shard by the highest bits of the hash, the fingerprint by the next, the slot by all of them.

    @inline(__always)
    private func shard(_ hash: UInt64) -> UnsafeMutablePointer<Shard> { shards + Int(hash >> (64 - Self.shardBits)) }

    @inline(__always)
    private static func fingerprint(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 48) & 0xFF }

    @inline(__always)
    func find(_ hash: UInt64, isIt: (UInt32) -> Bool) -> UInt32? {
        let shard = shard(hash).pointee
        let slots = shard.slots
        var slot = shard.home(hash)
        while slots[slot] != Self.empty {
            let (fingerprint, place) = (slots[slot] >> 24, slots[slot] & Self.placeMask)
            if fingerprint == Self.fingerprint(hash), isIt(place) { return place }
            slot = shard.next(slot)
        }
        return nil
    }

    /// Where the search for a hash begins.
    @inline(__always)
    func slotAddress(of hash: UInt64) -> UnsafePointer<UInt32> {
        let shard = shard(hash).pointee
        return UnsafePointer(shard.slots + shard.home(hash))
    }

    /// The first place with the hash's fingerprint: nearly always the one that is looked for.
    @inline(__always)
    func likely(_ hash: UInt64) -> UInt32? {
        find(hash) { _ in true }
    }

    /// How many slots further on than the search for it begins a place is; it must be there.
    func detour(to place: UInt32, _ hash: UInt64) -> Int {
        let shard = shard(hash).pointee
        var (slot, steps) = (shard.home(hash), 0)
        while shard.slots[slot] & Self.placeMask != place { (slot, steps) = (shard.next(slot), steps + 1) }
        return steps
    }

    func isFull(for hash: UInt64) -> Bool {
        let shard = shard(hash)
        return (shard.pointee.count + 1) * 5 > shard.pointee.capacity * 4
    }

    /// Room for so many places, if there are none yet.
    func makeRoom(for count: Int) {
        let inEach = count >> Int(Self.shardBits)
        // Some shards get more than others; one that does not suffice grows all the same.
        let capacity = (inEach + inEach / 16) * 5 / 4 + 1
        guard capacity > Self.smallest else { return }
        for number in 0..<(1 << Int(Self.shardBits)) where shards[number].count == 0 {
            shards[number].slots.deallocate()
            shards[number] = Shard(capacity: capacity)
        }
    }

    func insert(_ place: UInt32, _ hash: UInt64) {
        let shard = shard(hash)
        let slots = shard.pointee.slots
        var slot = shard.pointee.home(hash)
        while slots[slot] != Self.empty { slot = shard.pointee.next(slot) }
        slots[slot] = Self.fingerprint(hash) << 24 | place
        shard.pointee.count += 1
    }

    func grow(for hash: UInt64, hashOf: (UInt32) -> UInt64) {
        let shard = shard(hash)
        let old = shard.pointee
        // By half, since twice as much would lie empty most of the time.
        shard.pointee = Shard(capacity: old.capacity + old.capacity / 2)
        for slot in 0..<old.capacity where old.slots[slot] != Self.empty {
            let place = old.slots[slot] & Self.placeMask
            insert(place, hashOf(place))
        }
        old.slots.deallocate()
    }

    /// Takes the place out, and moves back those behind it that a search would no longer reach.
    func remove(_ place: UInt32, _ hash: UInt64, hashOf: (UInt32) -> UInt64) {
        let shard = shard(hash)
        shard.pointee.count -= 1
        let (table, slots) = (shard.pointee, shard.pointee.slots)
        var hole = table.home(hash)
        while slots[hole] & Self.placeMask != place { hole = table.next(hole) }
        var next = hole
        while true {
            next = table.next(next)
            guard slots[next] != Self.empty else { break }
            let home = table.home(hashOf(slots[next] & Self.placeMask))
            guard table.distance(from: home, to: next) >= table.distance(from: hole, to: next) else { continue }
            slots[hole] = slots[next]
            hole = next
        }
        slots[hole] = Self.empty
    }
}

// Finds session slots by hash. 256 small tables instead of a large one: growing one takes microseconds, where rehashing a million
// names at once would stall every client.

/// Open addressing. A bucket holds a slot and an 8-bit fingerprint of the hash, which avoids most visits to wrong records.
struct SessionIndex: ~Copyable {
    private static let shardBits: UInt64 = 8
    private static let minCapacity = 8
    private static let empty = UInt32.max
    private static let slotMask: UInt32 = 1 << 24 - 1

    fileprivate struct Shard {
        var buckets: UnsafeMutablePointer<UInt32>
        var capacity: Int
        var count = 0

        init(capacity: Int) {
            self.capacity = capacity
            buckets = .allocate(capacity: capacity)
            buckets.initialize(repeating: SessionIndex.empty, count: capacity)
        }

        /// The bucket where the search for a hash begins. The capacity need not be a power of two. The multiplication mixes all
        /// bits in, since the hashes of numbered names differ in a few bits only.
        func home(_ hash: UInt64) -> Int {
            let mixed = (hash &* 0x9E37_79B9_7F4A_7C15) >> 32
            return Int((mixed &* UInt64(capacity)) >> 32)
        }

        func next(_ bucket: Int) -> Int { bucket &+ 1 == capacity ? 0 : bucket &+ 1 }

        func distance(from home: Int, to bucket: Int) -> Int { bucket >= home ? bucket - home : bucket + capacity - home }
    }

    private let shards: UnsafeMutablePointer<Shard>

    init() {
        shards = .allocate(capacity: 1 << Int(Self.shardBits))
        for number in 0..<(1 << Int(Self.shardBits)) { (shards + number).initialize(to: Shard(capacity: Self.minCapacity)) }
    }

    deinit {
        for number in 0..<(1 << Int(Self.shardBits)) { shards[number].buckets.deallocate() }
        shards.deallocate()
    }

    // The highest bits of the hash select the shard, the next are the fingerprint, and all of them select the bucket.

    private func shard(_ hash: UInt64) -> UnsafeMutablePointer<Shard> { shards + Int(hash >> (64 - Self.shardBits)) }

    private static func fingerprint(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 48) & 0xFF }

    /// The slots with a hash of the same fingerprint, in search order. Closures would each copy the table's head.
    @inline(__always)
    func candidates(_ hash: UInt64) -> Candidates {
        let shard = shard(hash).pointee
        return Candidates(shard: shard, bucket: shard.home(hash), fingerprint: Self.fingerprint(hash))
    }

    struct Candidates {
        fileprivate let shard: Shard
        fileprivate var bucket: Int
        fileprivate let fingerprint: UInt32

        @inline(__always)
        mutating func next() -> UInt32? {
            while true {
                let content = shard.buckets[bucket]
                if content == SessionIndex.empty { return nil }
                bucket = shard.next(bucket)
                if content >> 24 == fingerprint { return content & SessionIndex.slotMask }
            }
        }
    }

    /// The address of the bucket where the search for a hash begins.
    func bucketAddress(of hash: UInt64) -> UnsafePointer<UInt32> {
        let shard = shard(hash).pointee
        return UnsafePointer(shard.buckets + shard.home(hash))
    }

    /// The first slot with the hash's fingerprint: nearly always the right one.
    @inline(__always)
    func likely(_ hash: UInt64) -> UInt32? {
        var candidates = candidates(hash)
        return candidates.next()
    }

    /// The number of steps that a search for this slot takes. The slot must be in the index. For tests.
    func detour(to slot: UInt32, _ hash: UInt64) -> Int {
        let shard = shard(hash).pointee
        var (bucket, steps) = (shard.home(hash), 0)
        while shard.buckets[bucket] & Self.slotMask != slot { (bucket, steps) = (shard.next(bucket), steps + 1) }
        return steps
    }

    func isFull(for hash: UInt64) -> Bool {
        let shard = shard(hash)
        return (shard.pointee.count + 1) * 5 > shard.pointee.capacity * 4
    }

    /// Allocates for this many slots, in shards that are still empty.
    func makeRoom(for count: Int) {
        let inEach = count >> Int(Self.shardBits)
        // Shards fill unevenly; one that is too small still grows.
        let capacity = (inEach + inEach / 16) * 5 / 4 + 1
        guard capacity > Self.minCapacity else { return }
        for number in 0..<(1 << Int(Self.shardBits)) where shards[number].count == 0 {
            shards[number].buckets.deallocate()
            shards[number] = Shard(capacity: capacity)
        }
    }

    func insert(_ slot: UInt32, _ hash: UInt64) {
        let shard = shard(hash)
        let buckets = shard.pointee.buckets
        var bucket = shard.pointee.home(hash)
        while buckets[bucket] != Self.empty { bucket = shard.pointee.next(bucket) }
        buckets[bucket] = Self.fingerprint(hash) << 24 | slot
        shard.pointee.count += 1
    }

    func grow(for hash: UInt64, hashOf: (UInt32) -> UInt64) {
        let shard = shard(hash)
        let old = shard.pointee
        // By half: doubling would leave more memory empty.
        shard.pointee = Shard(capacity: old.capacity + old.capacity / 2)
        for bucket in 0..<old.capacity where old.buckets[bucket] != Self.empty {
            let slot = old.buckets[bucket] & Self.slotMask
            insert(slot, hashOf(slot))
        }
        old.buckets.deallocate()
    }

    /// Removes the slot, and moves back those behind it that a search would no longer reach.
    func remove(_ slot: UInt32, _ hash: UInt64, hashOf: (UInt32) -> UInt64) {
        let shard = shard(hash)
        shard.pointee.count -= 1
        let (table, buckets) = (shard.pointee, shard.pointee.buckets)
        var hole = table.home(hash)
        while buckets[hole] & Self.slotMask != slot { hole = table.next(hole) }
        var next = hole
        while true {
            next = table.next(next)
            guard buckets[next] != Self.empty else { break }
            let home = table.home(hashOf(buckets[next] & Self.slotMask))
            guard table.distance(from: home, to: next) >= table.distance(from: hole, to: next) else { continue }
            buckets[hole] = buckets[next]
            hole = next
        }
        buckets[hole] = Self.empty
    }
}

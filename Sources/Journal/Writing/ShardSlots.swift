// Which shard each session is in, by its slot: a node that lets go of a shard must find its sessions without hashing all names.

struct ShardSlots {
    /// By slot; a free slot keeps its last shard.
    private var shards: [UInt16] = []

    subscript(slot: UInt32) -> Int? {
        slot < shards.count ? Int(shards[Int(slot)]) : nil
    }

    mutating func set(_ slot: UInt32, _ shard: Int) {
        if slot >= shards.count { grow(to: Int(slot)) }
        shards[Int(slot)] = UInt16(truncatingIfNeeded: shard)
    }

    private mutating func grow(to slot: Int) {
        shards += repeatElement(.max, count: max(1_024, slot + 1 - shards.count, shards.count / 2))
    }

    /// The slots that may have sessions of this shard.
    func slots(of shard: Int) -> [UInt32] {
        let wanted = UInt16(truncatingIfNeeded: shard)
        return shards.indices.filter { shards[$0] == wanted }.map { UInt32($0) }
    }
}

// Slots in shards: what is owned, and moves, as one. Their number is chosen when the database is made, and stays.

package struct ShardMap: Equatable, Sendable {
    package static let usualCount = 256
    package static let allowedCounts = 1...HashSlot.count

    package let count: Int

    /// Nil unless the number is allowed.
    package init?(count: Int) {
        guard Self.allowedCounts.contains(count) else { return nil }
        self.count = count
    }

    private init(checked count: Int) {
        self.count = count
    }

    package static let usual = ShardMap(checked: usualCount)

    package func shard(ofSlot slot: Int) -> Int {
        slot * count / HashSlot.count
    }

    package func shard(of name: UnsafeRawBufferPointer) -> Int {
        count == 1 ? 0 : shard(ofSlot: HashSlot.of(name))
    }

    package func shard(of name: String) -> Int {
        count == 1 ? 0 : shard(ofSlot: HashSlot.of(name))
    }

    /// The slots of a shard are contiguous, and each shard has as many as any other, or one less.
    package func slots(ofShard shard: Int) -> ClosedRange<Int> {
        first(ofShard: shard)...(first(ofShard: shard + 1) - 1)
    }

    private func first(ofShard shard: Int) -> Int {
        (shard * HashSlot.count + count - 1) / count
    }
}

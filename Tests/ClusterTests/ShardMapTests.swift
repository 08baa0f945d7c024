import Testing

@testable import Cluster

@Suite struct `A map of shards` {
    @Test(arguments: [1, 2, 3, 7, 256, 1_000, 10_000, 16_383, 16_384])
    func `Every slot is in one shard, and shards are ranges whose sizes differ by at most 1`(count: Int) throws {
        let map = try #require(ShardMap(count: count))
        var next = 0
        var sizes: Set<Int> = []
        for shard in 0..<count {
            let slots = map.slots(ofShard: shard)
            #expect(slots.lowerBound == next)
            #expect(map.shard(ofSlot: slots.lowerBound) == shard && map.shard(ofSlot: slots.upperBound) == shard)
            sizes.insert(slots.count)
            next = slots.upperBound + 1
        }
        #expect(next == HashSlot.count)
        #expect(sizes.count <= 2 && sizes.max().map { $0 - 1 <= sizes.min() ?? 0 } == true)
    }

    @Test(arguments: [-1, 0, 16_385]) func `A map has at least one shard, and at most one for each slot`(count: Int) {
        #expect(ShardMap(count: count) == nil)
    }

    @Test func `A map has 256 shards by default`() {
        #expect(ShardMap.usual.count == 256)
        #expect(ShardMap.usual.shard(of: "room-7") == ShardMap.usual.shard(of: "{room-7}:left"))
    }
}

import Seeds
import Testing

@testable import Cluster

@Suite struct `The shards that a node owns` {
    @Test func `A shard that a node owns is found by its number and by its stage`() {
        var random = SeededGenerator.announced("holdings", seed: 22)
        var (holdings, model): (OwnedShards, [Int: OwnedShard]) = (OwnedShards(), [:])
        for step in 0..<2_000 {
            let shard = Int.random(in: 0..<70, using: &random)
            let stage = OwnedShard.Stage.allCases.randomElement(using: &random) ?? .loading
            let holding = Int.random(in: 0..<4, using: &random) == 0 ? nil : OwnedShard(epoch: Int64(step), stage: stage)
            holdings[shard] = holding
            model[shard] = holding
            #expect((-1...70).allSatisfy { holdings[$0] == model[$0] })
            #expect(Array(holdings.shards) == model.keys.sorted())
            for stage in OwnedShard.Stage.allCases {
                #expect(Array(holdings.shards(in: stage)) == model.filter { $0.value.stage == stage }.keys.sorted())
            }
            #expect(Array(holdings.outOfMemory) == model.filter { !$0.value.isInMemory }.keys.sorted())
        }
    }

    @Test func `A node releases shards that it does not serve first, and shards that it still loads last`() {
        var holdings = OwnedShards()
        for (shard, stage) in [OwnedShard.Stage.loading, .serving, .released, .releasing, .declined, .serving].enumerated() {
            holdings[shard] = OwnedShard(epoch: 1, stage: stage)
        }
        #expect(holdings.inGivingOrder == [4, 2, 3, 5, 1, 0])
    }
}

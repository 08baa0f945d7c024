import ClusterSimulation
import Foundation
import Seeds
import Testing

/// `make soak` simulates a hundred nodes with 10,000 shards for an hour.
@Suite struct `A simulated cluster` {
    /// NODES,SHARDS,SECONDS
    private static var size: WorldSize {
        let given = ProcessInfo.processInfo.environment["GAMED_CLUSTER_SIM"]?.split(separator: ",").compactMap { Int($0) } ?? []
        return given.count == 3
            ? WorldSize(nodes: given[0], shards: given[1], seconds: given[2]) : WorldSize(nodes: 7, shards: 100, seconds: 300)
    }

    @Test func `A cluster under random failures serves no shard twice, and recovers after each round`() throws {
        let world = World(Self.size, random: SeededGenerator.announced("cluster", seed: 15))
        try world.runRounds()
        print(world.summary)
    }

    @Test func `A registry that goes back in time loses no shard, and no change its last owner acknowledged`() throws {
        for seed in 1...60 as ClosedRange<UInt64> {
            let world = World(
                WorldSize(nodes: 2 + Int(seed % 3), shards: seed % 2 == 0 ? 8 : 40, seconds: 0),
                random: SeededGenerator.announced("rewinds", seed: seed))
            try world.runRewinds(10)
        }
    }
}

import Cluster
import Seeds
import Testing

@testable import ClusterSimulation

/// Guarantees if one thing happens at a time, in virtual time: messages take 0.2 to 2 ms, and loading a shard takes 1 to 20 ms.
@Suite struct `A cluster with one disturbance at a time` {
    private func world(_ nodes: Int, shards: Int = 256, seed: UInt64 = 1, started: Int? = nil) throws -> World {
        let world = World(
            WorldSize(nodes: nodes, shards: shards, seconds: 0), random: SeededGenerator.announced("calm", seed: seed))
        for index in 0..<(started ?? nodes) { world.start(index) }
        try world.run(until: 10 * .second)
        return world
    }

    private func counts(_ world: World) -> [Int] {
        world.nodes.filter(\.isUp).map { $0.member.shards.count }.sorted()
    }

    /// Runs for `seconds`. Returns the longest time in milliseconds for which a shard was not served, for each such shard.
    private func gaps(_ world: World, seconds: Int64) throws -> [Int: Int64] {
        let (step, end) = (4 * Int64.millisecond, world.now + seconds * .second)
        var (since, gaps): ([Int: Int64], [Int: Int64]) = ([:], [:])
        while world.now < end {
            let unserved = world.unserved()
            for shard in unserved where since[shard] == nil { since[shard] = world.now }
            for (shard, began) in since where !unserved.contains(shard) {
                gaps[shard] = max(gaps[shard] ?? 0, (world.now - began) / .millisecond)
                since[shard] = nil
            }
            try world.run(until: world.now + step)
        }
        #expect(since.isEmpty)
        return gaps
    }

    @Test func `Nodes that start together serve all shards within 1200 ms, and no shard moves twice`() throws {
        let world = World(WorldSize(nodes: 3, shards: 256, seconds: 0), random: SeededGenerator.announced("fresh", seed: 1))
        for index in 0..<3 { world.start(index) }
        try world.run(until: 1_200 * .millisecond)
        #expect(world.unserved().isEmpty)
        #expect(counts(world) == [85, 85, 86])
        try world.run(until: 60 * .second)
        #expect(world.registry.moveCount == 256)
    }

    @Test func `A node that joins gets its share, each shard within 200 ms, and no other shard moves`() throws {
        let world = try world(4, started: 3)
        let before = world.registry.moveCount
        world.start(3)
        let gaps = try gaps(world, seconds: 5)
        #expect(counts(world) == [64, 64, 64, 64])
        #expect(world.registry.moveCount - before == 64)
        #expect(gaps.count == 64 && (gaps.values.max() ?? 0) <= 200)
    }

    @Test func `A node that joins redirects clients of all other shards at once`() throws {
        let world = try world(4, started: 3)
        world.start(3)
        let end = world.now + 4 * .second
        try world.run(until: world.now + 20 * .millisecond)
        let (node, member) = (world.nodes[3], world.nodes[3].member)
        #expect(member.incarnation != nil)
        while world.now < end {
            let others = (0..<256).filter { member.view.owner(ofShard: $0) != member.incarnation }
            let redirected = others.filter {
                if case .elsewhere = member.route(ofShard: $0, at: node.boot(world.now)) { true } else { false }
            }
            #expect(redirected == others)
            try world.run(until: world.now + 20 * .millisecond)
        }
    }

    @Test func `A node that leaves makes no shard unavailable for longer than 200 ms`() throws {
        let world = try world(3)
        let count = world.nodes[0].member.shards.count
        world.stop(0)
        let gaps = try gaps(world, seconds: 5)
        #expect(!world.nodes[0].isUp && world.nodes[0].member.keptShards == 0)
        #expect(counts(world) == [128, 128])
        #expect(gaps.count == count && (gaps.values.max() ?? 0) <= 200)
    }

    @Test func `The last node that leaves ends within 1 s, and its shards have no owner`() throws {
        let world = try world(1)
        world.stop(0)
        try world.run(until: world.now + .second)
        #expect(!world.nodes[0].isUp && world.nodes[0].member.keptShards == 0)
        #expect(world.registry.owners.allSatisfy { $0 == nil } && world.registry.living.isEmpty)
    }

    @Test func `All nodes can leave at once`() throws {
        let world = try world(5)
        for index in 0..<5 { world.stop(index) }
        try world.run(until: world.now + 3 * .second)
        #expect(world.nodes.allSatisfy { !$0.isUp })
        #expect(world.registry.living.isEmpty)
    }

    @Test(arguments: 1...4) func `The shards of a killed node are served again after at most 4 s`(seed: UInt64) throws {
        let world = try world(3, seed: seed)
        try world.run(until: world.now + world.milliseconds(0...1_000))
        world.kill(Int(seed) % 3)
        let gaps = try gaps(world, seconds: 6)
        #expect(counts(world) == [128, 128])
        #expect((2_000...3_500).contains(gaps.values.max() ?? 0), "\(gaps.values.max() ?? 0) ms")
    }

    @Test(arguments: [200, 1_000, 2_000, 3_000, 5_000, 30_000])
    func `An absence of the registry moves no shard, and all nodes keep their shards`(milliseconds: Int64) throws {
        let world = try world(5)
        let before = world.registry.moveCount
        let lives = world.nodes.map(\.member.incarnation)
        for node in world.nodes { node.hasBeenTroubled = true }
        // No commits are tried meanwhile: a shard with a commit of unknown outcome would get a new epoch.
        for node in world.nodes { node.everLoaded = [] }
        world.awayUntil = world.now + milliseconds * .millisecond
        try world.run(until: world.awayUntil + 2 * .second)
        #expect(world.unserved().isEmpty)
        #expect(world.registry.moveCount == before)
        #expect(world.nodes.map(\.member.incarnation) == lives)
    }

    @Test func `A node without a flow gets its share of the shards that it can own`() throws {
        let world = try world(3, started: 2)
        world.start(2, lacks: Set(stride(from: 0, to: 256, by: 2)))
        try world.run(until: world.now + 10 * .second)
        #expect(counts(world) == [85, 85, 86])
        #expect(world.nodes[2].member.shards.allSatisfy { $0 % 2 == 1 })
        #expect(world.unserved().isEmpty)

    }

    @Test func `A node is never assigned shards it declined before joining`() throws {
        let world = try world(3, started: 2)
        let before = world.registry.moveCount
        world.start(2, lacks: Set(0..<256), saysSo: true)
        try world.run(until: world.now + 10 * .second)
        #expect(world.registry.moveCount == before)
    }

    @Test func `A node that can own no shard releases all of them, and is assigned none of them twice`() throws {
        let world = try world(3, started: 2)
        let before = world.registry.moveCount
        world.start(2, lacks: Set(0..<256))
        try world.run(until: world.now + 10 * .second)
        #expect(counts(world) == [0, 128, 128])
        #expect(world.registry.moveCount - before <= 2 * 256 + 64, "and some to make the others even")
        let after = world.registry.moveCount
        try world.run(until: world.now + 10 * .second)
        #expect(world.registry.moveCount == after)
        world.nodes[2].lacks = []
        world.plan(.tell(node: 2, process: world.nodes[2].process, .declines([:])), after: 0)
        try world.run(until: world.now + 10 * .second)
        #expect(counts(world) == [85, 85, 86])
    }

    @Test func `A shard whose sessions of a missing flow have ended is served once its owner is dead`() throws {
        let world = try world(2, shards: 16, started: 1)
        world.start(1, lacks: [3], saysSo: true)
        try world.run(until: world.now + 10 * .second)
        #expect(world.nodes[0].member.view.nodes.map(\.standing.declined) == [[:], [3: ["flow"]]])
        world.nodes[1].lacks = []
        world.kill(0)
        try world.run(until: world.now + 10 * .second)
        #expect(world.unserved().isEmpty)
    }

    @Test func `A shard that no node can own stays without owner, and the reason names the missing flows`() throws {
        let world = World(WorldSize(nodes: 2, shards: 16, seconds: 0), random: SeededGenerator.announced("lacking", seed: 1))
        for index in 0..<2 { world.start(index, lacks: [3]) }
        try world.run(until: 10 * .second)
        #expect(world.registry.owners[3] == nil)
        #expect(world.nodes[0].member.view.unownedReason(of: 3) == .flowsMissing(["flow-3"]))
        #expect(counts(world) == [7, 8])
        let moves = world.registry.moveCount
        try world.run(until: 60 * .second)
        #expect(world.registry.moveCount == moves)
    }
}

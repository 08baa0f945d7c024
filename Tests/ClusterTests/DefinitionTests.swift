// The owners of shards if nodes have different definitions of a flow.

import Cluster
import Seeds
import Testing

@testable import ClusterSimulation

@Suite struct `Nodes with different definitions of a flow` {
    private func world(_ nodes: Int, shards: Int = 32, seed: UInt64 = 1) -> World {
        World(WorldSize(nodes: nodes, shards: shards, seconds: 0), random: SeededGenerator.announced("definitions", seed: seed))
    }

    private func owner(_ shard: Int, _ world: World) -> Int? {
        world.nodes.firstIndex { $0.isUp && $0.serves(shard, world.now) }
    }

    /// Expects that no shard moves, and that all are served.
    private func expectCalm(_ world: World) throws {
        let moves = world.registry.moveCount
        try world.run(until: world.now + 20 * .second)
        #expect(world.registry.moveCount == moves, "shards move although nothing happens")
        #expect(world.unserved().isEmpty)
    }

    private func all(_ count: Int, _ shards: Range<Int> = 0..<32) -> [Int: Int] {
        Dictionary(uniqueKeysWithValues: shards.map { ($0, count) })
    }

    @Test func `A node declines a shard that fits another node's definition, and serves none of it`() throws {
        let world = world(4)
        for index in 0..<3 { world.start(index, definition: "old", unfit: all(1, 0..<4)) }
        world.start(3, definition: "new")
        try world.run(until: 20 * .second)
        #expect((0..<4).allSatisfy { owner($0, world) == 3 })
        #expect(world.nodes.map(\.member.shards.count) == [8, 8, 8, 8])
        try expectCalm(world)
    }

    @Test func `A declined shard is assigned to no second node with the same definition`() throws {
        let world = world(6)
        world.start(5, definition: "new")
        try world.run(until: 5 * .second)
        for index in 0..<5 { world.start(index, definition: "old", unfit: all(1)) }
        let moves = world.registry.moveCount
        try world.run(until: 30 * .second)
        #expect((0..<32).allSatisfy { owner($0, world) == 5 })
        #expect(world.registry.moveCount - moves <= 3 * 32, "each shard is tried, and comes back")
        #expect(world.nodes.allSatisfy { $0.unfitServed.isEmpty })
        try expectCalm(world)
    }

    @Test func `A shard that fits no definition is assigned to the node that it fits best`() throws {
        let world = world(3)
        for (index, count) in [3, 1, 2].enumerated() { world.start(index, definition: "\(index)", unfit: all(count)) }
        try world.run(until: 20 * .second)
        #expect((0..<32).allSatisfy { owner($0, world) == 1 })
        try expectCalm(world)
    }

    @Test func `Shards that fit all definitions equally are shared evenly`() throws {
        let world = world(2)
        for index in 0..<2 { world.start(index, definition: "\(index)", unfit: all(2)) }
        try world.run(until: 20 * .second)
        #expect(world.nodes.map(\.member.shards.count) == [16, 16])
        try expectCalm(world)
    }

    @Test func `A shard with set-aside sessions moves to a node that fits as soon as it joins`() throws {
        let world = world(2)
        world.start(0, definition: "old", unfit: all(1, 0..<4))
        try world.run(until: 10 * .second)
        #expect(world.nodes[0].unfitServed == [0, 1, 2, 3], "no other node is there")
        world.start(1, definition: "new")
        try world.run(until: 20 * .second)
        #expect((0..<4).allSatisfy { owner($0, world) == 1 })
        try expectCalm(world)
        world.kill(1)
        try world.run(until: world.now + 10 * .second)
        #expect((0..<4).allSatisfy { owner($0, world) == 0 }, "no shard stays without owner")
    }

    @Test func `A node hands over the shards that its changed definition does not fit`() throws {
        let world = world(2)
        for index in 0..<2 { world.start(index, definition: "old") }
        try world.run(until: 10 * .second)
        let (node, shards) = (world.nodes[0], world.nodes[0].member.shards)
        node.unfit = all(1)
        for event: MemberEvent in [
            .defines(FlowDefinitions(["quiz": "new"])),
            .misfits(Dictionary(uniqueKeysWithValues: shards.map { ($0, ["quiz": 1]) })),
        ] {
            world.plan(.tell(node: 0, process: node.process, event), after: 0)
        }
        try world.run(until: 20 * .second)
        #expect((0..<32).allSatisfy { owner($0, world) == 1 })
        try expectCalm(world)
    }

    /// Some nodes lack the flow for some shards, end or start meanwhile. In the end each shard is where the fewest sessions are set aside.
    @Test(arguments: 1...40 as ClosedRange<UInt64>) func `Each shard settles at its best owner after failures`(seed: UInt64)
        throws
    {
        let world = world(5, shards: 16, seed: seed)
        var random = SeededGenerator.announced("fits", seed: seed)
        let fits = (0..<3).map { _ in (0..<16).map { _ in Int.random(in: 0...3, using: &random) } }
        var kinds = Array(repeating: 0, count: 5)
        for _ in 0..<12 {
            let index = Int.random(in: 0..<5, using: &random)
            if world.nodes[index].isUp {
                if Bool.random(using: &random) { world.kill(index) } else { world.stop(index) }
            } else {
                kinds[index] = Int.random(in: 0..<3, using: &random)
                let counts = fits[kinds[index]].enumerated().filter { $1 > 0 }.map { ($0, $1) }
                let lacks = Set((0..<16).filter { _ in Int.random(in: 0..<10, using: &random) == 0 })
                world.start(
                    index, lacks: lacks, definition: "\(kinds[index])", unfit: Dictionary(uniqueKeysWithValues: counts))
            }
            try world.run(until: world.now + Int64.random(in: 0...4_000, using: &random) * .millisecond)
        }
        try world.run(until: world.now + 20 * .second)
        for shard in 0..<16 {
            let able = world.nodes.indices.filter { world.nodes[$0].isUp && !world.nodes[$0].lacks.contains(shard) }
            guard let least = able.map({ fits[kinds[$0]][shard] }).min() else { continue }
            #expect(owner(shard, world).map { fits[kinds[$0]][shard] } == least, "shard \(shard) is not where it fits best")
        }
        try expectCalm(world)
    }
}

@Suite struct `The definitions that nodes publish` {
    private func record(_ number: Int, _ definitions: FlowDefinitions) -> NodeRecord {
        var standing = NodeStatus()
        standing.setDefinitions(definitions)
        return NodeRecord(
            id: nodeID(number), incarnation: Incarnation(Int64(number)), address: NodeAddress(host: "node-\(number)", port: 1),
            standing: standing, hasEnded: false)
    }

    @Test func `Published definitions are bounded, and a digest stands for those of many flows`() {
        var flows = Dictionary(uniqueKeysWithValues: (10_000..<13_000).map { ("flow-\($0)", "0123") })
        let many = FlowDefinitions(flows)
        #expect(many.listed.count == FlowDefinitions.maxListed)
        #expect(many.definition(of: "flow-10000") == "0123")
        flows["flow-12999"] = "4567"
        let others = FlowDefinitions(flows)
        #expect(others.listed == many.listed)
        #expect(others.definition(of: "flow-12999") != many.definition(of: "flow-12999"))
        #expect(FlowDefinitions(["quiz": "1"]).definition(of: "escape") == nil)
    }

    @Test func `Flows with differing definitions are shown with the nodes of each definition`() {
        let (old, new) = (FlowDefinitions(["quiz": "1", "turns": "7"]), FlowDefinitions(["quiz": "2", "turns": "7"]))
        let nodes = [record(1, old), record(2, new), record(3, old), record(4, FlowDefinitions(["turns": "7"]))]
        let differing = view(nodes, [1, 2, 3]).differingFlows
        #expect(differing.map(\.flow) == ["quiz"])
        #expect(differing.first?.versions.map(\.definition) == ["1", "2", nil])
        #expect(differing.first?.versions.map { $0.nodes.map(\.host) } == [["node-1", "node-3"], ["node-2"], ["node-4"]])
        #expect(view([record(1, old), record(2, old), record(3, FlowDefinitions())], [1]).differingFlows.isEmpty)
    }

    @Test func `A node state names at most 16 flows of a shard whose sessions do not fit`() {
        var standing = NodeStatus()
        standing.setMisfits(Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("flow-\($0)", 1) }), of: 3)
        #expect(standing.misfits[3]?.count == 16)
        standing.setMisfits([:], of: 3)
        #expect(standing == NodeStatus())
    }
}

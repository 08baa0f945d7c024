import Cluster
import Seeds
import Testing
import Timers

@testable import ClusterSimulation

/// A node that joins. The test gives the registry's replies, at milliseconds of the node's clock.
@Suite struct `A node whose address is occupied` {
    private let other = Incarnation(7)
    private let member = Member(id: nodeID(1), address: NodeAddress(host: "node-1", port: 7654), map: .usual)

    private func join(_ actions: [MemberAction]) -> (number: Int, joining: Joining)? {
        for case .ask(let question) in actions {
            if case .join(let joining) = question.request { return (question.number, joining) }
        }
        return nil
    }

    /// Asks for 8 s. The other node renews its lease until `renewedUntil`. Returns the last request and all other actions.
    private func ask(renewedUntil: Int64) -> (last: Joining?, actions: [MemberAction]) {
        var (last, seen): (Joining?, [MemberAction]) = (nil, [])
        for time in stride(from: Int64(0), through: 8_000, by: 500) {
            let actions = member.handle(.timePassed, at: instant(time))
            guard let (number, joining) = join(actions) else { continue }
            last = joining
            let lease = RegistryTime(microseconds: 1_000 * (3_000 + min(time, renewedUntil)))
            seen += member.handle(.answered(number, .occupied(other, leaseUntil: lease)), at: instant(time))
        }
        return (last, seen)
    }

    @Test func `A joining node reports an occupied address once, and replaces the other node if it is silent`() throws {
        let (last, actions) = ask(renewedUntil: 1_000)
        #expect(actions == [.reportOccupied(other)])
        #expect(last?.replaces == other)
    }

    @Test func `A joining node does not replace a node at its address that has just renewed its lease`() throws {
        let number = try #require(join(member.handle(.timePassed, at: instant(0)))).number
        _ = member.handle(.answered(number, .occupied(other, leaseUntil: RegistryTime(microseconds: 0))), at: instant(0))
        #expect(join(member.handle(.timePassed, at: instant(500)))?.joining.replaces == nil)
    }

    @Test func `A joining node is refused if the node at its address keeps renewing its lease`() {
        let (_, actions) = ask(renewedUntil: 8_000)
        #expect(actions == [.reportOccupied(other), .refuseDouble(other)])
        #expect(member.isOver)
    }
}

@Suite struct `A cluster with restarted nodes` {
    private func world(_ times: MemberTimes = MemberTimes()) throws -> World {
        let world = World(
            WorldSize(nodes: 4, shards: 256, seconds: 0), random: SeededGenerator.announced("back", seed: 1), times: times)
        for index in 0..<3 { world.start(index) }
        try world.run(until: 10 * .second)
        return world
    }

    /// The share of shards that are served, measured for 60 s while a node is killed and restarted.
    private func availability(_ world: World, killing: Bool, up: Int64, down: Int64) throws -> Double {
        var (served, looks) = (0, 0)
        let end = world.now + 60 * .second
        var next = world.now
        while world.now < end {
            if world.now >= next {
                if world.nodes[0].isUp { world.kill(0) } else if killing { world.start(0) }
                next = world.now + (world.nodes[0].isUp ? up : down) * .millisecond
            }
            try world.run(until: world.now + 20 * .millisecond)
            looks += 1
            served += world.size.shards - world.unserved().count
        }
        return Double(served) / Double(looks * world.size.shards)
    }

    @Test(arguments: [(1_000, 100), (1_000, 1_000), (3_500, 1_000), (5_000, 100)] as [(Int64, Int64)])
    func `A cluster serves at least 90 percent of its shards while one node keeps crashing`(up: Int64, down: Int64) throws {
        let dead = try availability(world(), killing: false, up: up, down: down)
        let crashing = try availability(world(), killing: true, up: up, down: down)
        print("served with the node dead: \(dead), crashing: \(crashing)")
        #expect(crashing >= 0.9, "\(crashing), and \(dead) with the node dead for good")
    }

    @Test func `A restarted node gets its share once it has stayed up for long enough`() throws {
        let world = try world()
        world.kill(0)
        try world.run(until: world.now + 5 * .second)
        world.start(0)
        try world.run(until: world.now + .second)
        #expect(world.nodes[0].member.shards.isEmpty)
        try world.run(until: world.now + 5 * .second)
        #expect(world.nodes.map(\.member.shards.count).sorted() == [0, 85, 85, 86])
    }

    @Test func `A cluster whose nodes were all killed serves every shard within 4 s of their restart`() throws {
        let world = try world()
        for index in 0..<3 { world.kill(index) }
        try world.run(until: world.now + 5 * .second)
        for index in 0..<3 { world.start(index) }
        try world.run(until: world.now + 4 * .second)
        #expect(world.unserved().isEmpty)
    }

    @Test func `A second node at the address of a live one is refused, and no shard moves`() throws {
        let world = try world()
        let moves = world.registry.moveCount
        world.start(3, at: 0)
        try world.run(until: world.now + 10 * .second)
        #expect(!world.nodes[3].isUp)
        #expect(world.registry.moveCount == moves && world.registry.living.count == 3)
    }

    @Test func `A restarted node joins at its own address once its old lease has expired`() throws {
        let world = try world()
        world.kill(0)
        world.start(0)
        try world.run(until: world.now + 4 * .second)
        #expect(world.nodes[0].isUp && world.nodes[0].member.incarnation != nil)
        #expect(world.registry.living.count == 3)
    }

    /// `checkRoutes` also checks every change of owner.
    @Test func `No client is redirected in a cycle while nodes hand over shards`() throws {
        let world = try world()
        world.start(3)
        let (step, end) = (Int64.millisecond, world.now + 5 * .second)
        while world.now < end {
            for shard in stride(from: 0, to: 256, by: 7) { world.checkRoutes(shard) }
            try world.run(until: world.now + step)
        }
        #expect(world.violation == nil)
    }
}

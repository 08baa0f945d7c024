// The registry's statements, also while they run concurrently.

import Dispatch
import Postgres
import PostgresServer
import PostgresStore
import Store
import TestSupport
import Testing
@testable import Cluster

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `The registry in PostgreSQL` {
    @Test func `A node that joins gets a lease, and learns of all nodes and shards`() throws {
        let database = try TestDatabase()
        let (a, b) = (try RegistryClient(database), try RegistryClient(database))
        #expect(b.incarnation > a.incarnation)
        #expect(b.update.nodes.map(\.incarnation) == [a.incarnation, b.incarnation])
        #expect(b.update.shards.isEmpty || b.update.shards.count == 4)
        #expect(try database.ask("SELECT count(*) FROM node WHERE lease_until > now() + interval '2 s'") == "2")
    }

    @Test func `A node does not join at the address of another until that one's lease has expired`() throws {
        let database = try TestDatabase()
        let (a, b) = (try RegistryClient(database), try RegistryClient(database))
        try a.take(0)
        let joining = { (number: Int, replaces: Incarnation?) in
            var random = SystemRandomNumberGenerator()
            return Request.join(
                Joining(
                    id: NodeID(random: &random), attempt: number, address: a.address, standing: NodeStatus(), replaces: replaces
                ))
        }
        for replaces in [nil, a.incarnation, b.incarnation] {
            guard case .occupied(a.incarnation, let until) = b.registry.ask(joining(1, replaces)) else {
                throw RegistryClient.Refused(answer: .failed)
            }
            #expect(until > b.update.time)
        }
        #expect(try database.ask("SELECT count(*), count(ended) FROM node") == "2|0")
        try database.connect().run(
            "UPDATE node SET lease_until = now() - interval '1 s' WHERE incarnation = \(a.incarnation.number)")
        guard case .occupied = b.registry.ask(joining(1, nil)) else { throw RegistryClient.Refused(answer: .failed) }
        guard case .joined(let joined, let update, deaths: 1) = b.registry.ask(joining(1, a.incarnation)) else {
            throw RegistryClient.Refused(answer: .failed)
        }
        #expect(update.nodes.first { $0.incarnation == joined }?.standing.isUnproven == true)
        #expect(try database.ask("SELECT owner IS NULL FROM shard WHERE id = 0") == "t")
    }

    @Test func `Nodes get rising numbers that are not below the time in seconds`() throws {
        let database = try TestDatabase()
        let before = try #require(Int64(try database.ask("SELECT floor(extract(epoch FROM clock_timestamp()))::bigint")))
        let numbers = try (0..<3).map { _ in try RegistryClient(database).incarnation.number }
        #expect(before <= numbers[0] && numbers[0] < numbers[1] && numbers[1] < numbers[2], "\(before) \(numbers)")
    }

    @Test func `An incarnation that was given to another node is not renewed`() throws {
        let a = try RegistryClient(try TestDatabase())
        var random = SystemRandomNumberGenerator()
        #expect(a.registry.ask(.renew(Renewal(incarnation: a.incarnation, of: NodeID(random: &random), seen: 0))) == .ended)
        guard case .update = a.registry.ask(.renew(Renewal(incarnation: a.incarnation, of: a.id, seen: 0))) else {
            throw RegistryClient.Refused(answer: .failed)
        }
    }

    @Test func `A node that has left is not counted as dead`() throws {
        let database = try TestDatabase()
        let a = try RegistryClient(database)
        try a.renew { $0.standing = NodeStatus(isLeaving: true) }
        #expect(a.registry.ask(.leave(a.incarnation)) == .left)
        var random = SystemRandomNumberGenerator()
        let joining = Joining(id: NodeID(random: &random), attempt: 1, address: a.address, standing: NodeStatus())
        guard case .joined(let joined, let update, deaths: 0) = a.registry.ask(.join(joining)) else {
            throw RegistryClient.Refused(answer: .failed)
        }
        #expect(update.nodes.first { $0.incarnation == joined }?.standing == NodeStatus())
    }

    @Test func `A renewal returns the changes since the last one, and moves only shards as expected`() throws {
        let database = try TestDatabase()
        let (a, b) = (try RegistryClient(database), try RegistryClient(database))
        let update = try a.renew {
            $0.moves = [
                Move(shard: 0, epoch: 0, from: nil, to: a.incarnation), Move(shard: 1, epoch: 9, from: nil, to: a.incarnation),
            ]
        }
        #expect(update.shards == [ShardRecord(shard: 0, owner: a.incarnation, epoch: 1)])
        // Only the owner of a shard can give it away.
        let refused = try b.renew { $0.moves = [Move(shard: 0, epoch: 1, from: a.incarnation, to: b.incarnation)] }
        #expect(refused.shards == [ShardRecord(shard: 0, owner: a.incarnation, epoch: 1)])
        #expect(try b.renew().shards.isEmpty)
        let given = try a.renew { $0.moves = [Move(shard: 0, epoch: 1, from: a.incarnation, to: b.incarnation)] }
        #expect(given.shards == [ShardRecord(shard: 0, owner: b.incarnation, epoch: 2)])
    }

    @Test func `A node's HTTP endpoint reaches the other nodes as it was published`() throws {
        let database = try TestDatabase()
        let (a, b) = (try RegistryClient(database), try RegistryClient(database))
        let address = NodeAddress(host: "::1", port: 7650)
        for door in [
            NodeEndpoint(address: address, certificate: "abc", key: "\"'k"),
            NodeEndpoint(address: address, certificate: nil, key: "l"),
            nil,
        ] {
            try a.renew { $0.standing = NodeStatus(declined: [1: ["quiz"]], door: door) }
            let told = try #require(try b.renew().nodes.first { $0.incarnation == a.incarnation })
            #expect(told.standing == NodeStatus(declined: [1: ["quiz"]], door: door))
        }
    }

    @Test func `One node becomes the owner of a shard that several nodes claim at once`() throws {
        let database = try TestDatabase()
        let nodes = try (0..<4).map { _ in try RegistryClient(database) }
        atOnce(nodes) { node in
            _ = try? node.renew {
                $0.moves = (0..<4).map { Move(shard: $0, epoch: 0, from: nil, to: node.incarnation) }
            }
        }
        #expect(try database.ask("SELECT DISTINCT epoch FROM shard") == "1")
        #expect(try database.ask("SELECT count(owner) FROM shard") == "4")
    }

    @Test func `A node is ended, with the ownership of its shards, only once its lease has expired`() throws {
        let database = try TestDatabase()
        let (a, b) = (try RegistryClient(database), try RegistryClient(database))
        try a.take(0, 1)
        #expect(try b.renew { $0.ends = [a.incarnation] }.nodes.allSatisfy { !$0.hasEnded })
        try database.connect().run(
            "UPDATE node SET lease_until = now() - interval '1 s' WHERE incarnation = \(a.incarnation.number)")
        let update = try b.renew {
            $0.ends = [a.incarnation]
            $0.moves = [Move(shard: 0, epoch: 1, from: a.incarnation, to: b.incarnation)]
        }
        #expect(update.nodes.contains { $0.incarnation == a.incarnation && $0.hasEnded })
        #expect(try database.ask("SELECT id, epoch, owner IS NULL FROM shard WHERE id < 2 ORDER BY id") == "0|2|f\n1|2|t")
        #expect(a.registry.ask(.renew(Renewal(incarnation: a.incarnation, seen: 0))) == .ended)
    }

    @Test(arguments: [true, false])
    func `A renewal in flight precedes its node's end and prevents it, or fails`(renewalIsFirst: Bool) throws {
        let database = try TestDatabase()
        let (a, b) = (try RegistryClient(database), try RegistryClient(database))
        let hand = try database.connect()
        try hand.run("UPDATE node SET lease_until = now() - interval '1 s' WHERE incarnation = \(a.incarnation.number)")
        // The first request gets the row, and the other waits for it.
        try hand.run("BEGIN; SELECT FROM node WHERE incarnation = \(a.incarnation.number) FOR UPDATE")
        let renew = { _ = a.registry.ask(.renew(Renewal(incarnation: a.incarnation, seen: 0))) }
        let end = { _ = try? b.renew { $0.ends = [a.incarnation] } }
        let group = DispatchGroup()
        nonisolated(unsafe) let steps = renewalIsFirst ? [renew, end] : [end, renew]
        for (place, step) in steps.enumerated() {
            nonisolated(unsafe) let step = step
            DispatchQueue.global().async(group: group) { step() }
            #expect(try database.waitForWaiters(place + 1))
        }
        try hand.run("COMMIT")
        group.wait()
        let hasEnded = try database.ask("SELECT ended IS NOT NULL FROM node WHERE incarnation = \(a.incarnation.number)")
        let lasts = try database.ask("SELECT lease_until > now() FROM node WHERE incarnation = \(a.incarnation.number)")
        #expect([hasEnded, lasts] == (renewalIsFirst ? ["f", "t"] : ["t", "f"]))
    }

    @Test func `A node that leaves owns nothing, and its shards each get a new epoch`() throws {
        let database = try TestDatabase()
        let a = try RegistryClient(database)
        try a.take(0, 1)
        #expect(a.registry.ask(.leave(a.incarnation)) == .left)
        #expect(a.registry.ask(.leave(a.incarnation)) == .ended)
        #expect(try database.ask("SELECT count(owner), max(epoch) FROM shard") == "0|2")
    }

    @Test func `An ended node is deleted after an hour, once all nodes that slept meanwhile have seen it`() throws {
        let database = try TestDatabase()
        let (gone, asleep) = (try RegistryClient(database), try RegistryClient(database))
        #expect(gone.registry.ask(.leave(gone.incarnation)) == .left)
        try database.connect().run(
            """
            UPDATE node SET ended = now() - interval '2 hours' WHERE incarnation = \(gone.incarnation.number);
            UPDATE node SET lease_until = now() - interval '2 hours' WHERE incarnation = \(asleep.incarnation.number)
            """)
        _ = try RegistryClient(database)
        #expect(try asleep.renew { _ in }.nodes.contains { $0.incarnation == gone.incarnation && $0.hasEnded })
        _ = try RegistryClient(database)
        #expect(try database.ask("SELECT count(*) FROM node WHERE ended IS NOT NULL") == "0")
    }

    /// Formerly such shards had no owner for good, and nodes said that they would have one in a moment.
    @Test func `Shards of a node whose row was deleted are free once another node joins`() throws {
        let database = try TestDatabase()
        let (gone, other) = (try RegistryClient(database), try RegistryClient(database))
        try gone.take(0, 1)
        _ = try other.renew { $0.moves = [Move(shard: 2, epoch: 0, from: nil, to: other.incarnation)] }
        try database.connect().run("DELETE FROM node WHERE incarnation = \(gone.incarnation.number)")
        let next = try RegistryClient(database)
        #expect(
            try database.ask("SELECT owner, epoch FROM shard ORDER BY id")
                == "|2\n|2\n\(other.incarnation.number)|1\n|0")
        #expect(next.update.shards.filter { $0.owner != nil }.map(\.shard) == [2])
    }

    @Test func `A node that gains shards is notified`() throws {
        let database = try TestDatabase()
        let (a, b) = (try RegistryClient(database), try RegistryClient(database))
        try a.take(0)
        _ = try a.renew { $0.moves = [Move(shard: 0, epoch: 1, from: a.incarnation, to: b.incarnation)] }
        #expect(hears(.shardsGained([b.incarnation]), b))
    }

    @Test func `A node announces every shard it starts serving, even hundreds at once`() throws {
        let database = try TestDatabase()
        let (a, b) = (try RegistryClient(database), try RegistryClient(database))
        let arrivals = (0..<450).map { Arrival(shard: $0, epoch: .max - Int64($0)) }
        a.registry.announce(arrivals)
        #expect(hears(.arrived(Array(arrivals.suffix(50))), b))
    }

    private func hears(_ notice: MemberEvent, _ node: RegistryClient) -> Bool {
        eventually { node.registry.notices(orUntil: -1, atMost: 100)?.contains(notice) == true }
    }

    @Test func `A node that ends a frozen node also ends its transactions, so that they block no other node`() throws {
        let database = try TestDatabase()
        let (a, b) = (try RegistryClient(database), try RegistryClient(database))
        try a.take(0)
        // The node is frozen in the middle of a transaction.
        let frozen = try Connection(database.uri, name: "gamed tables \(a.id)")
        try frozen.send(Statement("SELECT FROM shard WHERE id = 0 FOR SHARE"))
        #expect(frozen.wait(until: Deadline(in: .milliseconds(10))) == .deadline)
        #expect(
            try eventually {
                try database.ask("SELECT count(*) FROM pg_locks WHERE mode = 'RowShareLock' AND relation = 'shard'::regclass")
                    == "1"
            })
        try database.connect().run(
            "UPDATE node SET lease_until = now() - interval '1 s' WHERE incarnation = \(a.incarnation.number)")
        _ = try b.renew {
            $0.ends = [a.incarnation]
            $0.moves = [Move(shard: 0, epoch: 1, from: a.incarnation, to: b.incarnation)]
        }
        #expect(try database.ask("SELECT owner, epoch FROM shard WHERE id = 0") == "\(b.incarnation.number)|2")
    }

    @Test func `Hundreds of concurrent requests end without a deadlock`() throws {
        let database = try TestDatabase(shards: 16)
        let nodes = try (0..<6).map { _ in try RegistryClient(database) }
        let log = try database.store().openLog()
        atOnce(nodes + [nil]) { node in
            for round in 0..<40 {
                guard let node else {
                    try? log.send((0..<16).map { ($0, 1, Int64(round)) })
                    _ = try? log.outcome()
                    continue
                }
                node.shuffle(round)
            }
        }
        #expect(!database.server.log.contains("deadlock"))
        #expect(
            try database.ask(
                "SELECT count(*) FROM shard WHERE owner IS NOT NULL AND owner NOT IN (SELECT incarnation FROM node)")
                == "0")
    }

    private func atOnce<Element>(_ elements: [Element], _ body: @escaping (Element) -> Void) {
        nonisolated(unsafe) let (elements, body) = (elements, body)
        let group = DispatchGroup()
        for place in elements.indices { DispatchQueue(label: "node").async(group: group) { body(elements[place]) } }
        group.wait()
    }
}

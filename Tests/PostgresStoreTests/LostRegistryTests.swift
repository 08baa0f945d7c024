// The registry after a failover or a restored backup: it has lost changes, and nodes give it back what they remember.

import Postgres
import PostgresServer
import PostgresStore
import Store
import TestSupport
import Testing
@testable import Cluster

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `A registry in PostgreSQL that went back in time` {
    @Test func `A registry that went back in time is raised once above a node's memory, and owners stay`() throws {
        let database = try TestDatabase()
        let a = try RegistryClient(database)
        try a.take(1)
        let remembered = Remembered(
            version: a.update.version + 5, epochs: [0, 4, 0, 0], owners: [nil, a.incarnation, nil, nil])
        for _ in 1...2 { try a.renew { $0.raises = remembered } }
        #expect(a.update.version == remembered.version + Remembered.jump + 2, "each renewal that changes something counts")
        #expect(
            try database.ask("SELECT epoch, owner = \(a.incarnation.number) FROM shard WHERE id < 2 ORDER BY id")
                == "\(Remembered.jump)|\n\(4 + Remembered.jump)|t")
    }

    @Test func `A registry that was raised twice takes over later moves that a node remembers from before`() throws {
        let database = try TestDatabase()
        let (a, b) = (try RegistryClient(database), try RegistryClient(database))
        let owners = [a.incarnation, a.incarnation, nil, nil]
        for rewinds in 0...1 {
            let raised = Int64(rewinds) * Remembered.jump
            try a.renew {
                $0.raises = Remembered(
                    version: 9 + raised, rewinds: Int64(rewinds), epochs: [4 + raised, 4 + raised, raised, raised],
                    owners: owners)
            }
        }
        for _ in 1...2 {
            try b.renew {
                $0.raises = Remembered(
                    version: 10, epochs: [5, 3, 0, 0], owners: [b.incarnation, b.incarnation, nil, nil])
            }
        }
        let expected = [
            "\(b.incarnation.number)|\(5 + 2 * Remembered.jump)", "\(a.incarnation.number)|\(4 + 2 * Remembered.jump)",
        ]
        #expect(
            try database.ask("SELECT owner, epoch FROM shard WHERE id < 2 ORDER BY id") == expected.joined(separator: "\n"))
    }

    @Test func `A node that a registry has lost which another one has raised since is forgotten, and can be restored`() throws {
        let database = try TestDatabase()
        let (a, b) = (try RegistryClient(database), try RegistryClient(database))
        let remembered = Remembered(
            version: b.update.version, epochs: [0, 5, 0, 0], owners: [nil, b.incarnation, nil, nil], nodes: b.update.nodes)
        try database.connect().run("DELETE FROM node WHERE incarnation = \(b.incarnation.number)")
        try a.renew {
            $0.raises = Remembered(
                version: a.update.version, epochs: [0, 4, 0, 0], owners: [nil, a.incarnation, nil, nil], nodes: a.update.nodes)
        }
        var renewal = Renewal(incarnation: b.incarnation, of: b.update.nodes.last?.id, seen: b.update.version)
        guard case .forgotten = b.registry.ask(.renew(renewal)) else { throw RegistryClient.Refused(answer: .failed) }
        renewal.raises = remembered
        guard case .update = b.registry.ask(.renew(renewal)) else { throw RegistryClient.Refused(answer: .failed) }
        #expect(try database.ask("SELECT owner FROM shard WHERE id = 1") == "\(b.incarnation.number)")
        try database.connect().run("UPDATE node SET ended = now() WHERE incarnation = \(b.incarnation.number)")
        #expect(b.registry.ask(.renew(renewal)) == .ended)
    }

    @Test func `A renewal that reads shards of a registry that is raised meanwhile tells that it was raised`() throws {
        let database = try TestDatabase()
        let a = try RegistryClient(database)
        try a.take(0)
        // A renewal does not wait for long: the machine may be busy.
        for attempt in 1...40 {
            let raise = try database.connect()
            try raise.run("BEGIN; LOCK TABLE shard")
            let raising = database.afterWaiters(
                raise,
                """
                UPDATE cluster SET version = version + 1000000, rewinds = \(attempt);
                UPDATE shard SET epoch = epoch + 1000000, changed = (SELECT version FROM cluster); COMMIT
                """, limit: 0.5)
            let answer = a.registry.ask(.renew(Renewal(incarnation: a.incarnation, seen: a.update.version)))
            raising.wait()
            guard case .update(let update) = answer else { continue }
            #expect(update.version < attempt * 1_000_000 && update.rewinds == attempt, "\(update)")
            return
        }
        Issue.record("no renewal waited for the raise")
    }

    @Test func `A raise restores the owner of a shard that its former owner has left once more`() throws {
        let database = try TestDatabase()
        let (a, b) = (try RegistryClient(database), try RegistryClient(database))
        try database.connect().run("UPDATE shard SET epoch = 5")
        let remembered = Remembered(version: a.update.version, epochs: [5, 5, 0, 0], owners: [a.incarnation, nil, nil, nil])
        try a.renew { $0.raises = remembered }
        try b.renew {
            $0.raises = Remembered(version: 0, epochs: [5, 5, 0, 0], owners: [b.incarnation, b.incarnation, nil, nil])
        }
        let raised = 5 + Remembered.jump
        #expect(
            try database.ask("SELECT owner, epoch FROM shard WHERE id < 2 ORDER BY id")
                == "\(a.incarnation.number)|\(raised)\n\(b.incarnation.number)|\(raised)")
    }

    @Test func `A registry that has lost a node gets it and its shards again, and reuses no number`() throws {
        let database = try TestDatabase()
        let a = try RegistryClient(database)
        try a.take(0, 1)
        var random = SystemRandomNumberGenerator()
        let lost = NodeRecord(
            id: NodeID(random: &random), incarnation: Incarnation(a.incarnation.number + 5),
            address: NodeAddress(host: "lost", port: 1), standing: NodeStatus(declined: [3: ["quiz"]]), hasEnded: false)
        let remembered = Remembered(
            version: a.update.version + 5, epochs: [2, 1, 0, 1],
            owners: [lost.incarnation, a.incarnation, nil, Incarnation(a.incarnation.number + 3)],
            nodes: a.update.nodes + [lost])
        var renewal = Renewal(incarnation: lost.incarnation, of: lost.id, seen: remembered.version)
        #expect(a.registry.ask(.renew(renewal)) == .forgotten(version: a.update.version))
        renewal.raises = remembered
        guard case .update(let update) = a.registry.ask(.renew(renewal)) else { throw RegistryClient.Refused(answer: .failed) }
        #expect(update.nodes.contains(lost))
        let expected = ["\(lost.incarnation.number)|\(2 + Remembered.jump)", "\(a.incarnation.number)|\(1 + Remembered.jump)"]
        #expect(
            try database.ask("SELECT owner, epoch FROM shard ORDER BY id")
                == (expected + ["|\(Remembered.jump)", "|\(1 + Remembered.jump)"]).joined(separator: "\n"))
        #expect(try RegistryClient(database).incarnation > lost.incarnation)
    }

    @Test func `The registry restores the later of two nodes at one address`() throws {
        let database = try TestDatabase()
        let a = try RegistryClient(database)
        var random = SystemRandomNumberGenerator()
        let next = NodeRecord(
            id: NodeID(random: &random), incarnation: Incarnation(a.incarnation.number + 1), address: a.address,
            standing: NodeStatus(), hasEnded: false)
        let remembered = Remembered(
            version: a.update.version + 1, epochs: [0, 0, 0, 0], owners: [nil, nil, nil, nil], nodes: [next])
        var renewal = Renewal(incarnation: next.incarnation, of: next.id, seen: 0)
        renewal.raises = remembered
        guard case .update = a.registry.ask(.renew(renewal)) else { throw RegistryClient.Refused(answer: .failed) }
        renewal = Renewal(incarnation: a.incarnation, of: a.id, seen: 0)
        renewal.rewinds = 1
        #expect(a.registry.ask(.renew(renewal)) == .ended)
    }
}

// A stale owner's commit beside a take-over, in every order of their steps; and shards that are not handed over, since a server may lack rows.

import Cluster
import Postgres
import PostgresServer
import PostgresStore
import Store
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `The fence of a shard's log` {
    private static let lock = "BEGIN; SELECT FROM shard WHERE id = 0 FOR UPDATE"
    private static let take = "UPDATE shard SET epoch = epoch + 1 WHERE id = 0"

    @Test func `A shard is not handed over on another server than the log's, nor once after the log has found it`() throws {
        let server = try PostgresServer(fsync: false)
        let store = try TestDatabase(on: server).store(lease: .seconds(30))
        let node = try RegistryClient(store)
        try node.take(1, 2)
        let log = try store.openLog()
        try node.release(1)
        try server.stop(.immediate)
        try server.start()

        // The log has not noticed, or has been told nothing by a host that has died.
        try node.reconnect(to: store)
        #expect(throws: RegistryClient.Refused.self) { try node.release(2) }
        #expect(node.registry.failure?.contains("is another server than before") == true)
        try node.reconnect(to: store)
        try node.renew()

        log.close()
        let logAgain = try store.openLog()
        defer { logAgain.close() }
        #expect(throws: RegistryClient.Refused.self) { try node.release(2) }
        try node.reconnect(to: store)
        #expect(try node.renew().shards.isEmpty)
        try node.release(2)
    }

    @Test func `A commit before a take-over is visible to the new owner`() throws {
        let database = try TestDatabase()
        let (log, taker) = (try database.store().openLog(), try database.connect())
        try log.send(0, epoch: 0, 1)
        #expect(try log.outcome().isEmpty)
        try taker.run("\(Self.lock); \(Self.take); COMMIT")
        #expect(try database.log(of: 0) == ["1"])
    }

    @Test func `A commit after a take-over is refused, and writes nothing`() throws {
        let database = try TestDatabase()
        let (log, taker) = (try database.store().openLog(), try database.connect())
        try taker.run("\(Self.lock); \(Self.take); COMMIT")
        try log.send(0, epoch: 0, 1)
        #expect(try log.outcome() == [0])
        #expect(try database.log(of: 0) == [])
    }

    @Test(arguments: [true, false])
    func `A commit that waits for a take-over is refused if that succeeds, and accepted if not`(isDone: Bool) throws {
        let database = try TestDatabase()
        let (log, taker) = (try database.store().openLog(), try database.connect())
        try taker.run("\(Self.lock); \(Self.take)")
        try log.send(0, epoch: 0, 1)
        _ = try log.outcome(orUntil: ReadableDescriptor.always)
        #expect(try database.waitForWaiters())
        try taker.run(isDone ? "COMMIT" : "ROLLBACK")
        #expect(try log.outcome() == (isDone ? [0] : []))
        #expect(try database.log(of: 0) == (isDone ? [] : ["1"]))
    }

    @Test func `A commit that has waited for the lock sees an epoch written after its start`() throws {
        let database = try TestDatabase()
        let (log, taker) = (try database.store().openLog(), try database.connect())
        try taker.run(Self.lock)
        try log.send(0, epoch: 0, 1)
        _ = try log.outcome(orUntil: ReadableDescriptor.always)
        #expect(try database.waitForWaiters())
        try taker.run("\(Self.take); COMMIT")
        #expect(try log.outcome() == [0])
        #expect(try database.log(of: 0) == [])
    }

    @Test func `A take-over waits for a commit that has passed the fence, and sees its rows`() throws {
        let database = try TestDatabase()
        let (log, other, taker) = (try database.store().openLog(), try database.connect(), try database.connect())
        // The commit has the first shard, and waits for the second.
        try other.run("BEGIN; SELECT FROM shard WHERE id = 1 FOR UPDATE")
        try log.send([(0, 0, 1), (1, 0, 1)])
        _ = try log.outcome(orUntil: ReadableDescriptor.always)
        #expect(try database.waitForWaiters())
        try taker.send(Statement(Self.take))
        try taker.sync()
        #expect(taker.wait(until: Deadline(in: .zero)) == .deadline)
        #expect(try database.waitForWaiters(2))
        try other.run("COMMIT")
        #expect(try log.outcome().isEmpty)
        while taker.awaited > 0 { if case .failed(let error) = taker.next() { throw error } }
        #expect(try database.log(of: 0) == ["1"])
        #expect(try database.ask("SELECT epoch FROM shard WHERE id = 0") == "1")
    }

    @Test func `A commit over several shards is refused only for those that have another owner`() throws {
        let database = try TestDatabase()
        let (log, taker) = (try database.store().openLog(), try database.connect())
        try taker.run(Self.take)
        try log.send([(0, 0, 1), (1, 0, 1), (2, 0, 1)])
        #expect(try log.outcome() == [0])
        #expect(try [0, 1, 2].map { try database.log(of: $0).count } == [0, 1, 1])
    }

    // MARK: Commits that follow each other

    @Test func `A commit sent after one that fails does not happen`() throws {
        let database = try TestDatabase()
        let log = try database.store().openLog()
        try database.connect().run("ALTER TABLE log ADD CHECK (shard <> 1)")
        try log.send([(0, 0, 1), (1, 0, 1)])
        try log.send(2, epoch: 0, 1)
        #expect(throws: StoreError.self) { try log.outcome() }
        let error = #expect(throws: StoreError.self) { try log.outcome() }
        #expect(error?.cause == .failed)
        #expect(try [0, 1, 2].map { try database.log(of: $0).count } == [0, 0, 0])
    }

    @Test func `A commit sent after a partly refused one happens`() throws {
        let database = try TestDatabase()
        let log = try database.store().openLog()
        try database.connect().run(Self.take)
        try log.send([(0, 0, 1), (1, 0, 1)])
        try log.send([(0, 0, 2), (1, 0, 2), (3, 0, 1)])
        #expect(try log.outcome() == [0])
        #expect(try log.outcome() == [0])
        #expect(try [0, 1, 3].map { try database.log(of: $0) } == [[], ["1", "2"], ["1"]])
    }

    @Test func `A commit that cannot be sent has an unknown outcome, and so has the one before`() throws {
        let database = try TestDatabase()
        let proxy = try Proxy(to: database.server.port)
        let store = try PostgresStore(
            database.server.uri(database.database, port: proxy.port), durability: .always, historyCapacity: 1_000)
        let log = try store.openLog()
        proxy.set(.toClient, .swallow(after: 0))
        try log.send(0, epoch: 0, 1)
        _ = try log.outcome(orUntil: ReadableDescriptor.always)
        #expect(try eventually { try database.log(of: 0) == ["1"] })
        store.cancelConnections()
        var causes: [StoreError.Cause] = []
        do throws(StoreError) { _ = try log.outcome() } catch { causes.append(error.cause) }
        do throws(StoreError) { try log.send(1, epoch: 0, 1) } catch { causes.append(error.cause) }
        #expect(causes == [.unknown, .unknown])
    }

    @Test func `A commit without an answer is given up in time, also while other turns wake the writer`() throws {
        let database = try TestDatabase()
        let proxy = try Proxy(to: database.server.port)
        let store = try PostgresStore(
            database.server.uri(database.database, port: proxy.port), durability: .always, historyCapacity: 1_000)
        let log = try store.openLog()
        proxy.set(.toClient, .swallow(after: 0))
        try log.send(0, epoch: 0, 1)
        let error = #expect(throws: StoreError.self) {
            try eventually { try log.outcome(orUntil: ReadableDescriptor.always) != nil }
        }
        #expect(error?.cause == .unknown)
    }
}

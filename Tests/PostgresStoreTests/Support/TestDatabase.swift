// A database of its own with gamed's tables, on a server that most tests share.

import Cluster
import Foundation
import Postgres
import PostgresServer
import PostgresStore
import Store
import TestSupport

final class TestDatabase {
    private static let shared: Result<PostgresServer, any Error> = Result { try PostgresServer(fsync: false) }

    /// For a machine that is busy.
    private static let timeouts: Timeouts = {
        var timeouts = Timeouts()
        (timeouts.connect, timeouts.statement, timeouts.lock) = (.seconds(30), .seconds(30), .seconds(30))
        (timeouts.idleInTransaction, timeouts.answer) = (.seconds(30), .seconds(30))
        return timeouts
    }()

    let server: PostgresServer
    let database: String
    let uri: String

    init(shards: Int? = 4, on server: PostgresServer? = nil) throws {
        self.server = try server ?? Self.shared.get()
        database = try self.server.newDatabase()
        uri = self.server.uri(database)
        if let shards { _ = try SchemaSetup.run(uri, shards: shards, usual: 256) }
    }

    func store(history: Int = 10_000, lease: Duration = .seconds(3), node: String = "") throws -> PostgresStore {
        try PostgresStore(
            uri, durability: .always, historyCapacity: history, lease: lease, node: node, timeouts: Self.timeouts)
    }

    /// Returns psql's output.
    func ask(_ sql: String) throws -> String { try server.ask(sql, in: database) }

    /// A connection that a test drives by hand.
    func connect() throws -> Connection {
        try Connection(uri, name: "by hand", timeouts: Self.timeouts)
    }

    /// Waits until `count` connections to this database wait for a lock.
    func waitForWaiters(_ count: Int = 1) throws -> Bool {
        try eventually { try waiters() == count }
    }

    private func waiters() throws -> Int? {
        Int(try ask("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"))
    }

    /// Runs this on the connection once another one waits for a lock, or after the limit. The returned semaphore is signalled when that is done.
    func afterWaiters(_ connection: Connection, _ sql: String, limit: Double = 20) -> DispatchSemaphore {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) let (me, connection) = (self, connection)
        Thread.detachNewThread {
            _ = try? eventually(within: limit) { try me.waiters() ?? 0 > 0 }
            _ = try? connection.run(sql)
            done.signal()
        }
        return done
    }

    /// The numbers of the batches in a shard's log.
    func log(of shard: Int) throws -> [String] {
        try ask("SELECT seq FROM log WHERE shard = \(shard) ORDER BY seq").split(separator: "\n").map(String.init)
    }
}

extension StoreLog {
    func send(_ shard: Int, epoch: Int64, _ number: Int64) throws(StoreError) { try send([(shard, epoch, number)]) }

    func send(_ rows: [(shard: Int, epoch: Int64, number: Int64)]) throws(StoreError) {
        try withText("bytes") { bytes throws(StoreError) in
            try send(rows.map { ShardBatch(Shard($0.shard, epoch: $0.epoch), number: $0.number, bytes: bytes) })
        }
    }

    /// The shards that refused the oldest commit.
    func outcome() throws(StoreError) -> [Int] { try outcome(orUntil: -1) ?? [] }
}

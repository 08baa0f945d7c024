// The database finds rows by an index, also with plans from the time when the tables were empty.

import PostgresServer
import PostgresStore
import Store
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `The plans of statements` {
    @Test func `No statement scans a whole table that grows, not even while it is empty`() throws {
        let database = try TestDatabase()
        // Creating the tables scanned them for each index. Statistics arrive when a connection ends.
        #expect(try eventually { try database.ask("SELECT \(scans("history_blocks")) > 0") == "t" })
        _ = try database.ask("SELECT pg_stat_reset()")
        let worker = try Worker(database.store())
        try worker.work(from: 1)
        try worker.count()
        worker.close()
        #expect(try eventually { try database.ask("SELECT \(uses) > 0") == "t" })
        for table in ["log", "sessions", "history_blocks", "message"] {
            #expect(try database.ask("SELECT \(scans(table))") == "0", "\(table)")
        }
    }

    @Test func `A plan made for an empty table does not scan a whole index once the table has grown`() throws {
        let database = try TestDatabase()
        let worker = try Worker(database.store())
        try worker.work(from: 1)
        try grow(database)
        // After VACUUM of an empty table, plans assume that it stays empty.
        for statement in ["DELETE FROM log", "DELETE FROM message", "VACUUM log", "VACUUM message"] {
            _ = try database.ask(statement)
        }
        try worker.work(from: 5)
        try grow(database)
        _ = try database.ask("SELECT pg_stat_reset()")
        try worker.work(from: 9)
        worker.close()
        #expect(try eventually { try database.ask("SELECT \(uses) > 0") == "t" })
        for table in ["log", "message"] {
            let read = "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = '\(table)'"
            #expect(try #require(Int(try database.ask(read))) < 1_000, "\(table)")
        }
    }

    private func grow(_ database: TestDatabase) throws {
        _ = try database.ask("INSERT INTO log SELECT 2, 0, serial, 'x', 0 FROM generate_series(1, 5000) AS serial")
        _ = try database.ask("INSERT INTO message (shard, key, body) SELECT 2, 0, 'x' FROM generate_series(1, 5000)")
    }

    private func scans(_ table: String) -> String { "(SELECT seq_scan FROM pg_stat_user_tables WHERE relname = '\(table)')" }

    private let uses = "(SELECT min(idx_scan) FROM pg_stat_user_tables WHERE relname IN ('log', 'history', 'message'))"
}

/// All statements of a node on the tables that grow.
private struct Worker {
    private let shard = Shard(0, epoch: 0)
    private let log: any StoreLog
    private let tables: any StoreTables
    private let mail: any StoreMessages

    init(_ store: PostgresStore) throws {
        (log, tables, mail) = (try store.openLog(), try store.openTables(), try store.openMessages())
    }

    func close() {
        log.close()
        tables.close()
        mail.close()
    }

    /// Reads all of an index, once for each connection.
    func count() throws { _ = try mail.counts() }

    /// Makes four commits, numbered from `first`.
    func work(from first: Int64) throws {
        for number in first..<first + 3 { try log.send(0, epoch: 0, number) }
        for _ in 1...3 { #expect(try log.outcome() == []) }
        try withText("bytes") { bytes throws(StoreError) in
            try log.send([
                ShardBatch(
                    shard, number: first + 3, bytes: bytes, posted: [PostedMessage(to: 1, [])], taken: [MessageID(1, key: 0)])
            ])
        }
        #expect(try log.outcome() == [])
        try tables.write(shard, coveringLogThrough: first + 2) { writer throws(StoreError) in
            try OwnedSession().lend { row throws(StoreError) in try writer.session(row) }
            try OwnedEntry().lend { row throws(StoreError) in try writer.history(row) }
            try withText("gone") { name throws(StoreError) in try writer.drop(0, named: name) }
        }
        try tables.loadLog(shard) { _, _ in }
        try tables.load(shard, entries: 10, summary: { _ in }, sessions: { _ in }, history: { _ in })
        _ = try tables.maintain([shard])
        _ = try mail.read(1, without: [], atMost: 10)
    }
}

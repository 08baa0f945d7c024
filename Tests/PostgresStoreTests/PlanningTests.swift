// How the database finds rows: by an index, also with what was planned while the tables were empty.

import PostgresServer
import PostgresStore
import Store
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `The plans of statements` {
    @Test func `look through no whole table of those that grow, also while they are empty`() throws {
        let venue = try Venue()
        // What made the tables looked through them for each index. Figures come when a session ends.
        #expect(try eventually { try venue.ask("SELECT \(scans("history")) > 0") == "t" })
        _ = try venue.ask("SELECT pg_stat_reset()")
        try work(on: try venue.store())
        #expect(try eventually { try venue.ask("SELECT \(uses) > 0") == "t" })
        for table in ["log", "sessions", "history", "message"] {
            #expect(try venue.ask("SELECT \(scans(table))") == "0", "\(table)")
        }
    }

    private func scans(_ table: String) -> String { "(SELECT seq_scan FROM pg_stat_user_tables WHERE relname = '\(table)')" }

    private let uses = "(SELECT min(idx_scan) FROM pg_stat_user_tables WHERE relname IN ('log', 'history', 'message'))"

    private func work(on store: PostgresStore) throws {
        let shard = Shard(0, epoch: 0)
        let (log, tables, mail) = (try store.openLog(), try store.openTables(), try store.openMail())
        defer {
            log.close()
            tables.close()
            mail.close()
        }
        for number in 1...3 as ClosedRange<Int64> { try log.send(0, epoch: 0, number) }
        for _ in 1...3 { #expect(try log.outcome() == []) }
        try withText("bytes") { bytes throws(StoreError) in
            try log.send([ShardBatch(shard, number: 4, bytes: bytes, posted: [PostedMessage(to: 1, [])], taken: [1])])
        }
        #expect(try log.outcome() == [])
        try tables.materialize(shard, coveringLogThrough: 3) { writer throws(StoreError) in
            try OwnedSession().lend { row throws(StoreError) in try writer.session(row) }
            try OwnedLine().lend { row throws(StoreError) in try writer.history(row) }
            try withText("gone") { name throws(StoreError) in try writer.drop(0, named: name) }
        }
        try tables.loadLog(shard) { _, _ in }
        _ = try tables.load(shard, historyLines: 10, sessions: { _ in }, history: { _ in })
        try tables.maintain([shard])
        _ = try mail.counts()
        _ = try mail.read(1, without: [], atMost: 10)
    }
}

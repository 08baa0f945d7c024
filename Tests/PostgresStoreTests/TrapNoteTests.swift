// The crash note of a node that a trap has ended, and its effect when the shard's next owner loads it.

import PostgresServer
import PostgresStore
import Store
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `A crash note` {
    private let database: TestDatabase
    private let tables: any StoreTables
    private let mail: any StoreMessages
    private let shard = Shard(1, epoch: 0)

    init() throws {
        database = try TestDatabase()
        (tables, mail) = (try database.store().openTables(), try database.store().openMessages())
    }

    private func leave(
        _ name: String = "room-7", life: Int64? = 5, version: Int64 = 3, in shard: Shard? = nil, taken: Int64? = nil,
        posted: PostedMessage? = nil
    ) throws {
        let session = SavedVersion(name: name, life: life, version: version)
        let message = taken.map { MessageID($0, key: $0 + 10) }
        try mail.leave(TrapNote(shard ?? self.shard, session, problem: "it died of it", taken: message, posted: posted))
    }

    private func put(_ sessions: OwnedSession...) throws {
        try tables.write(shard, coveringLogThrough: nil) { writer throws(StoreError) in
            for session in sessions { try session.lend { row throws(StoreError) in try writer.session(row) } }
        }
    }

    private func load(_ shard: Shard) throws {
        try tables.load(shard, entries: 10, summary: { _ in }, sessions: { _ in }, history: { _ in })
    }

    /// Loads the shard, and returns the names of its quarantined sessions.
    private func quarantined() throws -> String {
        try load(shard)
        return try database.ask(
            "SELECT string_agg(name, ' ' ORDER BY name) FROM sessions WHERE quarantined AND problem = 'it died of it'")
    }

    @Test func `A crash note has its session quarantined once`() throws {
        try put(OwnedSession(version: 3, life: 5), OwnedSession(name: "room-8", version: 1, life: 5))
        try leave()
        try leave()
        #expect(try quarantined() == "room-7")
        try put(OwnedSession(version: 3, life: 5))
        #expect(try quarantined() == "")
    }

    @Test(arguments: [(life: Int64(6), version: Int64(3)), (5, 2)])
    func `A crash note affects no other session of its name, and none past the trap`(life: Int64, version: Int64) throws {
        try put(OwnedSession(version: 3, life: 5))
        try leave(life: life, version: version)
        #expect(try quarantined() == "")
        #expect(try database.ask("SELECT count(*) FROM trapped") == "0")
    }

    @Test func `A crash note may have any name, and may be of a session that does not exist`() throws {
        let name = "a\u{0}'\"\\\u{1F680}"
        try put(OwnedSession(name: name, version: 3, life: 5))
        try leave(name)
        try leave("nobody")
        #expect(try quarantined().hasPrefix("a"))
    }

    @Test func `A late crash note of a former owner deletes no message`() throws {
        try put(OwnedSession(version: 3, life: 5))
        _ = try database.ask("INSERT INTO message (shard, key, body) VALUES (1, 11, 'one'), (1, 12, 'two'), (2, 13, 'one')")
        try leave(taken: 1, posted: PostedMessage(to: 0, Array("lost".utf8)))
        #expect(try mail.counts() == [0: 1, 1: 1, 2: 1])
        // The shard has no message of this number.
        try leave(taken: 3, posted: PostedMessage(to: 0, Array("lost".utf8)))
        _ = try database.ask("UPDATE shard SET epoch = 1 WHERE id = 1")
        try leave(taken: 2, posted: PostedMessage(to: 0, Array("lost".utf8)))
        #expect(try mail.counts() == [0: 1, 1: 1, 2: 1])
        #expect(throws: StoreError.self) { try quarantined() }
        #expect(try database.ask("SELECT count(*) FROM trapped") == "1", "a former owner has taken it")
        try load(Shard(1, epoch: 1))
        #expect(try database.ask("SELECT name FROM sessions WHERE quarantined") == "room-7")
    }
}

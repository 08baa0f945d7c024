// `--init` creates the tables. Nodes use them only if they are gamed's.

import Dispatch
import Foundation
import PostgresServer
import PostgresStore
import Store
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `Creation of the tables` {
    private func make(_ database: TestDatabase, shards: Int? = nil) throws -> SchemaSetup.Outcome {
        try SchemaSetup.run(database.uri, shards: shards, usual: 256).outcome
    }

    @Test func `Tables that exist already are found and left unchanged`() throws {
        let database = try TestDatabase(shards: nil)
        #expect(try make(database, shards: 8) == .made(shards: 8))
        try database.connect().run("UPDATE shard SET epoch = 7 WHERE id = 3")
        #expect(try make(database) == .found(shards: 8))
        #expect(try make(database, shards: 8) == .found(shards: 8))
        #expect(try database.ask("SELECT sum(epoch) FROM shard") == "7")
        #expect(#expect(throws: StoreError.self) { try make(database, shards: 9) }?.cause == .unusable)
    }

    @Test func `Concurrent processes create the tables once, and the others find them`() throws {
        let database = try TestDatabase(shards: nil)
        let outcomes = Outcomes()
        let uri = database.uri
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            outcomes.add(Result { try SchemaSetup.run(uri, shards: 4, usual: 256).outcome })
        }
        let all = try outcomes.all.map { try $0.get() }
        #expect(all.count { $0 == .made(shards: 4) } == 1)
        #expect(all.count { $0 == .found(shards: 4) } == 3)
    }

    @Test(arguments: ["schema", "format", "version", "database_format"])
    func `Tables from before the first release are refused and left unchanged`(key: String) throws {
        let database = try TestDatabase(shards: nil)
        try database.connect().run(
            """
            CREATE TABLE meta (key text PRIMARY KEY, value bigint NOT NULL);
            INSERT INTO meta VALUES ('\(key)', 1), ('shards', 4);
            CREATE TABLE shard (id integer PRIMARY KEY)
            """)
        let refusal = #expect(throws: StoreError.self) { try make(database) }
        #expect(refusal?.cause == .older)
        #expect(refusal?.description.contains("before the first release") == true)
        #expect(throws: StoreError.self) { try database.store() }
        #expect(try database.ask("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == "2")
    }

    @Test func `A database with another encoding than UTF-8 gets no tables, and the error says how to create one`() throws {
        let database = try TestDatabase(shards: nil)
        let latin = "\(database.database)_latin"
        try database.connect().run(
            "CREATE DATABASE \(latin) ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
        let refusal = #expect(throws: StoreError.self) {
            try SchemaSetup.run(database.server.uri(latin), shards: 4, usual: 256)
        }
        #expect(refusal?.cause == .unusable)
        #expect(refusal?.description.contains("has the encoding LATIN1, ") == true, "\(refusal?.description ?? "")")
        #expect(refusal?.description.contains("--encoding UTF8") == true)
        #expect(try database.server.ask("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", in: latin) == "0")
    }

    @Test func `Other tables are left unchanged, and a name that is in use prevents the whole creation`() throws {
        let database = try TestDatabase(shards: nil)
        try database.connect().run("CREATE TABLE nodes (name text); INSERT INTO nodes VALUES ('ann')")
        #expect(try make(database, shards: 4) == .made(shards: 4))
        #expect(try database.ask("SELECT name FROM nodes") == "ann")
        let other = try TestDatabase(shards: nil)
        try other.connect().run("CREATE TABLE history (what text)")
        #expect(throws: StoreError.self) { try make(other, shards: 4) }
        #expect(try other.ask("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == "1")
    }

    @Test func `A user without the right to create tables gets an error, and a node without tables names --init`() throws {
        let database = try TestDatabase(shards: nil)
        try database.connect().run("CREATE ROLE \(database.database) LOGIN PASSWORD 'crocodile'")
        let uri = "postgres://\(database.database):crocodile@127.0.0.1:\(database.server.port)/\(database.database)"
        let error = #expect(throws: StoreError.self) { try SchemaSetup.run(uri, shards: 4, usual: 256) }
        #expect(error?.description.contains("permission denied") == true, "\(error?.description ?? "")")
        let missing = #expect(throws: StoreError.self) { try database.store() }
        #expect(missing?.cause == .foreign)
        #expect(missing?.description.contains("--init") == true)
    }

    @Test func `Tables of a newer version are refused and left unchanged`() throws {
        let database = try TestDatabase()
        try database.connect().run("UPDATE meta SET value = 99 WHERE key = 'format_of_database'")
        #expect(#expect(throws: StoreError.self) { try database.store() }?.cause == .newer)
        #expect(#expect(throws: StoreError.self) { try make(database) }?.cause == .newer)
    }

    @Test(arguments: [
        "DELETE FROM meta", "DELETE FROM meta WHERE key = 'format_of_database'", "DELETE FROM meta WHERE key = 'shards'",
        "UPDATE meta SET value = 0 WHERE key = 'shards'", "UPDATE meta SET value = 99999 WHERE key = 'shards'",
        "ALTER TABLE meta RENAME key TO name", "DROP TABLE meta",
    ])
    func `Tables with a damaged meta table are not created again, and no node starts`(damage: String) throws {
        let database = try TestDatabase()
        try database.connect().run(damage)
        #expect(throws: StoreError.self) { try database.store() }
        #expect(throws: StoreError.self) { try make(database) }
        #expect(try database.ask("SELECT count(*) FROM shard") == "4")
    }
}

private final class Outcomes: @unchecked Sendable {
    private let lock = NSLock()
    private var results: [Result<SchemaSetup.Outcome, any Error>] = []

    func add(_ result: Result<SchemaSetup.Outcome, any Error>) { lock.withLock { results.append(result) } }

    var all: [Result<SchemaSetup.Outcome, any Error>] { lock.withLock { results } }
}

// Each kind of store behind one interface, for tests that reopen it, crash it, and edit its tables.

import Foundation
import MemoryStore
import PostgresServer
import PostgresStore
import SQLiteStore
import Store
import TestSupport
import Testing

/// A store that a test opens again and again.
final class ReopenedStore: CustomTestStringConvertible {
    enum Kind: String, CustomTestStringConvertible {
        case memory, directory, database

        var testDescription: String { rawValue }

        static let all: [Kind] = PostgresPrograms.areExpected ? [.memory, .directory, .database] : [.memory, .directory]
        /// The kinds whose bytes a test can change.
        static let onDisk = all.filter { $0 != .memory }
    }

    private static let shards = 4

    let kind: Kind
    let shard: Shard
    private let history: Int
    private var folder: Folder
    private let database: TestDatabase?
    private(set) var store: any Store
    private(set) var log: any StoreLog
    private(set) var tables: any StoreTables

    /// `history` is how many entries its shard keeps.
    init(_ kind: Kind, history: Int = 10_000) throws {
        (self.kind, self.history) = (kind, history)
        folder = try Folder()
        database = kind == .database ? try TestDatabase(shards: Self.shards) : nil
        shard = kind == .database ? Shard(0, epoch: 0) : .only
        store = kind == .memory ? MemoryStore(.always, historyCapacity: history) : try Self.open(database, folder, history)
        (log, tables) = (try store.openLog(), try store.openTables())
    }

    var testDescription: String { store.place }

    private static func open(_ database: TestDatabase?, _ folder: Folder, _ history: Int) throws -> any Store {
        if let database { return try database.store(history: history * shards) }
        return try SQLiteStore(directory: folder.data, durability: .always, historyCapacity: history)
    }

    func reopen() throws {
        log.close()
        tables.close()
        try store.close()
        store = try (store as? MemoryStore)?.successor() ?? Self.open(database, folder, history)
        (log, tables) = (try store.openLog(), try store.openTables())
    }

    /// Simulates a crash: another process opens the store as it is now.
    func crash() throws {
        log.close()
        tables.close()
        switch kind {
        case .memory: store = (store as? MemoryStore)?.successor() ?? store
        case .directory:
            // The files as they are now: the store that is left behind closes the others.
            folder = try folder.crashed()
            store = try Self.open(database, folder, history)
        case .database: store = try Self.open(database, folder, history)
        }
        (log, tables) = (try store.openLog(), try store.openTables())
    }

    /// Edits the store's tables with SQL.
    func edit(directory: String, database: String) throws {
        switch kind {
        case .memory: break
        case .directory: #expect(try run("sqlite3", [folder.database, directory]).output == "")
        case .database: _ = try self.database?.ask(database)
        }
    }

    // MARK: Writing

    /// Adds a row that conflicts with the second batch of `appendPair(from: number)`. A memory store fails every append.
    func breakLog(from number: Int64) throws {
        (store as? MemoryStore)?.trouble.failure = StoreError(.full, "no space")
        try edit(
            directory: "INSERT INTO log (id, checksum, entries) VALUES (\(number + 1), 0, '')",
            database: "INSERT INTO log (shard, epoch, seq, batch, checksum) VALUES (1, 0, \(number), '', 0)")
    }

    func repairLog(from number: Int64) throws {
        (store as? MemoryStore)?.trouble.failure = nil
        try edit(
            directory: "DELETE FROM log WHERE id = \(number + 1)",
            database: "DELETE FROM log WHERE shard = 1 AND seq = \(number)")
    }

    /// Appends two batches in one commit, and waits until it has happened. A database has one batch of a shard in a commit, and so gets the
    /// second for another shard.
    func appendPair(from number: Int64) throws {
        let second = kind == .database ? (Shard(1, epoch: 0), number) : (shard, number + 1)
        try LentTexts.lend([Array("first".utf8), Array("second".utf8)]) { bytes throws(StoreError) in
            try log.send([
                ShardBatch(shard, number: number, bytes: bytes[0]), ShardBatch(second.0, number: second.1, bytes: bytes[1]),
            ])
        }
        #expect(try log.outcome() == [])
    }

    /// Returns the batches of such a pair that are in the log.
    func pair(from number: Int64) throws -> [String] {
        let logged = try logged()
        guard kind == .database else { return [logged[number], logged[number + 1]].compactMap { $0 } }
        var second: [String] = []
        try tables.loadLog(Shard(1, epoch: 0)) { second.append($1.string) }
        return [logged[number]].compactMap { $0 } + second
    }

    /// Appends this, and waits until it has happened.
    func append(_ number: Int64, _ text: String) throws {
        try withText(text) { bytes throws(StoreError) in try log.send([ShardBatch(shard, number: number, bytes: bytes)]) }
        #expect(try log.outcome() == [])
    }

    func write(covering covered: Int64? = nil, _ body: (any TableWriter) throws(StoreError) -> Void) throws {
        try tables.write(shard, coveringLogThrough: covered, body)
    }

    // MARK: Reading

    func logged() throws -> [Int64: String] {
        var found: [Int64: String] = [:]
        try tables.loadLog(shard) { found[$0] = $1.string }
        return found
    }

    func found(lines most: Int = 10_000) throws -> Found {
        var found = Found()
        try tables.load(
            shard, entries: most,
            summary: { (found.lastLogged, found.lastLife) = ($0.lastLogged, $0.lastLife) },
            sessions: { row in
                let session = OwnedSession(row)
                #expect(row.seal == .intact, "the row of '\(session.name)' does not match its checksum")
                #expect(found.sessions.updateValue(session, forKey: session.name) == nil, "'\(session.name)' is there twice")
                found.problems[session.name] = row.problem?.string
                found.rows[session.name] = row.id
            },
            history: { block in
                found.lines += block.first...block.last
                for row in block.repeats { found.repeats[row.serial] = row }
            })
        return found
    }

    struct Found {
        var sessions: [String: OwnedSession] = [:]
        var problems: [String: String] = [:]
        var rows: [String: Int64] = [:]
        var lines: [Int64] = []
        var repeats: [Int64: RepeatRow] = [:]
        var lastLogged: Int64 = 0
        var lastLife: Int64 = 0
    }
}

extension Folder {
    /// The data directory as a crash would leave it now, in a folder of its own.
    fileprivate func crashed() throws -> Folder {
        let copy = try Folder()
        try FileManager.default.copyItem(atPath: data, toPath: copy.data)
        return copy
    }
}

// The writer of the tables, beside a disk that fails.

import GameFlow
import Memory
import MemoryStore
import Posix
import RESP
import Store
import TestSupport
import Testing
@testable import Journal
@testable import Sessions

@Suite struct `The writer of the tables` {
    private let store: MemoryStore
    private let batches = BatchBytes()
    /// Its worker is not started: the tests run the steps.
    private let tables: TablesWriter

    /// The log has one row.
    init() throws {
        store = MemoryStore()
        tables = TablesWriter(store, historyLines: 10, on: try Worker(named: "gamed.tables")) {}
        tables.own(.only)
        var encoder = BatchEncoder(boot: "", actors: ActorTable())
        ByteString("room").withStored { encoder.drop(1, named: $0) }
        encoder.close(into: batches)
        try store.openTables().append(ShardBatch(.only, number: 1, bytes: UnsafeRawBufferPointer(start: nil, count: 0)))
        tables.add(batches, of: .only, logged: 1)
    }

    private func steps(until isReached: () -> Bool) -> Bool {
        eventually {
            _ = tables.step()
            return isReached()
        }
    }

    @Test func `Each connection compares the log with the commits, also one that was opened for maintenance`() throws {
        #expect(steps { tables.backlogBytes == 0 })
        store.trouble.failure = StoreError(.failed, "away")
        tables.add(batches, of: .only, logged: 2)
        #expect(steps { tables.failure == "away" })
        store.trouble.failure = nil
        tables.forget(.only)
        tables.own(.only)
        tables.maintain(.only)
        let maintenances = store.maintenances
        #expect(steps { store.maintenances > maintenances } && tables.failure == nil)

        tables.add(batches, of: .only, logged: 2)
        #expect(steps { tables.failure?.contains("gone back in time") == true || tables.backlogBytes == 0 })
        #expect(tables.failure?.contains("gone back in time") == true, "the log has one row")
    }

    @Test func `The tables have failed until a round is written, also while rounds begin in vain`() throws {
        var reports: [String?] = []
        for failure in ["first", "second", "third", nil] {
            store.trouble.failure = failure.map { StoreError(.failed, $0) }
            let isReported = eventually {
                _ = tables.step()
                if reports.isEmpty || reports.last != tables.failure { reports.append(tables.failure) }
                return failure.map { tables.failure?.contains($0) ?? false }
                    ?? (tables.backlogBytes == 0 && tables.failure == nil)
            }
            #expect(isReported, "\(reports)")
        }
        #expect(reports.drop { $0 == nil }.dropLast().allSatisfy { $0 != nil }, "\(reports)")
        #expect(tables.failure == nil)
    }

    /// The rounds of a database prune no history: without maintenance it would grow for as long as events come.
    @Test func `A database is maintained although commits leave its tables no idle time`() throws {
        let store = StoreWithHook(hasOneConnection: false)
        let tables = TablesWriter(store, historyLines: 10, on: try Worker(named: "gamed.tables")) {}
        tables.own(.only)
        tables.maintain(.only)
        var number: Int64 = 0
        let isMaintained = eventually {
            number += 1
            tables.add(batches, of: .only, logged: number)
            _ = tables.step()
            return store.memory.maintenances > 0
        }
        #expect(isMaintained)
    }

    // MARK: A shard that fails

    /// Its changes come first: it has waited longest whenever it is tried.
    @Test func `A shard whose rows cannot be written holds up no other one, and its failure is reported until it is forgotten`()
        throws
    {
        let store = MemoryStore()
        let tables = TablesWriter(store, historyLines: 10, on: try Worker(named: "gamed.tables")) {}
        let (failing, other, damaged) = (Shard(1, epoch: 1), Shard(2, epoch: 1), BatchBytes())
        damaged.write(0 as UInt8)
        for shard in [failing, other] { tables.own(shard) }
        tables.add(damaged, of: failing, logged: 1)
        var failures: [String?] = []
        for number in 1...2 as ClosedRange<Int64> {
            _ = try store.append([UnsafeRawBufferPointer(start: nil, count: 0)])
            tables.add(batches, of: other, logged: number)
            let isWritten = eventually {
                _ = tables.step()
                if !failures.isEmpty || tables.failure != nil { failures.append(tables.failure) }
                return tables.backlogBytes == damaged.count
            }
            #expect(isWritten, "\(tables.failure ?? "")")
        }
        #expect(!failures.isEmpty && failures.allSatisfy { $0 == "a batch of 1 bytes ends too early" })
        tables.forget(failing)
        #expect(tables.backlogBytes == 0 && tables.failure == nil)
    }

    // MARK: A shard that is forgotten

    /// A commit may be under way when the loop forgets the shard, and the database may not know of another owner yet.
    @Test func `A row that is committed after its shard was forgotten does not hide the rows before it`() throws {
        let shards = try TwoShards()
        try shards.create("first", "second")
        let rows = try ["first", "second"].map { Self.image(of: try #require(shards[$0]), named: $0) }
        let store = MemoryStore()
        let tables = TablesWriter(store, historyLines: 10, on: try Worker(named: "gamed.tables")) {}
        tables.own(.only)
        for row in rows { _ = try store.append([row.bytes]) }
        tables.add(rows[0], of: .only, logged: 1)
        tables.forget(.only)
        tables.add(rows[1], of: .only, logged: 2)
        tables.end()
        #expect(try store.loggedBatches == 2 && Self.sessions(in: store) == 0, "the next owner finds both in the log")
        #expect(tables.backlogBytes == 0)
    }

    // MARK: A database that goes back in time

    private static func row(_ body: (inout BatchEncoder, StoredName) -> Void, of session: String) -> BatchBytes {
        let row = BatchBytes()
        var encoder = BatchEncoder(boot: "", actors: ActorTable())
        ByteString(session).withStored { body(&encoder, $0) }
        encoder.close(into: row)
        return row
    }

    private static func image(of machine: AnyMachine, named session: String) -> BatchBytes {
        row({ $0.image(machine, $1, 1, seq: 1, TurnTime(wallNanoseconds: 1, bootNanoseconds: 1)) }, of: session)
    }

    private static func sessions(in store: MemoryStore) throws -> Int {
        var count = 0
        try store.load(sessions: { _ in count += 1 }, history: { _ in }, log: { _, _ in })
        return count
    }

    /// The log's writer finds the lack and appends the rows again while the writer of the tables opens its connection.
    @Test func `Rows that are in the log again are written to the tables, also rows of earlier rounds`() throws {
        let shards = try TwoShards()
        try shards.create("first", "second")
        let rows = try ["first", "second"].map { Self.image(of: try #require(shards[$0]), named: $0) }
        let store = StoreWithHook()
        let tables = TablesWriter(store, historyLines: 10, on: try Worker(named: "gamed.tables")) {}
        tables.own(.only)
        tables.add(rows[1], of: .only, logged: 2)
        store.onOpening = { [memory = store.memory] in
            for row in rows { _ = try? memory.append([row.bytes]) }
            tables.readLog(of: .only)
        }
        let isWritten = eventually {
            _ = tables.step()
            return store.memory.loggedBatches == 0 && tables.backlogBytes == 0
        }
        #expect(isWritten, "\(tables.failure ?? "")")
        #expect(try Self.sessions(in: store.memory) == 2)
    }

    @Test func `A round does not repeat rows of the log that the round before has read and written`() throws {
        let shards = try TwoShards()
        try shards.create("first", "second")
        let machine = try #require(shards["first"])
        let image = Self.image(of: machine, named: "first")
        let drop = Self.row({ $0.drop(machine.tag, named: $1) }, of: "first")
        let store = MemoryStore()
        let tables = TablesWriter(store, historyLines: 10, on: try Worker(named: "gamed.tables")) {}
        tables.own(.only)
        for row in [image, drop] { _ = try store.append([row.bytes]) }
        tables.readLog(of: .only)
        let isRead = eventually {
            _ = tables.step()
            return store.loggedBatches == 0
        }
        #expect(isRead, "\(tables.failure ?? "")")
        tables.add(image, of: .only, logged: 1)
        let isWritten = eventually {
            _ = tables.step()
            return tables.backlogBytes == 0
        }
        #expect(isWritten, "\(tables.failure ?? "")")
        #expect(try Self.sessions(in: store) == 0, "the session has ended")
    }
}

/// A store in memory whose tables are opened after `onOpening`, which is called once.
private final class StoreWithHook: Store, @unchecked Sendable {
    let memory = MemoryStore()
    var onOpening: (() -> Void)?

    init(hasOneConnection: Bool = true) { self.hasOneConnection = hasOneConnection }

    var place: String { memory.place }
    var shardCount: Int { memory.shardCount }
    let hasOneConnection: Bool
    var durability: Durability { memory.durability }
    var historyCapacity: Int64 { memory.historyCapacity }

    func openLog() throws(StoreError) -> any StoreLog { try memory.openLog() }

    func openTables() throws(StoreError) -> any StoreTables {
        let hook = onOpening
        onOpening = nil
        hook?()
        return try memory.openTables()
    }

    func beginBackup(to path: String) throws(StoreError) -> any Backup { try memory.beginBackup(to: path) }
    func close() throws(StoreError) { try memory.close() }
}

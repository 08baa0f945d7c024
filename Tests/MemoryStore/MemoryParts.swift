// The log and the tables of a store in memory.

import Glibc
import Store

final class MemoryLog: StoreLog {
    private let store: MemoryStore

    init(_ store: MemoryStore) { self.store = store }

    var depth: Int { 1 }

    func send(_ batches: [ShardBatch]) throws(StoreError) { _ = try store.append(batches.map(\.bytes)) }

    func outcome(orUntil waker: Int32) throws(StoreError) -> [Int]? { [] }

    func probe() throws(StoreError) { try store.materialize { writer throws(StoreError) in try writer.remember("tried", 1) } }

    func lastLogged(in shards: [Shard]) throws(StoreError) -> [Int: Int64] { [0: store.lastLogged] }

    func savedVersions(in shard: Shard) throws(StoreError) -> [SavedVersion] { [] }

    func wait(until waker: Int32, atMost milliseconds: Int32) throws(StoreError) {
        var waiting = pollfd(fd: waker, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, milliseconds)
    }
}

final class MemoryTables: StoreTables {
    private let store: MemoryStore

    init(_ store: MemoryStore) { self.store = store }

    var rowsAtOnce: Int { store.durability == .always ? 1_000 : 4_000 }

    func write(
        _ shard: Shard, coveringLogThrough covered: Int64?, _ rows: (any TableWriter) throws(StoreError) -> Void
    ) throws(StoreError) { try store.materialize(coveringLogThrough: covered, rows) }

    func lastLogged(in shard: Shard) throws(StoreError) -> Int64? { store.lastLogged }

    func append(_ batch: ShardBatch) throws(StoreError) { _ = try store.append([batch.bytes]) }

    func newestEntry(in shard: Shard) throws(StoreError) -> Int64? { store.newestEntry }

    func loadLog(_ shard: Shard, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void) throws { try store.loadLog(body) }

    func load(
        _ shard: Shard, entries: Int, summary: (ShardSummary) throws -> Void, sessions: (SessionRow) throws -> Void,
        history: (HistoryBlock) throws -> Void
    ) throws {
        var found = ShardSummary()
        (found.lastLogged, found.lastLife) = (store.lastLogged, try store.number("lives") ?? 0)
        found.slotsInUse = try store.slotsInUse()
        try summary(found)
        try store.load(sessions: sessions, history: history, log: { _, _ in })
    }

    func maintain(_ shards: [Shard]) throws(StoreError) -> Bool {
        store.countMaintenance()
        return false
    }
}

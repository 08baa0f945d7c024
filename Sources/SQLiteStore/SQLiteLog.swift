// The log and the tables of the one shard, over the store's one connection.

import CSQLite
import Glibc
import Store

/// The store is its own log and its own tables. Closing one of these leaves the store open.
extension SQLiteStore: Store {
    package var place: String { directory }
    package var shardCount: Int { 1 }
    package var hasOneConnection: Bool { true }
    package func openLog() throws(StoreError) -> any StoreLog { self }
    package func openTables() throws(StoreError) -> any StoreTables { self }
}

/// A commit is on its way to the disk in `send`, and done when that returns.
extension SQLiteStore: StoreLog {
    package var depth: Int { 1 }

    /// After a failure, a batch may be in the log already: the files were found to be gone only after that.
    package func send(_ batches: [ShardBatch]) throws(StoreError) {
        do throws(StoreError) {
            let last = cursors.lastLog
            try append(batches.lazy.filter { $0.number > last }.map(\.bytes))
        } catch {
            // A checkpoint may free space on a full disk.
            try? opened.wal.checkpoint(minPages: 1)
            throw error
        }
    }

    package func outcome(orUntil waker: Int32) throws(StoreError) -> [Int]? { [] }

    /// Writes a number that nothing reads.
    package func probe() throws(StoreError) {
        let now = Int64(time(nil))
        try write(.only, coveringLogThrough: nil) { writer throws(StoreError) in try writer.remember("tried", now) }
        try sync()
    }

    package var growth: StoreError? { opened.wal.lastFailure }

    package func lastLogged(in shards: [Shard]) throws(StoreError) -> [Int: Int64] { [0: cursors.lastLog] }

    package func savedVersions(in shard: Shard) throws(StoreError) -> [SavedVersion] { [] }

    package func wait(until waker: Int32, atMost milliseconds: Int32) throws(StoreError) {
        var waiting = pollfd(fd: waker, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, milliseconds)
    }
}

extension SQLiteStore: StoreTables {
    /// A commit may have to wait for a transaction. With `always` clients wait too, so it is shorter.
    package var rowsAtOnce: Int { durability == .always ? 1_000 : 4_000 }

    package func lastLogged(in shard: Shard) throws(StoreError) -> Int64? { cursors.lastLog }

    package func append(_ batch: ShardBatch) throws(StoreError) { try append([batch.bytes]) }

    package func newestEntry(in shard: Shard) throws(StoreError) -> Int64? {
        cursors.newestSerial < 0 ? nil : cursors.newestSerial
    }

    package func load(
        _ shard: Shard, entries: Int, summary: (ShardSummary) throws -> Void, sessions: (SessionRow) throws -> Void,
        history: (HistoryBlock) throws -> Void
    ) throws {
        // The readable rows of the log are in the tables. Damaged ones at its end count as covered, too: the next start would refuse them.
        if opening.acceptsLoss, cursors.covered < cursors.lastLog {
            try write(shard, coveringLogThrough: cursors.lastLog) { _ in }
        }
        var found = ShardSummary()
        found.lastLogged = cursors.lastLog
        found.lastLife = try number("lives") ?? 0
        found.nextSerial = cursors.newestSerial + 1
        found.slotsInUse = try slotsInUse()
        try summary(found)
        try load(sessions: sessions, history: history, log: { _, _ in })
    }
}

// MARK: - Appends batches to the log, which makes them durable

extension SQLiteStore {
    /// Appends batches in one transaction, as the bytes that `loadLog` yields.
    private func append(_ batches: [UnsafeRawBufferPointer]) throws(StoreError) {
        if files.lastFailure != nil { try checkFiles() }
        try transaction { open throws(StoreError) in
            for entries in batches { try append(entries, open) }
            try trimLog(open, atMost: Self.trimmedPerAppend)
            Failpoint.hit("before-commit")
        }
        Failpoint.hit("after-commit")
        if durability == .always { try checkFiles() }
        acknowledge()
        opened.wal.checkpointUnderLoad(minPages: WriteAheadLog.maxPages)
    }

    private func append(_ entries: UnsafeRawBufferPointer, _ open: OpenStore) throws(StoreError) {
        open.appendToLog.bind(1, cursors.nextLog)
        open.appendToLog.bind(2, checksum(entries))
        open.appendToLog.bind(3, blob: entries)
        try open.appendToLog.run()
        cursors.nextLog += 1
    }

    /// With `everysec`: returns once everything appended so far is on disk. After a failure it can be called again: what the system
    /// may have dropped is written once more.
    package func sync() throws(StoreError) {
        try checkFiles()
        try opened.wal.sync()
        mark.change { $0.synced = $0.acknowledged }
    }

    /// If only the log file is gone, its contents are checkpointed into the database while SQLite still has them.
    private func checkFiles() throws(StoreError) {
        do throws(StoreError) {
            try files.check()
        } catch {
            if files.lacksOnlyLog { try? opened.wal.checkpoint(minPages: 1) }
            throw error
        }
    }

    /// Records in the mark that the appended batches will be acknowledged now.
    private func acknowledge() {
        mark.change { mark in
            mark.acknowledged = cursors.lastLog
            if durability == .always { mark.synced = cursors.lastLog }
        }
    }

    /// An append usually adds less than this, so trimming keeps up without a separate step.
    private static var trimmedPerAppend: Int64 { 2 }

    /// Deletes log rows that the tables cover.
    func trimLog(_ open: OpenStore, atMost count: Int64) throws(StoreError) {
        guard cursors.oldestLog <= cursors.covered else { return }
        let last = min(cursors.covered, cursors.oldestLog + count - 1)
        open.trimLog.bind(1, last)
        try open.trimLog.run()
        cursors.oldestLog = last + 1
    }
}

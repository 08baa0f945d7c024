// Appends batches to the log, which makes them durable.

import CSQLite
import Store

extension SQLiteStore {
    /// Appends batches in one transaction, as the bytes that `loadLog` yields.
    package func append(_ batches: [UnsafeRawBufferPointer]) throws(StoreError) -> Int64 {
        if files.trouble != nil { try checkFiles() }
        try transaction { open throws(StoreError) in
            for entries in batches { try append(entries, open) }
            try trimLog(open, atMost: Self.trimmedPerAppend)
            Failpoint.hit("before-commit")
        }
        Failpoint.hit("after-commit")
        if durability == .always { try checkFiles() }
        acknowledge()
        opened.wal.checkpointAlong(from: WriteAheadLog.maxPages)
        return cursors.lastLog
    }

    package func append(_ entries: UnsafeRawBufferPointer) throws(StoreError) -> Int64 { try append([entries]) }

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
            if files.lacksOnlyLog { try? opened.wal.checkpoint(from: 1) }
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

    /// More than an append usually adds, so that trimming keeps up without a step of its own.
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

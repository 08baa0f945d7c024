// The log: what makes a batch durable.

import CSQLite
import Store

extension SQLiteStore {
    /// As the bytes that `load` will yield again, in one transaction.
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
        opened.wal.checkpointAlong(from: WriteAheadLog.mostPages)
        return cursors.lastLog
    }

    private func append(_ entries: UnsafeRawBufferPointer, _ open: OpenStore) throws(StoreError) {
        open.appendToLog.bind(1, cursors.nextLog)
        open.appendToLog.bind(2, checksum(entries))
        open.appendToLog.bind(3, blob: entries)
        try open.appendToLog.run()
        cursors.nextLog += 1
    }

    /// With `everysec`: what has been appended so far is on disk when this returns. After a failure it can be called again, and
    /// then it is as good as if the first had not failed.
    package func sync() throws(StoreError) {
        try checkFiles()
        try opened.wal.sync()
        mark.change { $0.synced = $0.acknowledged }
    }

    /// Where only the log is gone, its contents are saved while they can be.
    private func checkFiles() throws(StoreError) {
        do throws(StoreError) {
            try files.check()
        } catch {
            if files.lacksOnlyLog { try? opened.wal.checkpoint(from: 1) }
            throw error
        }
    }

    /// Only now may anybody be told.
    private func acknowledge() {
        mark.change { mark in
            mark.acknowledged = cursors.lastLog
            if durability == .always { mark.synced = cursors.lastLog }
        }
    }

    /// More than come in, so that those that the tables cover go without anybody having to wait for it.
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

// Work that can wait until the store is idle.

import CSQLite
import Store

extension SQLiteStore {
    /// Does one bounded piece: deletes log rows that the tables cover, or blocks of history beyond the capacity (more than a few only
    /// after the capacity was made smaller), or checkpoints. Returns whether there is more.
    package func maintain() throws(StoreError) -> Bool {
        if cursors.oldestLog <= cursors.covered {
            try transaction { open throws(StoreError) in try trimLog(open, atMost: Self.trimmedPerPiece) }
            return true
        }
        if cursors.oldestSerial <= lastSerialToPrune {
            try transaction { open throws(StoreError) in try pruneHistory(open, atMost: Self.prunedPerPiece) }
            return true
        }
        try opened.wal.checkpoint(from: WriteAheadLog.idlePages)
        // The page cache is not read while idle, and fills again with the next change.
        sqlite3_db_release_memory(opened.connection.handle)
        return false
    }

    private static var trimmedPerPiece: Int64 { 16 }
    private static var prunedPerPiece: Int64 { 10_000 }

    var lastSerialToPrune: Int64 { cursors.newestSerial - historyCapacity }

    /// Deletes the oldest blocks that have nothing within the capacity.
    func pruneHistory(_ open: OpenStore, atMost count: Int64) throws(StoreError) {
        guard cursors.oldestSerial <= lastSerialToPrune else { return }
        let last = min(lastSerialToPrune, cursors.oldestSerial + count - 1)
        open.pruneHistory.bind(1, last)
        try open.pruneHistory.run()
        try open.pruneRepeats.run()
        Failpoint.hit("during-pruning")
        cursors.oldestSerial = last + 1
    }

    /// Why the write-ahead log cannot be checkpointed. Nothing is lost, but it grows.
    package var trouble: StoreError? { opened.wal.trouble }

    /// How much of the write-ahead log is not in the database yet, for tests and figures.
    package var waitingBytes: Int { opened.wal.waitingPages * 4_096 }
}

// What can wait until there is nothing else to do.

import CSQLite
import Store

extension SQLiteStore {
    /// One bounded piece of upkeep: log rows that the tables cover, lines of the history beyond its capacity (more than a few only
    /// after the capacity was made smaller), and a checkpoint. Whether there is more.
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
        // Nobody reads what is cached; it comes back with the next change.
        sqlite3_db_release_memory(opened.connection.handle)
        return false
    }

    private static var trimmedPerPiece: Int64 { 16 }
    private static var prunedPerPiece: Int64 { 10_000 }

    var lastSerialToPrune: Int64 { cursors.newestSerial - historyCapacity }

    /// Deletes the oldest lines beyond the capacity.
    func pruneHistory(_ open: OpenStore, atMost count: Int64) throws(StoreError) {
        guard cursors.oldestSerial <= lastSerialToPrune else { return }
        let last = min(lastSerialToPrune, cursors.oldestSerial + count - 1)
        open.pruneHistory.bind(1, last)
        try open.pruneHistory.run()
        Failpoint.hit("during-pruning")
        cursors.oldestSerial = last + 1
    }

    /// What keeps the write-ahead log from going into the database. Nothing is lost by it, but the log grows.
    package var trouble: StoreError? { opened.wal.trouble }

    /// How much of the write-ahead log is not in the database yet, for those who watch.
    package var waitingBytes: Int { opened.wal.waitingPages * 4_096 }
}

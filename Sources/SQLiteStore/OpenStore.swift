// The one connection to a store's database, with its prepared statements.

import CSQLite
import Store

/// The connection, its write-ahead log, and its prepared statements. Releasing this closes the connection.
package final class OpenStore {
    let connection: Connection
    private var hasCheckedStructure: Bool
    let wal: WriteAheadLog
    let begin, commit: Statement
    let appendToLog, trimLog: Statement
    private let putNumber: Statement
    let putSession, dropSession: Statement
    let putHistory, pruneHistory: Statement
    let putRepeat, pruneRepeats: Statement

    /// `judge` throws if the database must not be used as it is; nothing has been written by then.
    init(
        _ path: String, _ durability: Durability, judge: (Connection) throws(StoreError) -> Void
    ) throws(StoreError) {
        connection = try Connection(path, .existing)
        try Schema.verify(connection)
        try judge(connection)
        // A database that must be written to is checked first. A clean one is checked later, while sessions are restored.
        hasCheckedStructure = try !Self.isClean(connection)
        if hasCheckedStructure { try Schema.checkStructure(connection) }
        try Self.configure(connection, durability)
        try Schema.upgrade(connection)
        wal = WriteAheadLog(of: connection)
        begin = try Statement("BEGIN IMMEDIATE", on: connection)
        commit = try Statement("COMMIT", on: connection)
        appendToLog = try Statement("INSERT INTO log VALUES (?, ?, ?)", on: connection)
        trimLog = try Statement("DELETE FROM log WHERE id <= ?", on: connection)
        putNumber = try Statement("INSERT OR REPLACE INTO meta VALUES (?, ?)", on: connection)
        putSession = try Statement(
            "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", on: connection)
        dropSession = try Statement("DELETE FROM sessions WHERE id = ?", on: connection)
        putHistory = try Statement("INSERT OR REPLACE INTO history_blocks VALUES (?, ?, ?, ?, ?, ?)", on: connection)
        pruneHistory = try Statement("DELETE FROM history_blocks WHERE first <= ?1 AND last <= ?1", on: connection)
        putRepeat = try Statement("INSERT OR REPLACE INTO history_repeats VALUES (?, ?, ?, ?, ?, ?)", on: connection)
        pruneRepeats = try Statement(
            "DELETE FROM history_repeats WHERE serial < (SELECT min(first) FROM history_blocks)", on: connection)
    }

    /// Whether the tables cover the log.
    private static func isClean(_ connection: Connection) throws(StoreError) -> Bool {
        let cursors = try StoreCursors(reading: connection)
        return cursors.lastLog == cursors.covered
    }

    /// Checks once, before clients are answered.
    func checkStructure() throws(StoreError) {
        guard !hasCheckedStructure else { return }
        try Schema.checkStructure(connection)
        hasCheckedStructure = true
    }

    /// Writes a number into `meta`.
    func remember(_ key: String, _ value: Int64) throws(StoreError) {
        try Meta.store(key, value, putNumber)
    }

    /// Not `locking_mode = EXCLUSIVE`: people read while the daemon runs. Not `mmap_size`: a disk's error would be a signal that kills
    /// the process, and not an error.
    private static func configure(_ connection: Connection, _ durability: Durability) throws(StoreError) {
        // FULL syncs the log at each commit; NORMAL never does, and leaves it to `WriteAheadLog.sync`.
        let synchronous = durability == .always ? "FULL" : "NORMAL"
        try connection.run(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = \(synchronous);
            PRAGMA wal_autocheckpoint = 0;
            PRAGMA journal_size_limit = \(WriteAheadLog.keptBytes);
            PRAGMA secure_delete = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -16384;
            """)
    }
}

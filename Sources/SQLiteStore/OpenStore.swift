// The only connection that writes to a store's database, with its prepared statements. `StructureCheck` reads through another.

import CSQLite
import Store

/// The connection, its write-ahead log, and its prepared statements. Releasing this closes the connection.
package final class OpenStore {
    let connection: Connection
    private var hasCheckedStructure: Bool
    let wal: WriteAheadLog
    let begin, commit: Statement
    let appendToLog, trimLog: Statement
    private let upsertNumber: Statement
    let upsertSession, dropSession: Statement
    let upsertHistory, pruneHistory: Statement
    let upsertRepeat, pruneRepeats: Statement

    /// `judge` throws if the database must not be used as it is; nothing has been written by then.
    init(
        _ path: String, _ durability: Durability, _ mark: MarkFile, judge: (Connection) throws(StoreError) -> Void
    ) throws(StoreError) {
        connection = try Connection(path, .existing)
        try Schema.verify(connection)
        try judge(connection)
        // A database that must be written to is checked first. A clean one is checked later, while sessions are restored.
        hasCheckedStructure = try !Self.isClean(connection)
        if hasCheckedStructure { try Schema.checkStructure(connection) }
        try Self.configure(connection, durability)
        wal = WriteAheadLog(of: connection, mark)
        begin = try Statement("BEGIN IMMEDIATE", on: connection)
        commit = try Statement("COMMIT", on: connection)
        appendToLog = try Statement("INSERT INTO log VALUES (?, ?, ?)", on: connection)
        trimLog = try Statement("DELETE FROM log WHERE id <= ?", on: connection)
        upsertNumber = try Statement("INSERT OR REPLACE INTO meta VALUES (?, ?)", on: connection)
        upsertSession = try Statement(
            "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", on: connection)
        dropSession = try Statement("DELETE FROM sessions WHERE id = ?", on: connection)
        upsertHistory = try Statement("INSERT OR REPLACE INTO history_blocks VALUES (?, ?, ?, ?, ?, ?)", on: connection)
        pruneHistory = try Statement("DELETE FROM history_blocks WHERE first <= ?1 AND last <= ?1", on: connection)
        upsertRepeat = try Statement("INSERT OR REPLACE INTO history_repeats VALUES (?, ?, ?, ?, ?, ?)", on: connection)
        pruneRepeats = try Statement(
            "DELETE FROM history_repeats WHERE serial < (SELECT min(first) FROM history_blocks)", on: connection)
    }

    /// Whether the tables cover the log.
    private static func isClean(_ connection: Connection) throws(StoreError) -> Bool {
        let cursors = try StoreCursors(reading: connection)
        return cursors.lastLog == cursors.covered
    }

    /// Reads while another thread checks the structure, the first time. An error of `read` is thrown first, since it names the row.
    func checkStructure(while read: () throws -> Void) throws {
        guard !hasCheckedStructure else { return try read() }
        let check = try StructureCheck(of: connection.path)
        check.start()
        do {
            try read()
        } catch {
            check.cancel()
            try? check.wait()
            throw error
        }
        try check.wait()
        hasCheckedStructure = true
    }

    /// Writes a number into `meta`.
    func remember(_ key: String, _ value: Int64) throws(StoreError) {
        try Meta.store(key, value, upsertNumber)
    }

    /// Not `locking_mode = EXCLUSIVE`: operators read the database concurrently. Not `mmap_size`: an I/O error would raise SIGBUS.
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

// MARK: - Cursors of log and tables

/// Where the log, the history and the rows that were set aside begin and end.
struct StoreCursors {
    /// The tables cover the log up to this row.
    var covered: Int64 = 0
    /// No log row is older than this.
    var oldestLog: Int64 = 1
    var nextLog: Int64 = 1
    /// No block of the history ends before this serial number; one may begin before it.
    var oldestSerial: Int64 = 0
    var newestSerial: Int64 = -1
    /// The lowest row number of a session that was set aside; 0 without such sessions.
    var lowestUnrestored: Int64 = 0

    /// No real number reaches this; larger ones are damage.
    private static let beyond: Int64 = 1 << 55
    private static let maxUnrestored: Int64 = 1 << 31

    init() {}

    init(reading connection: Connection) throws(StoreError) {
        let read = { (what: String) throws(StoreError) in try connection.number("SELECT \(what)") }
        covered = try Meta.number(Meta.covered, connection) ?? 0
        let newestLog = try read("max(id) FROM log") ?? 0
        let oldestLog = try read("min(id) FROM log")
        let newest = try read("max(last) FROM history_blocks WHERE first = (SELECT max(first) FROM history_blocks)")
        let oldest = try read("min(first) FROM history_blocks")
        lowestUnrestored = min(0, try read("min(id) FROM sessions") ?? 0)
        try Self.check(covered, "meta", connection)
        try Self.check(newestLog, "log", connection)
        try Self.check(oldestLog ?? 1, "log", connection)
        try Self.check(newest ?? 0, "history_blocks", connection)
        try Self.check(oldest ?? 0, "history_blocks", connection)
        try Self.check(lowestUnrestored, "sessions", from: -Self.maxUnrestored, connection)
        nextLog = max(covered, newestLog) + 1
        self.oldestLog = oldestLog ?? nextLog
        newestSerial = newest ?? -1
        oldestSerial = oldest ?? newestSerial + 1
    }

    /// Throws if the number is out of range, so that arithmetic with it cannot overflow.
    private static func check(
        _ number: Int64, _ table: String, from least: Int64 = 0, _ connection: Connection
    ) throws(StoreError) {
        guard number < least || number >= beyond else { return }
        throw .damaged(connection.path, "a row of its table '\(table)' has the number \(number), which is impossible")
    }

    /// The history begins and ends with its other blocks.
    mutating func leaveOut(blocks lost: Set<Int64>, _ connection: Connection) throws(StoreError) {
        let blocks = try Statement("SELECT first, last FROM history_blocks ORDER BY first", on: connection)
        var oldest: Int64?
        newestSerial = -1
        while try blocks.next() {
            guard let first = blocks.integer(0), let last = blocks.integer(1), !lost.contains(first) else { continue }
            oldest = oldest ?? first
            newestSerial = last
        }
        try Self.check(newestSerial, "history_blocks", from: -1, connection)
        oldestSerial = oldest ?? newestSerial + 1
    }

    /// The last log row.
    var lastLog: Int64 { nextLog - 1 }
}

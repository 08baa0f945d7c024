// How far the log and the tables reach, held in memory so that no commit has to query it.

import Store

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
    /// The lowest row number of a session that was set aside; 0 if there is none.
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

    /// The last log row.
    var lastLog: Int64 { nextLog - 1 }
}

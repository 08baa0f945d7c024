// How far the tables reach, kept in memory so that no commit has to ask for it.

/// Where the log, the history and the sessions that were set aside begin and end.
struct Marks {
    /// Log rows up to here are contained in the tables.
    var covered: Int64 = 0
    /// No log row is older than this.
    var oldestLog: Int64 = 1
    var nextLog: Int64 = 1
    /// No line of the history is older than this.
    var oldestSerial: Int64 = 0
    var newestSerial: Int64 = -1
    /// The lowest place that is taken by a session that was set aside; 0 if there is none.
    var lowestAside: Int64 = 0

    init() {}

    init(reading connection: Connection) throws(StoreError) {
        covered = try connection.number("SELECT value FROM meta WHERE key = 'covered'") ?? 0
        let newestLog = try connection.number("SELECT max(id) FROM log") ?? 0
        nextLog = max(covered, newestLog) + 1
        oldestLog = try connection.number("SELECT min(id) FROM log") ?? nextLog
        newestSerial = try connection.number("SELECT max(serial) FROM history") ?? -1
        oldestSerial = try connection.number("SELECT min(serial) FROM history") ?? newestSerial + 1
        lowestAside = min(0, try connection.number("SELECT min(id) FROM sessions") ?? 0)
    }
}

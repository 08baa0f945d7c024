// Whether a write-ahead log belongs to the database next to it. SQLite cannot tell: a backup that was put in place of the database,
// next to the log of the old one, would be mixed with it and ruined.

import CSQLite
import Store

/// A number that each database is given when it is made; a backup is given its own. The directory's lock remembers whose log it is.
enum DatabaseIdentity {
    static func new() -> Int64 { Int64.random(in: 1 ... .max) }

    static func of(_ connection: Connection) throws(StoreError) -> Int64? {
        try connection.number("SELECT value FROM meta WHERE key = 'identity'")
    }

    /// Refuses a log that was left behind by another database.
    static func checkLog(of path: String, leftBy last: Int64?) throws(StoreError) {
        guard let last, let identity = withoutLog(path), identity != last else { return }
        throw StoreError(
            .damaged,
            "\(path)-wal belongs to another database than the \(path) next to it, and nothing was changed; if you have put a backup "
                + "in place, move the old gamed.db-wal and gamed.db-shm away too")
    }

    /// From the file alone: the log is not looked at, and nothing is written. Nil if it cannot be known; then SQLite will say why.
    private static func withoutLog(_ path: String) -> Int64? {
        guard let connection = try? Connection(path, .fileAlone) else { return nil }
        return try? of(connection)
    }

    /// A copy is another database from here on.
    static func renew(_ connection: Connection) throws(StoreError) {
        try connection.run("INSERT OR REPLACE INTO meta VALUES ('identity', \(new()))")
    }
}

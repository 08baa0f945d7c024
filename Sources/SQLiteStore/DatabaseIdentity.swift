// Tells whether a write-ahead log belongs to the database beside it. SQLite cannot: it would apply the old database's log to a backup
// that was put in its place, and ruin it.

import CSQLite
import Store

/// A random number that a database gets when it is made; a backup gets its own. The lock file remembers the last one opened.
enum DatabaseIdentity {
    static func new() -> Int64 { Int64.random(in: 1 ... .max) }

    static func of(_ connection: Connection) throws(StoreError) -> Int64? {
        try Meta.number(Meta.identity, connection)
    }

    /// Refuses a log that another database left behind.
    static func checkLog(of path: String, leftBy last: Int64?) throws(StoreError) {
        guard let last, let identity = withoutLog(path), identity != last else { return }
        throw StoreError(
            .damaged,
            "\(path)-wal belongs to another database than the \(path) next to it, and nothing was changed; if you have put a backup "
                + "in place, move the old gamed.db-wal and gamed.db-shm away too")
    }

    /// Read from the file alone, without its log, and without writing. Nil if that fails; then SQLite will say why.
    private static func withoutLog(_ path: String) -> Int64? {
        guard let connection = try? Connection(path, .fileAlone) else { return nil }
        return try? of(connection)
    }

    /// Makes a copy a database of its own.
    static func renew(_ connection: Connection) throws(StoreError) {
        let put = try Statement("INSERT OR REPLACE INTO meta VALUES (?, ?)", on: connection)
        try Meta.store(Meta.identity, new(), put)
    }
}

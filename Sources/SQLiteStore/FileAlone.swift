// The database without its write-ahead log, and where a damaged log goes.

import Glibc
import Store

/// `gamed.db` alone, if it is a database without its log.
struct FileAlone {
    let identity: Int64
    /// The last batch in it.
    let reached: Int64

    /// Nil if SQLite cannot read it, or finds damage in its structure. Nothing is written.
    init?(_ database: String) {
        do throws(StoreError) {
            let connection = try Connection(database, .fileAlone)
            try Schema.verify(connection)
            try Schema.checkStructure(connection)
            guard let identity = try DatabaseIdentity.of(connection) else { return nil }
            self.identity = identity
            reached = try StoreCursors(reading: connection).lastLog
        } catch {
            return nil
        }
    }
}

/// A log that is damaged and not needed. It is kept.
enum DamagedLog {
    /// Renames the log and its index, replacing nothing, and returns the log's new name. No connection may be open.
    ///
    /// The index goes first: SQLite trusts an index that another process has open, also without the log. A crash between the
    /// two leaves the log, and the next start repeats this.
    static func moveAside(of database: String) throws(StoreError) -> String {
        var number = 1
        while ["-shm", "-wal"].contains(where: { access("\(database)\($0).damaged-\(number)", F_OK) == 0 }) { number += 1 }
        for path in [database + "-shm", database + "-wal"] where access(path, F_OK) == 0 {
            let kept = "\(path).damaged-\(number)"
            guard rename(path, kept) == 0 else { throw .system(errno, "the damaged \(path) cannot be renamed to \(kept)") }
        }
        try Schema.syncDirectory(of: database)
        return "\(database)-wal.damaged-\(number)"
    }
}

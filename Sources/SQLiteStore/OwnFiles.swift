// Whether the files that are written to are still those that the next start will find. Whoever removes or replaces the data directory
// takes nothing from a process that has the files open: it would go on writing to where nobody looks.

import Glibc
import Store

/// A file, whatever it is called.
private struct FileIdentity: Equatable {
    let device: dev_t
    let inode: ino_t

    /// Nil if there is none of that name.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, inode) = (status.st_dev, status.st_ino)
    }
}

/// The files of a database that is open.
package struct OwnFiles {
    private var database: (path: String, identity: FileIdentity?)
    private var log: (path: String, identity: FileIdentity?)
    /// Why nothing may be told as safe; nil if all is in place, or was when last looked at.
    private(set) var trouble: StoreError?

    init(of database: String) {
        self.database = (database, FileIdentity(database))
        log = (database + "-wal", FileIdentity(database + "-wal"))
    }

    /// Whether the log alone is gone: what is in it can still go into the database.
    private(set) var lacksOnlyLog = false

    /// Looks, and throws if a file is gone.
    mutating func check() throws(StoreError) {
        (trouble, lacksOnlyLog) = (nil, false)
        do throws(StoreError) {
            try Self.check(database)
            let found = FileIdentity(log.path)
            // SQLite makes the log when it first needs it.
            if log.identity == nil { log.identity = found }
            lacksOnlyLog = found == nil && log.identity != nil
            try Self.check(log)
        } catch {
            trouble = error
            throw error
        }
    }

    private static func check(_ file: (path: String, identity: FileIdentity?)) throws(StoreError) {
        let found = FileIdentity(file.path)
        if found != file.identity { throw error(file.path, isGone: found == nil) }
    }

    private static func error(_ path: String, isGone: Bool) -> StoreError {
        StoreError(
            .failed,
            "\(path) \(isGone ? "is gone" : "has been replaced"), and the daemon still writes to the one that it opened; put that one "
                + "back in its place and it goes on, or stop it and start it again with what is there now")
    }
}

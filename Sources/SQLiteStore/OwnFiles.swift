// Checks that the open files are still those that the next start will find. If the data directory is removed or replaced, a process
// that has its files open would keep writing to files that no start will see.

import Glibc
import Store

/// A file's identity, independent of its name.
private struct FileIdentity: Equatable {
    let device: dev_t
    let inode: ino_t

    /// Nil if there is no such file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, inode) = (status.st_dev, status.st_ino)
    }
}

/// The files of an open database.
package struct OwnFiles {
    private var database: (path: String, identity: FileIdentity?)
    private var log: (path: String, identity: FileIdentity?)
    /// Why nothing can be acknowledged as safe; nil if the last check found the files in place.
    private(set) var trouble: StoreError?

    init(of database: String) {
        self.database = (database, FileIdentity(database))
        log = (database + "-wal", FileIdentity(database + "-wal"))
    }

    /// Whether only the log is gone, so that its contents can still be checkpointed into the database.
    private(set) var lacksOnlyLog = false

    /// Throws if a file is gone or replaced.
    mutating func check() throws(StoreError) {
        (trouble, lacksOnlyLog) = (nil, false)
        do throws(StoreError) {
            try Self.check(database, FileIdentity(database.path))
            let found = FileIdentity(log.path)
            // SQLite creates the log when it first needs it.
            if log.identity == nil { log.identity = found }
            lacksOnlyLog = found == nil && log.identity != nil
            try Self.check(log, found)
        } catch {
            trouble = error
            throw error
        }
    }

    private static func check(
        _ file: (path: String, identity: FileIdentity?), _ found: FileIdentity?
    ) throws(StoreError) {
        if found != file.identity { throw error(file.path, isGone: found == nil) }
    }

    private static func error(_ path: String, isGone: Bool) -> StoreError {
        StoreError(
            .failed,
            "\(path) \(isGone ? "is gone" : "has been replaced"), and the daemon still writes to the one that it opened; put that one "
                + "back in its place and it goes on, or stop it and start it again with what is there now")
    }
}

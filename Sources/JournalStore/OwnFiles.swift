// Whether the files that are written to are still those that the next start will find. Whoever removes or replaces the data directory
// takes nothing from a process that has the files open: it would go on writing to where nobody looks.

import Glibc

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
struct OwnFiles {
    private var files: [(path: String, identity: FileIdentity?)]
    /// Why nothing may be told as safe; nil if all is in place, or was when last looked at.
    private(set) var trouble: StoreError?

    init(of database: String) {
        files = [database, database + "-wal"].map { ($0, FileIdentity($0)) }
    }

    /// Looks, and throws if a file is gone.
    mutating func check() throws(StoreError) {
        trouble = nil
        for index in files.indices {
            let found = FileIdentity(files[index].path)
            // SQLite makes the log when it first needs it.
            if files[index].identity == nil { files[index].identity = found }
            if found != files[index].identity { trouble = Self.error(files[index].path, isGone: found == nil) }
        }
        if let trouble { throw trouble }
    }

    private static func error(_ path: String, isGone: Bool) -> StoreError {
        StoreError(
            .failed,
            "\(path) \(isGone ? "is gone" : "has been replaced"), and gamed still writes to the one that it has opened; put that one "
                + "back in its place and gamed goes on, or stop gamed and start it again with what is there now")
    }
}

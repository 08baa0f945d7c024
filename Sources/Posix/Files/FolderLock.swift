// A lock on the folder of a file, for programs that read the file, change it and replace it.

import Glibc

/// Held by one at a time, until it is gone. It leaves nothing behind.
package struct FolderLock: ~Copyable {
    private let folder: Directory
    private static let tries = 500
    private static let microseconds: UInt32 = 20_000

    /// Waits for others for ten seconds: any process that can read the directory could hold the lock forever.
    package init(of file: String) throws(FileError) {
        let folder = try Directory(of: file)
        var left = Self.tries
        while flock(folder.descriptor.number, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw FileError("lock", folder.path, errno) }
            left -= 1
            guard left > 0 else { throw FileError("lock", folder.path, reason: "another program has held it for ten seconds") }
            usleep(Self.microseconds)
        }
        self.folder = folder
    }

    package consuming func release() {}
}

// MARK: - A newly created file, which never replaces another.

package enum NewFile {
    /// Writes a file that others may read. Throws if there is one of that name.
    package static func write(_ text: String, to path: String) throws(FileError) {
        guard let file = Descriptor(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)) else {
            if errno == EEXIST { throw FileError("write", path, reason: "it already exists") }
            throw FileError("write", path, errno)
        }
        guard file.write(all: Array(text.utf8)) else { throw FileError("write", path, errno) }
    }

    /// Whether something of that name is there.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}

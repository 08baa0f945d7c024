// A lock on the folder of a file, for programs that read the file, change it and replace it.

import Glibc

/// Held by one at a time, until it is gone. It leaves nothing behind.
package struct FolderLock: ~Copyable {
    private let descriptor: Descriptor
    private static let tries = 500
    private static let microseconds: UInt32 = 20_000

    /// Waits for others for ten seconds: any process that can read the folder could hold the lock for ever.
    package init(of file: String) throws(FileError) {
        let slash = file.lastIndex(of: "/")
        let path = slash.map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
        guard let descriptor = Descriptor(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
            throw FileError("open", path, errno)
        }
        var left = Self.tries
        while flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw FileError("lock", path, errno) }
            left -= 1
            guard left > 0 else { throw FileError("lock", path, reason: "another program has held it for ten seconds") }
            usleep(Self.microseconds)
        }
        self.descriptor = descriptor
    }

    package consuming func release() {}
}

// MARK: - A newly created file, which never replaces another.

package enum NewFile {
    /// Writes a file that others may read. Throws if there is one of that name.
    package static func write(_ text: String, to path: String) throws(FileError) {
        guard let file = Descriptor(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)) else {
            if errno == EEXIST { throw FileError("write", path, reason: "it is there already, and is not replaced") }
            throw FileError("write", path, errno)
        }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError("write", path, errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Whether something of that name is there.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}

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

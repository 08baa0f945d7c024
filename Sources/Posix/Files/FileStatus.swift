// A file's status, as the system reports it.

import Glibc

package typealias FileStatus = stat

extension FileStatus {
    /// Of the file at the path, or of the one that its link leads to. Nil if it is missing or cannot be read: `errno` has the reason.
    package init?(at path: String, followingLinks: Bool = true) {
        self.init()
        guard fstatat(AT_FDCWD, path, &self, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    }

    /// Of an open file. Nil if it cannot be read: `errno` has the reason.
    package init?(of descriptor: Int32) {
        self.init()
        guard fstat(descriptor, &self) == 0 else { return nil }
    }

    package var isFile: Bool { st_mode & S_IFMT == S_IFREG }
    package var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
    package var isSocket: Bool { st_mode & S_IFMT == S_IFSOCK }

    package var identity: FileIdentity { FileIdentity(device: st_dev, inode: st_ino) }
}

/// Of a file, independent of its name.
package struct FileIdentity: Equatable, Sendable {
    fileprivate let device: dev_t
    fileprivate let inode: ino_t
}

extension FileIdentity {
    /// Of the file at the path, or of the one that its link leads to. Nil if it is missing or cannot be read.
    package init?(at path: String) {
        guard let status = FileStatus(at: path) else { return nil }
        self = status.identity
    }
}

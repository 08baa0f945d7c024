// A directory, held open.

import Glibc

/// Calls on it apply to this directory even if its path is moved or replaced by a link meanwhile.
final class Directory: Sendable {
    let path: String
    private let descriptor: Descriptor

    init(_ path: String) throws(FileError) {
        guard let descriptor = Descriptor(openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
            throw FileError("open", path, errno)
        }
        self.path = path
        self.descriptor = descriptor
    }

    /// The directory of a file.
    convenience init(of file: String) throws(FileError) {
        let slash = file.lastIndex(of: "/")
        try self.init(slash.map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? ".")
    }

    /// Whether only we and root can create files in it.
    var isOursAlone: Bool {
        var info = stat()
        guard fstat(descriptor.number, &info) == 0 else { return false }
        return [0, geteuid()].contains(info.st_uid) && info.st_mode & 0o022 == 0
    }

    /// Opens a file in it; a link is never followed.
    func open(_ name: String, _ flags: Int32, mode: mode_t = 0) -> Descriptor? {
        Descriptor(openat(descriptor.number, name, flags | O_NOFOLLOW | O_CLOEXEC, mode))
    }

    func rename(_ name: String, to other: String) -> Bool {
        renameat(descriptor.number, name, descriptor.number, other) == 0
    }

    @discardableResult
    func remove(_ name: String) -> Bool {
        unlinkat(descriptor.number, name, 0) == 0
    }

    /// Syncs its list of files.
    func sync() -> Bool {
        fsync(descriptor.number) == 0
    }
}

// A directory that is held open.

import Glibc

/// Whatever becomes of its path meanwhile, and whoever puts a link there: what is done in it is done in this one.
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

    /// The one that a file lies in.
    convenience init(of file: String) throws(FileError) {
        let slash = file.lastIndex(of: "/")
        try self.init(slash.map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? ".")
    }

    /// Whether nobody but we and root can put something into it.
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

    /// Puts on disk which files are in it.
    func sync() -> Bool {
        fsync(descriptor.number) == 0
    }
}

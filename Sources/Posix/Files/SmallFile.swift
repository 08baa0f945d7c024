// A small file, read whole and written whole.

import Glibc
import Synchronization

/// A file that the user has named is read in any case. One of our own is trusted only if no other user can have written it, and links are not
/// followed.
package struct SmallFile: Sendable {
    private let path: String
    /// Nil for a file that the user has named.
    private let directory: Directory?
    /// A larger file is refused.
    private let maxBytes: Int
    /// Whether a pipe or a device in its place is refused, as it could block the reader forever.
    private let mustBePlain: Bool

    /// A file that the user has named.
    package init(_ path: String, atMost maxBytes: Int = 1 << 20, mustBePlain: Bool = false) {
        (self.path, directory, self.maxBytes, self.mustBePlain) = (path, nil, maxBytes, mustBePlain)
    }

    /// A file of our own.
    package init(own path: String, atMost maxBytes: Int = 1 << 20) throws(FileError) {
        (self.path, directory, self.maxBytes, mustBePlain) = (path, try Directory(of: path), maxBytes, true)
    }

    private var name: String { path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path }

    // MARK: Reading

    /// Its text; nil if the file is missing.
    package func text() throws(FileError) -> String? {
        try bytes().map { String(decoding: $0, as: UTF8.self) }
    }

    /// Its bytes; nil if the file is missing.
    package func bytes() throws(FileError) -> [UInt8]? {
        guard let file = opened() else {
            if errno == ENOENT { return nil }
            throw FileError("read", path, errno)
        }
        if mustBePlain { try check(file) }
        var bytes: [UInt8] = []
        while bytes.count <= maxBytes {
            guard try file.append(to: &bytes, path) else { return bytes }
        }
        throw FileError("read", path, reason: "it is larger than \(maxBytes >> 20) MB")
    }

    private func opened() -> Descriptor? {
        // Opening a FIFO or a terminal must not block before it is found not to be a plain file.
        guard let directory else {
            return Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (mustBePlain ? O_NONBLOCK : 0)))
        }
        return directory.open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    }

    private func check(_ file: borrowing Descriptor) throws(FileError) {
        let info = try file.plainStatus(path)
        guard directory != nil else { return }
        guard info.st_uid == geteuid(), info.st_nlink == 1 else {
            throw FileError("read", path, reason: "it belongs to another user, or has a second name")
        }
        guard info.st_mode & 0o022 == 0 else { throw FileError("read", path, reason: "others can write to it") }
    }

    // MARK: Writing

    /// One at a time, as two writers would mix up the same draft.
    private static let writing = Mutex(())

    /// Replaces the file atomically: after a crash it has all of the text, or its old contents. If it keeps its owner, it also keeps its group and
    /// the permissions that its mode gives to them.
    package func replace(with text: String, keepingOwner: Bool = false) throws(FileError) {
        try Self.writing.withLock { _ throws(FileError) in
            try draft(of: text, keepingOwner: keepingOwner).replaceFile()
        }
    }

    /// Writes and syncs the text as FILE.new, so that an error shows before the file is replaced. The caller holds a lock until the draft is gone, as
    /// all writers of the file use this name.
    package func draft(of text: String, keepingOwner: Bool = false) throws(FileError) -> FileDraft {
        let directory = if let directory { directory } else { try Directory(of: path) }
        do throws(FileError) {
            try writeDraft(text, in: directory, keepingOwner: keepingOwner)
        } catch {
            directory.remove(draft)
            throw error
        }
        return FileDraft(draft, of: name, path, in: directory)
    }

    private func keepOwner(_ draft: borrowing Descriptor, in directory: Directory) throws(FileError) {
        guard let file = directory.open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY), let info = FileStatus(of: file.number) else {
            return
        }
        guard fchown(draft.number, info.st_uid, info.st_gid) == 0, fchmod(draft.number, info.st_mode & 0o770) == 0 else {
            throw FileError("write", path + ".new", errno)
        }
    }

    private var draft: String { name + ".new" }

    /// A file that already has the draft's name, left by a crash or put there by another user, is removed and not written into.
    private func writeDraft(_ text: String, in directory: Directory, keepingOwner: Bool) throws(FileError) {
        directory.remove(draft)
        guard let file = directory.open(draft, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600) else {
            throw FileError("write", path + ".new", errno)
        }
        guard file.write(all: Array(text.utf8)) else { throw FileError("write", path + ".new", errno) }
        if keepingOwner { try keepOwner(file, in: directory) }
        guard fsync(file.number) == 0 else { throw FileError("write", path + ".new", errno) }
    }
}

// MARK: - The new contents of a file, before they replace it

/// Removed unless it replaces the file.
package struct FileDraft: ~Copyable {
    private let draft: String
    private let name: String
    private let path: String
    private let directory: Directory
    private var isPlaced = false

    fileprivate init(_ draft: String, of name: String, _ path: String, in directory: Directory) {
        (self.draft, self.name, self.path, self.directory) = (draft, name, path, directory)
    }

    deinit { if !isPlaced { directory.remove(draft) } }

    package consuming func replaceFile() throws(FileError) {
        guard directory.rename(draft, to: name) else { throw FileError("write", path, errno) }
        isPlaced = true
        guard directory.sync() else { throw FileError("write", path, errno) }
    }
}

// MARK: - A directory, held open

/// Calls on it apply to this directory even if its path is moved or replaced by a link meanwhile.
final class Directory: Sendable {
    let path: String
    let descriptor: Descriptor

    init(_ path: String) throws(FileError) {
        guard let descriptor = Descriptor(openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
            throw FileError("open", path, errno)
        }
        self.path = path
        self.descriptor = descriptor
    }

    convenience init(of file: String) throws(FileError) {
        try self.init(parentDirectory(of: file))
    }

    /// Opens a file in it; a link is never followed.
    func open(_ name: String, _ flags: Int32, mode: mode_t = 0) -> Descriptor? {
        Descriptor(openat(descriptor.number, name, flags | O_NOFOLLOW | O_CLOEXEC, mode))
    }

    func rename(_ name: String, to other: String) -> Bool {
        renameat(descriptor.number, name, descriptor.number, other) == 0
    }

    func remove(_ name: String) {
        unlinkat(descriptor.number, name, 0)
    }

    /// Syncs its list of files.
    func sync() -> Bool {
        fsync(descriptor.number) == 0
    }
}

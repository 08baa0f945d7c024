// The data directory, and the lock that keeps a second daemon out of it.

import Glibc
import Store

/// A data directory, locked for as long as this lives. The directory itself is locked, so that deleting files in it does not admit a second
/// daemon. The lock file names the process, and keeps out versions that lock only that file.
struct DataDirectory: ~Copyable {
    let path: String
    /// The lock file, open and locked.
    private let lock: Int32
    /// The directory, open and locked.
    private let directory: Int32
    /// The identity of the database that was last open here, as the lock file has it.
    let lastDatabase: Int64?

    static let databaseName = "gamed.db"
    static let lockName = "gamed.lock"

    /// Creates the directory if it is missing, and locks it. The folders around it are made only where that is asked for.
    init(_ given: String, makesParents: Bool = false) throws(StoreError) {
        let path = Self.plain(given)
        if makesParents { try Self.makeParents(of: path) }
        try Self.make(path)
        try Self.check(path)
        let directory = try Self.lockDirectory(path)
        do throws(StoreError) {
            lock = try Self.takeLock(path + "/" + Self.lockName)
        } catch {
            Self.unlock(directory)
            throw error
        }
        (self.path, self.directory) = (path, directory)
        lastDatabase = Self.lines(of: lock).dropFirst().first.flatMap { Int64($0) }
        remember(database: lastDatabase)
    }

    /// Writes the process and the database into the lock file. A failure is ignored: a full disk must not keep the daemon from
    /// reading its sessions.
    func remember(database identity: Int64?) {
        let lines = "\(getpid())\n" + (identity.map { "\($0)\n" } ?? "")
        guard pwrite(lock, lines, lines.utf8.count, 0) == lines.utf8.count else { return }
        ftruncate(lock, off_t(lines.utf8.count))
    }

    deinit {
        Self.unlock(lock)
        Self.unlock(directory)
    }

    /// Closing alone would leave it locked while a child between fork and exec has it open.
    private static func unlock(_ descriptor: Int32) {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    var database: String { path + "/" + Self.databaseName }

    /// Without slashes at its end.
    static func plain(_ path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    private static func make(_ path: String) throws(StoreError) {
        guard mkdir(path, 0o700) == 0 else {
            guard errno != EEXIST else { return }
            throw cannotBeMade(path)
        }
        try Schema.syncDirectory(of: path)
    }

    private static func makeParents(of path: String) throws(StoreError) {
        for parent in parents(of: path) where access(parent, F_OK) != 0 {
            guard mkdir(parent, 0o700) == 0 else { throw .system(errno, "cannot create the folder \(parent)") }
            try Schema.syncDirectory(of: parent)
        }
    }

    /// The folders around it, the outermost first.
    static func parents(of path: String) -> [String] {
        path.indices.filter { path[$0] == "/" && $0 != path.startIndex }.map { String(path[..<$0]) }
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// By `errno`.
    static func cannotBeMade(_ path: String) -> StoreError {
        let (code, parent) = (errno, parent(of: path))
        guard code == ENOENT, access(parent, F_OK) != 0 else {
            return .system(code, "cannot create the data directory \(path)")
        }
        return StoreError(
            .unusable,
            "cannot create the data directory \(path): the directory \(parent) does not exist; create it: mkdir -p \(parent)")
    }

    static func check(_ path: String) throws(StoreError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .system(errno, "the data directory \(path) cannot be looked at") }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw StoreError(.unusable, "\(path) is not a directory; --data takes one")
        }
        // The effective user writes the files.
        guard faccessat(AT_FDCWD, path, R_OK | W_OK | X_OK, AT_EACCESS) == 0 else {
            throw .system(errno, "the data directory \(path) cannot be written; the daemon needs one of its own")
        }
    }

    private static func lockDirectory(_ path: String) throws(StoreError) -> Int32 {
        let descriptor = try openDirectory(path)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = errno == EWOULDBLOCK ? inUse(path) : .system(errno, "the data directory \(path) cannot be locked")
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// For its lock.
    static func openDirectory(_ path: String) throws(StoreError) -> Int32 {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno, "the data directory \(path) cannot be opened") }
        return descriptor
    }

    /// Its lock file, which may be gone, says by which process.
    static func inUse(_ directory: String) -> StoreError {
        let file = directory + "/" + lockName
        let descriptor = Glibc.open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return inUse(directory, byProcess: nil) }
        defer { close(descriptor) }
        return inUse(file, by: descriptor)
    }

    private static func takeLock(_ path: String) throws(StoreError) -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(errno, "\(path) cannot be opened") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = errno == EWOULDBLOCK ? inUse(path, by: descriptor) : .system(errno, "\(path) cannot be locked")
            close(descriptor)
            throw error
        }
        return descriptor
    }

    static func inUse(_ path: String, by descriptor: Int32) -> StoreError {
        inUse(path, byProcess: lines(of: descriptor).first.flatMap { Int($0) })
    }

    private static func inUse(_ path: String, byProcess process: Int?) -> StoreError {
        let who = process.map { "another daemon, process \($0)," } ?? "another daemon"
        return StoreError(
            .inUse, "\(who) keeps its sessions here: \(path) is locked; stop it, or give --data another directory")
    }

    static func lines(of descriptor: Int32) -> [Substring] {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
            let text = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
            return text.split(separator: "\n")
        }
    }
}

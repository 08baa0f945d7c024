// The data directory, and the lock that keeps a second daemon out of it.

import Glibc
import Posix
import Store

/// A data directory, locked for as long as this lives. The directory itself is locked, so that deleting files in it does not admit a second
/// daemon. The lock file names the process and the database.
struct DataDirectory: ~Copyable {
    let path: String
    /// Nil without a database. It is open for as long as SQLite has the file open: closing any descriptor of a file releases
    /// the locks that SQLite has on it. It is released before the directory, so that the next daemon finds it free.
    private var databaseLock: LockedFile?
    private let directory: LockedFile
    private let lockFile: Descriptor
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
        let directory = try Self.lock(path)
        let lockFile = try Self.openLockFile(path + "/" + Self.lockName)
        databaseLock = try Self.lockDatabase(path + "/" + Self.databaseName)
        self.directory = directory
        self.path = path
        lastDatabase = Self.contents(of: lockFile.number).database
        self.lockFile = lockFile
        remember(database: lastDatabase)
    }

    /// Writes the process and the database into the lock file. A failure is ignored: a full disk must not keep the daemon from
    /// reading its sessions.
    func remember(database identity: Int64?) {
        let lines = "\(getpid())\n" + (identity.map { "\($0)\n" } ?? "")
        guard pwrite(lockFile.number, lines, lines.utf8.count, 0) == lines.utf8.count else { return }
        ftruncate(lockFile.number, off_t(lines.utf8.count))
    }

    var database: String { path + "/" + Self.databaseName }

    /// Locks a database that was made since.
    mutating func lockNewDatabase() throws(StoreError) {
        if databaseLock == nil { databaseLock = try Self.lockDatabase(database) }
    }

    /// Locks the database as well, if there is one: a hard link to it in another directory would admit a second daemon, and
    /// each would overwrite changes that the other has acknowledged. A file system without such locks is no reason to refuse.
    fileprivate static func lockDatabase(
        _ database: String, _ kind: Int32 = LOCK_EX
    ) throws(StoreError) -> LockedFile? {
        guard let file = Descriptor(open(database, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) else {
            if errno == ENOENT || errno == ELOOP { return nil }
            throw .system(errno, "\(database) cannot be locked")
        }
        if !lock(file, kind), errno == EWOULDBLOCK {
            throw StoreError(
                .inUse,
                "another daemon has \(database) open under a second name (a hard link); start this one with a copy of the file")
        }
        return LockedFile(file: file)
    }

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

    /// By `errno`.
    static func cannotBeMade(_ path: String) -> StoreError {
        let (code, parent) = (errno, parentDirectory(of: path))
        guard code == ENOENT, access(parent, F_OK) != 0 else {
            return .system(code, "cannot create the data directory \(path)")
        }
        return StoreError(
            .unusable,
            "cannot create the data directory \(path): the directory \(parent) does not exist; create it: mkdir -p \(parent)")
    }

    static func check(_ path: String) throws(StoreError) {
        guard let status = FileStatus(at: path) else { throw .system(errno, "the data directory \(path) cannot be checked") }
        guard status.isDirectory else {
            throw StoreError(.unusable, "\(path) is not a directory; --data takes one")
        }
        // The effective user writes the files.
        guard faccessat(AT_FDCWD, path, R_OK | W_OK | X_OK, AT_EACCESS) == 0 else {
            throw .system(errno, "the data directory \(path) cannot be written; give the daemon its own directory")
        }
    }

    private static func lock(_ path: String) throws(StoreError) -> LockedFile {
        let directory = try openDirectory(path)
        guard try isFree(directory, path, LOCK_EX) else { throw inUse(path, by: processOfLockFile(path)) }
        return LockedFile(file: directory)
    }

    /// Tries to lock the file; `errno` says why it is not. A check has it locked for a moment, so a daemon that starts tries for a tenth of a second.
    private static func lock(_ file: borrowing Descriptor, _ kind: Int32) -> Bool {
        for _ in 0..<(kind == LOCK_EX ? 20 : 0) {
            if flock(file.number, kind | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK else { return false }
            usleep(5_000)
        }
        return flock(file.number, kind | LOCK_NB) == 0
    }

    /// Tries to lock the directory.
    private static func isFree(
        _ directory: borrowing Descriptor, _ path: String, _ kind: Int32
    ) throws(StoreError) -> Bool {
        if lock(directory, kind) { return true }
        guard errno == EWOULDBLOCK else { throw .system(errno, "the data directory \(path) cannot be locked") }
        return false
    }

    /// For its lock.
    private static func openDirectory(_ path: String) throws(StoreError) -> Descriptor {
        guard let directory = Descriptor(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
            throw .system(errno, "the data directory \(path) cannot be opened")
        }
        return directory
    }

    private static func openLockFile(_ path: String) throws(StoreError) -> Descriptor {
        guard let file = Descriptor(open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)) else {
            throw .system(errno, "\(path) cannot be opened")
        }
        return file
    }

    /// Nil without a lock file that can be read.
    private static func processOfLockFile(_ directory: String) -> Int? {
        guard let file = Descriptor(open(directory + "/" + lockName, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) else {
            return nil
        }
        return contents(of: file.number).process
    }

    private static func inUse(_ path: String, by process: Int?) -> StoreError {
        let who = process.map { "another daemon, process \($0)," } ?? "another daemon"
        return StoreError(
            .inUse, "\(who) keeps its sessions here: \(path) is locked; stop it, or give --data another directory")
    }

    /// The process and the database in the lock file, as far as it can be read.
    private static func contents(of lock: Int32) -> (process: Int?, database: Int64?) {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(lock, &bytes, bytes.count, 0)
        let lines = String(decoding: bytes[..<max(0, count)], as: UTF8.self).split(separator: "\n")
        return (lines.first.flatMap { Int($0) }, lines.dropFirst().first.flatMap { Int64($0) })
    }
}

/// An open file or directory, locked for as long as this lives.
fileprivate struct LockedFile: ~Copyable {
    let file: Descriptor

    deinit {
        // Closing alone would leave it locked while a child between fork and exec has it open.
        flock(file.number, LOCK_UN)
    }
}

// MARK: - Whether a data directory could be opened, found out without changing it.

extension SQLiteStore {
    /// Throws what opening it would throw, as far as the files show without SQLite: rows are not read. A directory that is locked passes
    /// if `isOurs` returns true for the locking process. Returns whether there is a database.
    @discardableResult
    package static func check(
        directory: String, makesParents: Bool = false, resumingTo place: String? = nil, isOurs: (Int) -> Bool
    ) throws(StoreError) -> Bool {
        let path = DataDirectory.plain(directory)
        guard try DataDirectory.exists(path, makesParents) else { return false }
        let (last, isHeld) = try DataDirectory.readLock(path, isOurs)
        try MovedNote(in: path).check(unless: place)
        let database = path + "/" + DataDirectory.databaseName
        let header = try DatabaseHeader.read(database)
        // A daemon that has it open may be writing to the other files, and changing their lengths.
        if isHeld {
            try header?.check(database, hasLog: true)
            return header != nil
        }
        // Not exclusively: a daemon may be starting.
        _ = try DataDirectory.lockDatabase(database, LOCK_SH)
        let mark = try MarkFile(in: path)
        let opening = DatabaseOpener(database, .everysec, boot: "", mark: mark, acceptsLoss: false)
        guard let header else {
            try opening.checkIsNew()
            return false
        }
        try opening.check(header, leftBy: last)
        return true
    }
}

extension DataDirectory {
    /// Throws if the directory cannot be used, or is missing and cannot be made.
    fileprivate static func exists(_ path: String, _ makesParents: Bool) throws(StoreError) -> Bool {
        if FileStatus(at: path, followingLinks: false) != nil {
            try check(path)
            return true
        }
        let missing = makesParents ? parents(of: path).first { access($0, F_OK) != 0 } ?? path : path
        guard errno == ENOENT, faccessat(AT_FDCWD, parentDirectory(of: missing), W_OK | X_OK, AT_EACCESS) == 0 else {
            throw cannotBeMade(missing)
        }
        return false
    }

    /// The database that was open last, and whether a process that is ours has the lock.
    fileprivate static func readLock(
        _ path: String, _ isOurs: (Int) -> Bool
    ) throws(StoreError) -> (lastDatabase: Int64?, isHeld: Bool) {
        let directory = try openDirectory(path)
        let lock = path + "/" + lockName
        let file = Glibc.open(lock, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 || errno == ENOENT else { throw .system(errno, "\(lock) cannot be opened") }
        defer { if file >= 0 { close(file) } }
        let (process, database) = contents(of: file)
        // Takes a shared lock and releases it at once: the only way to detect an exclusive one.
        if try isFree(directory, path, LOCK_SH) {
            flock(directory.number, LOCK_UN)
            return (database, false)
        }
        guard let process, isOurs(process) else { throw inUse(path, by: process) }
        return (nil, true)
    }
}

// MARK: - Checks that the open files are still those that the next start will find. If the data directory is removed or replaced, a process that has its files open would keep writing to files that no start will see.

/// The files of an open database.
package struct OwnFiles {
    private var database: (path: String, identity: FileIdentity?)
    private var log: (path: String, identity: FileIdentity?)
    /// Why nothing can be acknowledged as safe; nil if the last check found the files in place.
    private(set) var lastFailure: StoreError?

    init(of database: String) {
        self.database = (database, FileIdentity(at: database))
        log = (database + "-wal", FileIdentity(at: database + "-wal"))
    }

    /// Whether only the log is gone, so that its contents can still be checkpointed into the database.
    private(set) var lacksOnlyLog = false

    /// Throws if a file is gone or replaced.
    mutating func check() throws(StoreError) {
        (lastFailure, lacksOnlyLog) = (nil, false)
        do throws(StoreError) {
            try Self.check(database, FileIdentity(at: database.path))
            let found = FileIdentity(at: log.path)
            // SQLite creates the log when it first needs it.
            if log.identity == nil { log.identity = found }
            lacksOnlyLog = found == nil && log.identity != nil
            try Self.check(log, found)
        } catch {
            lastFailure = error
            throw error
        }
    }

    /// Why the next start would not find the database; nil if it would. For checks while nothing is written.
    var displacement: StoreError? {
        do throws(StoreError) { try Self.check(database, FileIdentity(at: database.path)) } catch { return error }
        return nil
    }

    private static func check(
        _ file: (path: String, identity: FileIdentity?), _ found: FileIdentity?
    ) throws(StoreError) {
        if found != file.identity { throw error(file.path, isGone: found == nil) }
    }

    /// Apart, so that the check of each commit is short.
    private static func error(_ path: String, isGone: Bool) -> StoreError {
        let reason = errno
        if isGone, reason != ENOENT {
            return StoreError(
                .failed,
                "\(path) cannot be found: \(systemErrorText(reason)); correct that, and the daemon resumes automatically")
        }
        return StoreError(
            .failed,
            "\(path) \(isGone ? "is gone" : "has been replaced"), and the daemon still writes to the original; restore the "
                + "original file, or stop the daemon and start it with \(isGone ? "a backup" : "the new one")")
    }
}

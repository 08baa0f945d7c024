// Whether a data directory could be opened, found out without changing it.

import Glibc
import Store

extension SQLiteStore {
    /// Throws what opening it would throw, as far as the files tell without SQLite: rows are not read. A directory that is locked passes
    /// if `isOurs` says so of the locking process. Returns whether there is a database.
    @discardableResult
    package static func check(
        directory: String, makesParents: Bool = false, ignoringNote: Bool = false, isOurs: (Int) -> Bool
    ) throws(StoreError) -> Bool {
        let path = DataDirectory.plain(directory)
        guard try DataDirectory.exists(path, makesParents) else { return false }
        let (last, isHeld) = try DataDirectory.lookAtLocks(path, isOurs)
        if !ignoringNote { try MovedNote(in: path).check() }
        let database = path + "/" + DataDirectory.databaseName
        let header = try DatabaseHeader.read(database)
        // A daemon that has it open may be writing to the other files, and changing their lengths.
        if isHeld {
            try header?.check(database, hasLog: true)
            return header != nil
        }
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
        var status = stat()
        if lstat(path, &status) == 0 {
            try check(path)
            return true
        }
        let missing = makesParents ? parents(of: path).first { access($0, F_OK) != 0 } ?? path : path
        guard errno == ENOENT, faccessat(AT_FDCWD, parent(of: missing), W_OK | X_OK, AT_EACCESS) == 0 else {
            throw cannotBeMade(missing)
        }
        return false
    }

    /// The database that was open last, and whether a process that is ours has the locks.
    fileprivate static func lookAtLocks(
        _ path: String, _ isOurs: (Int) -> Bool
    ) throws(StoreError) -> (lastDatabase: Int64?, isHeld: Bool) {
        let directory = try openDirectory(path)
        defer { close(directory) }
        let lock = path + "/" + lockName
        let file = Glibc.open(lock, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 || errno == ENOENT else { throw .system(errno, "\(lock) cannot be opened") }
        defer { if file >= 0 { close(file) } }
        let lines = file >= 0 ? lines(of: file) : []
        var isHeld = try !isFree(directory, path)
        if file >= 0, !isHeld { isHeld = try !isFree(file, lock) }
        guard !isHeld else {
            guard let process = lines.first.flatMap({ Int($0) }), isOurs(process) else { throw inUse(path) }
            return (nil, true)
        }
        return (lines.dropFirst().first.flatMap { Int64($0) }, false)
    }

    /// Takes a shared lock and gives it up at once, as nothing else tells whether there is an exclusive one.
    private static func isFree(_ descriptor: Int32, _ path: String) throws(StoreError) -> Bool {
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw .system(errno, "\(path) cannot be locked") }
            return false
        }
        flock(descriptor, LOCK_UN)
        return true
    }
}

// The owner of SQLite's connection. Opening writes nothing, and SQLite's errors become our own sentences.

import CSQLite
import Glibc
import Posix
import Store

/// One connection to one file, used by one thread at a time.
final class Connection {
    enum Mode {
        /// Creates the file if it is missing.
        case creating
        case existing
        /// Read-only, while another connection may write.
        case reading
        /// Reads only the file, without its log and its locks.
        case fileAlone

        fileprivate var flags: Int32 {
            let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
            return switch self {
            case .creating: common | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .existing: common | SQLITE_OPEN_READWRITE
            case .reading: common | SQLITE_OPEN_READONLY
            case .fileAlone: common | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        }

        /// The name for SQLite, which would take a plain path that begins with "file:" for a URI.
        fileprivate func name(of path: String) -> String {
            let plain = path.hasPrefix("/") ? path : "./" + path
            guard self == .fileAlone else { return plain }
            // These begin an escape, the query and the fragment of a URI.
            let special = "%?#".unicodeScalars
            let escaped = plain.unicodeScalars.map { special.contains($0) ? "%" + String($0.value, radix: 16) : String($0) }
            return "file:" + escaped.joined() + "?immutable=1"
        }
    }

    let handle: OpaquePointer
    /// The path, as the operator named it.
    let path: String
    /// Set after an I/O error: if a sync fails, Linux drops the pages that it could not write and marks them as written.
    var mayHaveLostWrites = false

    init(_ path: String, _ mode: Mode) throws(StoreError) {
        self.path = path
        _ = Self.preparation
        var handle: OpaquePointer?
        let result = sqlite3_open_v2(mode.name(of: path), &handle, mode.flags, nil)
        guard let handle else { throw StoreError(.failed, "\(path) cannot be opened: there is no memory left") }
        self.handle = handle
        guard result == SQLITE_OK else { throw error(result) }
        protect()
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    private static let preparation: Void = {
        _ = gamed_sqlite_without_memory_statistics()
    }()

    /// Runs nothing that an untrusted file contains, and writes nothing on closing: a refused file stays as it is, its write-ahead
    /// log included.
    private func protect() {
        for option in [SQLITE_DBCONFIG_DEFENSIVE, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE] {
            _ = gamed_sqlite_configure(handle, option, 1)
        }
        for option in [SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW] {
            _ = gamed_sqlite_configure(handle, option, 0)
        }
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
        // A reader that opens the file holds locks for a moment.
        sqlite3_busy_timeout(handle, 5_000)
    }

    /// Lets closing checkpoint the log and remove it.
    func removeLogOnClose() {
        _ = gamed_sqlite_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    }

    // MARK: Running

    func run(_ sql: String) throws(StoreError) {
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw error(result) }
    }

    func number(_ sql: String) throws(StoreError) -> Int64? {
        try Statement(sql, on: self).first { $0.integer(0) }
    }

    /// Undoes the open transaction after a failure, so that the connection can be used again.
    func rollBack() {
        guard sqlite3_get_autocommit(handle) == 0 else { return }
        _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    // MARK: Errors

    /// The error number of the file that failed: SQLite's own record of it misses errors in a commit.
    private var lastSystemError: Int32 {
        for file in [log, file(SQLITE_FCNTL_FILE_POINTER)] {
            if let number = file?.lastError, number != 0 { return number }
        }
        return sqlite3_system_errno(handle)
    }

    /// The write-ahead log, if it is open yet.
    var log: OpenFile? { file(SQLITE_FCNTL_JOURNAL_POINTER) }

    private func file(_ which: Int32) -> OpenFile? {
        var pointer: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", which, &pointer) == SQLITE_OK, let pointer else { return nil }
        return pointer.pointee.pMethods.map { OpenFile(pointer: pointer, methods: $0.pointee) }
    }

    func error(_ result: Int32) -> StoreError {
        let systemError = lastSystemError
        if result & 0xFF == SQLITE_IOERR { mayHaveLostWrites = true }
        let text = sqlite3_errmsg(handle).map { String(cString: $0) } ?? ""
        switch result & 0xFF {
        case SQLITE_FULL:
            return .diskFull("\(path) could not be written")
        case SQLITE_IOERR where systemError == ENOSPC || systemError == EDQUOT:
            return .diskFull("\(path) could not be written")
        case SQLITE_IOERR:
            let why = systemError == 0 ? text : systemErrorText(systemError)
            return StoreError(.failed, "\(path) could not be \(Self.verb(result)): \(why) (SQLite \(result))")
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT:
            return .damaged(path, text)
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            return StoreError(.unusable, "\(path) cannot be written: the file or its directory is read-only for this user")
        case SQLITE_CANTOPEN where systemError == ENOENT && isFileSystemFull:
            return .diskFull("\(path) or a file next to it cannot be created")
        case SQLITE_CANTOPEN:
            return .system(systemError == 0 ? EACCES : systemError, "\(path) or a file next to it cannot be opened")
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
            return StoreError(
                .failed,
                "\(path) is held by another program; only the daemon may write to it, others read with sqlite3 -readonly")
        default:
            return StoreError(.failed, "\(path) could not be used: \(text) (SQLite \(result))")
        }
    }

    /// Whether no file can be created. SQLite only reports its second try, without creation, which finds no file.
    private var isFileSystemFull: Bool {
        var status = statvfs()
        guard statvfs(parentDirectory(of: path), &status) == 0 else { return false }
        return status.f_bavail == 0 || status.f_files > 0 && status.f_favail == 0
    }

    private static func verb(_ result: Int32) -> String {
        let reading = [10 | 1 << 8, 10 | 2 << 8, 10 | 7 << 8, 10 | 9 << 8].map(Int32.init)
        return reading.contains(result) ? "read" : "written"
    }
}

/// A file that SQLite has open.
struct OpenFile {
    let pointer: UnsafeMutablePointer<sqlite3_file>
    let methods: sqlite3_io_methods

    /// The system's number of its last error.
    var lastError: Int32 {
        var number: Int32 = 0
        // A journal in memory has no such function.
        _ = methods.xFileControl?(pointer, SQLITE_FCNTL_LAST_ERRNO, &number)
        return number
    }
}

// The tables, and how a database is made: whole, or not at all.

import Glibc
import Posix
import Store

/// The tables of this program's format; the database's header has the format's number.
enum Schema {
    /// A released format never changes.
    static let version: Int64 = 1

    /// The SQL of each table and view, as SQLite stores it. People read `sessions` and `history`; the others are the store's own.
    static let tables: [(name: String, sql: String)] = [
        (
            "history_blocks",
            """
            CREATE TABLE history_blocks (
              first INTEGER PRIMARY KEY, last INTEGER NOT NULL, count INTEGER NOT NULL, names TEXT NOT NULL, entries TEXT NOT NULL,
              checksum INTEGER)
            """
        ),
        (
            "history_repeats",
            """
            CREATE TABLE history_repeats (
              serial INTEGER PRIMARY KEY, times INTEGER NOT NULL, last_at INTEGER NOT NULL, last_seq INTEGER NOT NULL,
              last_version INTEGER NOT NULL, checksum INTEGER)
            """
        ),
        (
            "history",
            """
            CREATE VIEW history AS
            SELECT \(columns), coalesce(times, 1) AS times, last_at, last_seq, last_version
            FROM history_blocks, json_each(entries) LEFT JOIN history_repeats ON history_repeats.serial = \(value(of: .serial))
            """
        ),
        ("log", "CREATE TABLE log (id INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, entries BLOB NOT NULL)"),
        ("meta", "CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID"),
        (
            "sessions",
            """
            CREATE TABLE sessions (
              id INTEGER PRIMARY KEY, name TEXT NOT NULL, life INTEGER NOT NULL, seq INTEGER NOT NULL, version INTEGER NOT NULL,
              flow TEXT NOT NULL, state TEXT NOT NULL, data TEXT NOT NULL, timers TEXT NOT NULL, waiting TEXT, context TEXT,
              since INTEGER NOT NULL, saved INTEGER NOT NULL, paused INTEGER NOT NULL, quarantined INTEGER NOT NULL,
              extra TEXT, problem TEXT, checksum INTEGER)
            """
        ),
    ]

    /// Of the view that shows each entry of the history.
    private static let columns = HistoryColumn.allCases.map { column in
        // Not `->>`, which a SQLite before 3.38 cannot parse: it could not read `sessions` either.
        let shown =
            switch column.content {
            case .number, .time, .text: value(of: column)
            case .name: "json_extract(names, '$[' || \(value(of: column)) || ']')"
            }
        return "\(shown) AS \(column.rawValue)"
    }.joined(separator: ", ")

    private static func value(of column: HistoryColumn) -> String { "json_extract(value, '$[\(column.place)]')" }

    static func checkVersion(_ found: Int64, _ path: String) throws(StoreError) {
        guard !(1...version).contains(found) else { return }
        guard found > version else { throw .damaged(path, "its schema version is \(found), which never existed") }
        throw StoreError(
            .newer,
            "\(path) was written by a newer version (schema \(found), and this one knows \(version)); it was left as it is: run that version"
        )
    }

    /// Makes a draft and renames it: a crash leaves no database rather than half of one.
    static func create(_ path: String) throws(StoreError) {
        let draft = path + ".new"
        for leftover in [draft, draft + "-journal", draft + "-wal", draft + "-shm"] { unlink(leftover) }
        try makeFile(draft)
        do throws(StoreError) {
            try fill(draft)
            Failpoint.hit("during-creation")
            guard rename(draft, path) == 0 else { throw StoreError.system(errno, "cannot create \(path)") }
        } catch {
            unlink(draft)
            throw error
        }
        try syncDirectory(of: path)
    }

    /// Makes the file with our mode, which SQLite copies to the files that it makes beside it.
    static func makeFile(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(errno, "cannot create \(path)") }
        close(descriptor)
    }

    private static func fill(_ path: String) throws(StoreError) {
        let connection = try Connection(path, .creating)
        try connection.run("PRAGMA page_size = 4096; PRAGMA auto_vacuum = NONE; PRAGMA synchronous = EXTRA; BEGIN")
        for table in tables { try connection.run(table.sql) }
        try DatabaseIdentity.renew(connection)
        try connection.run("PRAGMA application_id = \(DatabaseHeader.applicationID); PRAGMA user_version = \(version); COMMIT")
        // The header must be valid without a log, so it is on disk before there is one.
        try connection.run("PRAGMA journal_mode = WAL")
        connection.removeLogOnClose()
    }

    static func syncDirectory(of path: String) throws(StoreError) {
        try sync(parentDirectory(of: path), O_RDONLY | O_DIRECTORY)
    }

    /// Syncs a file or a directory, opened with these flags.
    static func sync(_ path: String, _ flags: Int32) throws(StoreError) {
        guard let file = Descriptor(open(path, flags | O_CLOEXEC)) else { throw .system(errno, "\(path) cannot be opened") }
        guard fsync(file.number) == 0 else { throw .system(errno, "\(path) cannot be written") }
    }

    /// SQLite's own check: reading alone does not notice rows that a damaged page has made unreachable.
    static func checkStructure(_ connection: Connection) throws(StoreError) {
        let check = try Statement("PRAGMA quick_check(1)", on: connection)
        guard let text = try check.first({ $0.text(0)?.string }), text != "ok" else { return }
        throw .damaged(connection.path, text.split(separator: "\n").last.map(String.init) ?? text)
    }

    /// Checks the version again, as the log may have a newer header, and that no table has been altered.
    static func verify(_ connection: Connection) throws(StoreError) {
        let application = try connection.number("PRAGMA application_id")
        guard application == Int64(DatabaseHeader.applicationID) else {
            throw .damaged(connection.path, "its log belongs to another database")
        }
        try checkVersion(try connection.number("PRAGMA user_version") ?? 0, connection.path)
        try verifyTables(connection)
    }

    private static func verifyTables(_ connection: Connection) throws(StoreError) {
        let find = try Statement("SELECT sql FROM sqlite_schema WHERE name = ?", on: connection)
        for (name, sql) in tables {
            let found = try withText(name) { text throws(StoreError) in
                find.bind(1, text: text)
                return try find.first { $0.text(0)?.string } ?? ""
            }
            guard found == sql else {
                throw .damaged(
                    connection.path,
                    "its \(sql.hasPrefix("CREATE VIEW") ? "view" : "table") '\(name)' is missing or has been altered")
            }
        }
    }
}

// MARK: - The store's own numbers, by name. Each is stored twice, once as its complement, so that damage shows.

enum Meta {
    static let covered = "covered", identity = "identity"

    /// Returns nil if the key is missing.
    static func number(_ key: String, _ connection: Connection) throws(StoreError) -> Int64? {
        let find = try Statement("SELECT value FROM meta WHERE key = ?", on: connection)
        let (value, complement) = (try number(key, find), try number(key + "~", find))
        if value == nil, complement == nil { return nil }
        guard let value, let complement, value == ~complement else {
            throw .damaged(connection.path, "the number '\(key)' of its table 'meta' does not match its checksum")
        }
        return value
    }

    private static func number(_ key: String, _ find: Statement) throws(StoreError) -> Int64? {
        try withText(key) { key throws(StoreError) in
            find.bind(1, text: key)
            return try find.first { $0.integer(0) }
        }
    }

    /// `put` takes a key and a value.
    static func store(_ key: String, _ value: Int64, _ put: Statement) throws(StoreError) {
        for (key, value) in [(key, value), (key + "~", ~value)] {
            try withText(key) { key throws(StoreError) in
                put.bind(1, text: key)
                put.bind(2, value)
                try put.run()
            }
        }
    }
}

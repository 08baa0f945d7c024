// A database as one end of a move.

import Postgres
import Store

package final class PostgresMove: StoreMoving {
    private let connection: Connection
    private let postgres: PostgresStore
    private let role: MoveRole
    package private(set) var shards: [Shard] = []
    /// Whether an earlier move was cut off here.
    package private(set) var isRepeated = false

    package var store: any Store { postgres }

    /// Keeps nodes out from here on. Throws, and changes nothing, while one runs, and where a target is not empty.
    package init(_ address: String, as role: MoveRole, historyCapacity: Int) throws(StoreError) {
        self.role = role
        let timeouts = Self.timeouts
        postgres = try PostgresStore(
            address, durability: .always, historyCapacity: historyCapacity, timeouts: timeouts, isMoving: true)
        connection = try askingAtStart { () throws(PostgresError) in
            try Connection(address, name: "gamed move", timeouts: timeouts)
        }
        do throws(StoreError) { try begin() } catch {
            connection.close()
            throw error
        }
    }

    deinit { connection.close() }

    /// No node waits for it. A database that writes to its disk may take nothing for a while, and a move that ends begins again.
    private static let timeouts = Timeouts(
        connect: .seconds(10), statement: PostgresTables.timeout, lock: .seconds(30), idleInTransaction: .zero,
        answer: PostgresTables.timeout, network: .seconds(30))

    // MARK: The beginning

    private func begin() throws(StoreError) {
        guard try isTrue("SELECT pg_try_advisory_lock(7205759403792795)") else {
            throw StoreError(.inUse, "another --import or --export is at work in \(postgres.place)")
        }
        try run("BEGIN; SELECT version FROM cluster FOR UPDATE")
        try checkIsAlone()
        try checkMark()
        // The previous owners lose their shards. This waits for a commit of a node that was killed in the middle of it.
        try run(
            """
            \(RegistryStatements.endingNodes);
            \(RegistryStatements.releasingShards);
            \(RegistryStatements.count.sql)
            """)
        try role == .target ? beginAsTarget() : beginAsSource()
        try run("COMMIT")
        shards = try asking { () throws(PostgresError) in
            let rows = try connection.execute(Statement("SELECT id, epoch FROM shard ORDER BY id"))
            return try (0..<rows.count).map { row throws(PostgresError) in
                Shard(Int(clamping: try rows.int64(row, 0) ?? 0), epoch: try rows.int64(row, 1) ?? 0)
            }
        }
    }

    private func checkIsAlone() throws(StoreError) {
        let nodes = try number("SELECT count(*) FROM node WHERE ended IS NULL AND lease_until > clock_timestamp()")
        guard nodes == 0 else {
            throw StoreError(
                .inUse,
                "\(nodes) node\(nodes == 1 ? " has" : "s have") the sessions of \(postgres.place): stop \(nodes == 1 ? "it" : "them") first; "
                    + "the lease of one that was killed ends after some seconds")
        }
    }

    private func checkMark() throws(StoreError) {
        guard let mark = try asking({ () throws(PostgresError) in try StoreMark.read(connection) }) else { return }
        isRepeated = (mark, role) == (.importing, .target) || (mark, role) == (.exporting, .source)
        if !isRepeated { throw mark.refusal(at: postgres.place) }
    }

    private func beginAsTarget() throws(StoreError) {
        if isRepeated { return try run(Self.emptying) }
        guard
            try isTrue(
                "SELECT NOT EXISTS (SELECT FROM sessions) AND NOT EXISTS (SELECT FROM history_blocks) AND NOT EXISTS (SELECT FROM log)"
            )
        else {
            throw StoreError(
                .unusable,
                "\(postgres.place) has sessions or their history already, and --import takes an empty one: make another database, and its "
                    + "tables with --init")
        }
        try run(StoreMark.importing.setting)
    }

    private func beginAsSource() throws(StoreError) {
        guard try isTrue("SELECT NOT EXISTS (SELECT FROM message)") else {
            throw StoreError(
                .unusable,
                "messages between sessions wait in \(postgres.place), and a directory cannot store them: start a node, until "
                    + "`select count(*) from message` is 0, and stop it")
        }
        if !isRepeated { try run(StoreMark.exporting.setting) }
    }

    private static let emptying =
        "DELETE FROM sessions; DELETE FROM history_blocks; DELETE FROM history_repeats; DELETE FROM log; DELETE FROM number; DELETE FROM message; DELETE FROM trapped"

    // MARK: StoreMoving

    /// The table takes no two.
    package func checkNames() throws(StoreError) {}

    package func countSessions() throws(StoreError) -> Int { Int(try number("SELECT count(*) FROM sessions")) }

    package func loadHistory(_ body: (_ shard: Int, HistoryBlock) throws -> Void) throws {
        try connection.reading {
            try asking { () throws(PostgresError) in
                try connection.prepare([TableStatements.allHistory])
                try connection.sendForRows(TableStatements.allHistory)
                try connection.sync()
            }
            try connection.forEachRow(
                { row throws(PostgresError) in
                    guard let block = try HistoryBlock(row), let shard = try row.int64(0, 7) else { return nil }
                    return (Int(clamping: shard), block)
                }, body)
        }
    }

    /// It is marked from the beginning on.
    package func markMoved(to place: String) throws(StoreError) {}

    /// A commit that is flushed takes all earlier ones along.
    package func open() throws(StoreError) { try run("SET synchronous_commit = on; BEGIN; \(StoreMark.removing); COMMIT") }

    package func end() throws(StoreError) { try run(StoreMark.exported.setting) }

    /// The mark of an earlier move stays: a daemon may use the directory that was exported, or the directory of that import may be marked.
    package func abort() {
        let unmarking = isRepeated ? "" : StoreMark.removing
        try? run(role == .target ? "BEGIN; \(Self.emptying); \(unmarking); COMMIT" : unmarking)
    }

    // MARK: Asking

    private func run(_ sql: String) throws(StoreError) {
        try asking { () throws(PostgresError) in try connection.run(sql) }
    }

    private func number(_ sql: String) throws(StoreError) -> Int64 {
        try asking { () throws(PostgresError) in try connection.execute(Statement(sql)).int64(0, 0) ?? 0 }
    }

    private func isTrue(_ sql: String) throws(StoreError) -> Bool {
        try number("SELECT (\(sql))::int::bigint") == 1
    }
}

/// The mark of a move in the table `meta`. While there is one, no node starts.
enum StoreMark: Int64 {
    case importing = 1
    case exporting = 2
    case exported = 3

    static let key = "moved"
    static let removing = "DELETE FROM meta WHERE key = '\(key)'"

    var setting: String {
        "INSERT INTO meta VALUES ('\(Self.key)', \(rawValue)) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    }

    /// An unknown number was written by another program. It counts as the most careful mark.
    init(number: Int64) { self = StoreMark(rawValue: number) ?? .exported }

    static func read(_ connection: Connection) throws(PostgresError) -> StoreMark? {
        let rows = try connection.execute(Statement("SELECT value FROM meta WHERE key = '\(key)'"))
        guard rows.count == 1, let number = try rows.int64(0, 0) else { return nil }
        return StoreMark(number: number)
    }

    func refusal(at place: String) -> StoreError {
        let lifting = "`delete from meta where key = '\(Self.key)'`"
        let reason =
            switch self {
            case .importing:
                "an import into \(place) runs or was interrupted, so it lacks sessions: repeat --import"
            case .exporting:
                "an export of \(place) into a directory runs or was interrupted: repeat --export, or, if no daemon uses such a "
                    + "directory, continue here with \(lifting)"
            case .exported:
                "the sessions of \(place) were exported into a directory, and would exist twice; if no daemon uses them there, "
                    + "\(lifting) lets nodes start here again"
            }
        return StoreError(.unusable, reason)
    }
}

// MARK: - PostgreSQL's errors in the store's words

extension StoreError {
    init(_ error: PostgresError) {
        let cause: Cause =
            switch (error.outcome, error.state) {
            case (.unknown, _): .unknown
            case (_, SQLState.fenced): .lost
            case (_, SQLState.diskFull): .full
            case (.unreadable, _): .damaged
            case (.refused, _), (.notSent, _): .failed
            }
        self.init(cause, error.connectionTrouble ?? "the database: \(error.shown)")
    }
}

extension SQLState {
    /// A division by zero, for a fenced epoch: only an error ends a whole transaction at once.
    static let fenced = SQLState("22012")
}

/// Runs the queries of a start: no client reads the error, and the operator needs all of it.
func askingAtStart<Result>(_ body: () throws(PostgresError) -> Result) throws(StoreError) -> Result {
    do throws(PostgresError) { return try body() } catch { throw StoreError(StoreError(error).cause, "the database: \(error)") }
}

/// Runs what asks the database.
@discardableResult
func asking<Result>(_ body: () throws(PostgresError) -> Result) throws(StoreError) -> Result {
    do throws(PostgresError) { return try body() } catch { throw StoreError(error) }
}

// Appends to the logs of a node's shards: a commit is one statement, so that no open transaction of a node that was cut off can hold
// a take-over up.

import Postgres
import Store

final class PostgresLog: StoreLog {
    private let connection: Connection
    /// Some rows of each commit in flight.
    private var sent: [AppendStatement.Places] = []
    /// When the oldest of them must be answered.
    private var deadline = Deadline(in: .zero)
    private let appending = AppendStatement()

    /// One present row proves its commit; of several, not all belong to shards that were lost meanwhile.
    private static let maxPlaces = 8

    init(
        _ address: String, _ durability: Durability, of node: String, _ timeouts: Timeouts, _ interrupter: Interrupter,
        _ server: LogServer
    ) throws(StoreError) {
        connection = try asking { () throws(PostgresError) in
            let connection = try Connection(
                address, name: BackendName.log(of: node), timeouts: timeouts, interrupter: interrupter)
            let commits = durability == .always ? "on" : "off"
            try connection.run(
                "SET plan_cache_mode = force_generic_plan; \(PlannerSettings.byIndex); SET synchronous_commit = \(commits)")
            try connection.prepare(AppendStatement.all + [LogQueries.lastLogged, LogQueries.savedVersions])
            server.connected(to: try ServerStart(connection))
            return connection
        }
    }

    var depth: Int { 2 }

    func send(_ batches: [ShardBatch]) throws(StoreError) {
        precondition(!batches.isEmpty, "a commit has rows")
        let before = sent.last
        sent.append(batches.prefix(Self.maxPlaces).map { ($0.shard.number, $0.number) })
        let (statement, values) = appending.fill(batches, after: before)
        do throws(PostgresError) {
            try connection.send(statement, values)
            Failpoint.hit("before-commit")
            try connection.sync()
        } catch {
            // This commit was not sent, or not completely. The outcome of the one before is unknown.
            let failure = StoreError(error)
            throw before == nil ? failure : StoreError(.unknown, failure.description)
        }
        if before == nil { deadline = Deadline(in: connection.timeouts.answer) }
    }

    func outcome(orUntil waker: Int32) throws(StoreError) -> [Int]? {
        switch connection.wait(until: deadline, orReadable: waker) {
        case .readable where !deadline.isOver: return nil
        case .lost(let reason): throw StoreError(reason)
        case .readable, .answer, .notification, .deadline: break
        }
        return try asking { () throws(PostgresError) in try takeOutcome() }
    }

    private func takeOutcome() throws(PostgresError) -> [Int] {
        var refused: [Int] = []
        var failure: PostgresError?
        switch connection.next(until: deadline) {
        case .done(let rows): for row in 0..<rows.count { refused.append(Int(try rows.int64(row, 0) ?? 0)) }
        case .failed(let error): failure = error
        case .synced: break
        }
        if case .failed(let error) = connection.next(until: deadline) { failure = failure ?? error }
        if let failure { throw failure }
        guard !refused.contains(-1) else {
            throw PostgresError(.refused, "the preceding commit was refused")
        }
        Failpoint.hit("after-commit")
        sent.removeFirst()
        deadline = Deadline(in: connection.timeouts.answer)
        return refused
    }

    func lastLogged(in shards: [Shard]) throws(StoreError) -> [Int: Int64] {
        try asking { () throws(PostgresError) in try LogQueries.askLastLogged(shards, on: connection) }
    }

    func savedVersions(in shard: Shard) throws(StoreError) -> [SavedVersion] {
        try asking { () throws(PostgresError) in
            let rows = try connection.execute(LogQueries.savedVersions, [.int32(shard)])
            var found: [SavedVersion] = []
            for row in 0..<rows.count {
                guard let name = try rows.text(row, 0), let version = try rows.int64(row, 2) else { continue }
                found.append(SavedVersion(name: name, life: try rows.int64(row, 1), version: version))
            }
            return found
        }
    }

    func wait(until waker: Int32, atMost milliseconds: Int32) throws(StoreError) {
        let deadline = Deadline(inMilliseconds: milliseconds)
        while true {
            switch connection.wait(until: deadline, orReadable: waker) {
            case .readable, .deadline: return
            case .notification: break
            case .lost(let reason): throw StoreError(reason)
            case .answer: throw StoreError(.failed, "the database has ended the connection")
            }
        }
    }

    func close() { connection.close() }
}

// MARK: - Planner settings

enum PlannerSettings {
    /// Looking through a whole table is the best plan for an empty one, and then each commit would look through the whole log. There
    /// is an index for everything that the daemon asks.
    static let byIndex = "SET enable_seqscan = off"
}

// MARK: - Shards in the database

enum LogQueries {
    /// No row where the epoch has passed.
    static let lastLogged = Statement(
        "last_logged",
        """
        SELECT s.id, greatest(0, (SELECT max(seq) FROM log WHERE shard = s.id),
          (SELECT value FROM number WHERE shard = s.id AND key = 'covered'))
        FROM unnest($1::int[], $2::bigint[]) AS b (shard, epoch) JOIN shard s ON s.id = b.shard AND s.epoch = b.epoch
        """)

    static let savedVersions = Statement("saved_versions", "SELECT name, life, version FROM sessions WHERE shard = $1::int")

    static func askLastLogged(_ shards: [Shard], on connection: Connection) throws(PostgresError) -> [Int: Int64] {
        let numbers = BinaryArray(shards.map { Int32($0.number) })
        let rows = try connection.execute(lastLogged, [.array(numbers), .array(BinaryArray(shards.map(\.epoch)))])
        var found: [Int: Int64] = [:]
        for row in 0..<rows.count { found[Int(try rows.int64(row, 0) ?? -1)] = try rows.int64(row, 1) }
        return found
    }
}

// The tables that people read, as the owner of a shard writes and reads them.

import Postgres
import Store

final class PostgresTables: StoreTables {
    private let connection: Connection
    private let historyPerShard: Int
    private let durability: Durability
    private let arrays = RowArrays()
    private let appending = AppendStatement()

    /// Reading a shard's rows may take long.
    static let timeout = Duration.seconds(600)

    init(
        _ address: String, _ durability: Durability, historyPerShard: Int, of node: String, _ network: Duration,
        _ interrupter: Interrupter
    ) throws(StoreError) {
        (self.durability, self.historyPerShard) = (durability, historyPerShard)
        connection = try asking { () throws(PostgresError) in
            let timeouts = Timeouts(statement: Self.timeout, answer: Self.timeout, network: network)
            let connection = try Connection(
                address, name: BackendName.tables(of: node), timeouts: timeouts, interrupter: interrupter)
            // If a crash undoes this write, the log has the changes again: its rows are deleted in the same transaction.
            try connection.run("\(PlannerSettings.byIndex); SET synchronous_commit = off")
            try connection.prepare(TableStatements.all + AppendStatement.all + [LogQueries.lastLogged])
            return connection
        }
    }

    var rowsAtOnce: Int { 2_000 }

    // MARK: Writing

    func write(
        _ shard: Shard, coveringLogThrough covered: Int64?, _ rows: (any TableWriter) throws(StoreError) -> Void
    ) throws(StoreError) {
        arrays.removeAll()
        let writer = PostgresTableWriter(connection, shard, arrays)
        do throws(StoreError) {
            try asking { () throws(PostgresError) in
                try connection.send(TableStatements.fence, [.int32(shard), .int64(shard.epoch)])
            }
            try rows(writer)
            try writer.flush()
            if let covered {
                try writer.remember("covered", covered)
                try asking { () throws(PostgresError) in
                    try connection.send(TableStatements.trim, [.int32(shard), .int64(covered)])
                }
            }
        } catch {
            connection.close()
            throw error
        }
        Failpoint.hit("during-materialize")
        try asking { () throws(PostgresError) in
            try connection.sync()
            try connection.takeAll()
        }
        Failpoint.hit("after-materialize")
    }

    func maintain(_ shards: [Shard]) throws(StoreError) -> Bool {
        for shard in shards {
            try asking { () throws(PostgresError) in
                try connection.execute(TableStatements.prune, [.int32(shard), .int64(Int64(historyPerShard))])
                try connection.execute(TableStatements.pruneRepeats, [.int32(shard)])
            }
        }
        return false
    }

    func append(_ batch: ShardBatch) throws(StoreError) {
        let (statement, values) = appending.fill([batch], after: nil)
        let refused = try asking { () throws(PostgresError) in
            // Unlike the tables' rows, this one may be nowhere else soon: the node may be about to leave.
            try connection.send(TableStatements.commitDurably, [.text(durability == .always ? "on" : "off")])
            try connection.send(statement, values)
            try connection.sync()
            return try connection.takeAll().last?.count
        }
        guard refused == 0 else { throw StoreError(.lost, "the shard has another owner") }
    }

    // MARK: Reading

    func lastLogged(in shard: Shard) throws(StoreError) -> Int64? {
        try asking { () throws(PostgresError) in try LogQueries.askLastLogged([shard], on: connection)[shard.number] }
    }

    func newestEntry(in shard: Shard) throws(StoreError) -> Int64? {
        try asking { () throws(PostgresError) in
            let rows = try connection.execute(TableStatements.newestEntry, [.int32(shard)])
            return rows.count == 0 ? nil : try rows.int64(0, 0)
        }
    }

    func loadLog(_ shard: Shard, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void) throws {
        try connection.reading {
            try asking { () throws(PostgresError) in
                try connection.sendForRows(TableStatements.log, [.int32(shard)])
                try connection.sync()
            }
            let read = {
                (row: Rows) throws(PostgresError) -> (number: Int64, bytes: UnsafeRawBufferPointer, checksum: Int64)? in
                guard let number = try row.int64(0, 0), let bytes = try row.bytes(0, 1), let sum = try row.int64(0, 2)
                else { return nil }
                return (number, bytes, sum)
            }
            try connection.forEachRow(read) { number, bytes, sum in
                guard checksum(bytes) == sum else {
                    throw StoreError(
                        .damaged,
                        "the row \(number) of shard \(shard.number) in the table 'log' does not match its checksum: restore the database"
                    )
                }
                try body(number, bytes)
            }
        }
    }

    /// All statements are sent at once: the summary decides whether the rest counts.
    func load(
        _ shard: Shard, entries: Int, summary: (ShardSummary) throws -> Void, sessions: (SessionRow) throws -> Void,
        history: (HistoryBlock) throws -> Void
    ) throws {
        let most = Int64(min(entries, historyPerShard))
        let isOwn = try connection.reading { () throws -> Bool in
            try asking { () throws(PostgresError) in
                try connection.send(TableStatements.quarantine, [.int32(shard), .int64(shard.epoch)])
                try connection.send(TableStatements.summary, [.int32(shard), .int64(shard.epoch)])
                try connection.sendForRows(TableStatements.sessions, [.int32(shard)])
                try connection.sendForRows(TableStatements.history, [.int32(shard), .int64(most)])
                try connection.sync()
            }
            guard let found = try asking({ () throws(PostgresError) in try takeSummary() }) else { return false }
            try summary(found)
            try connection.forEachRow({ row throws(PostgresError) in try SessionRow(row) }, sessions)
            try connection.forEachRow({ row throws(PostgresError) in try HistoryBlock(row) }, history)
            return true
        }
        guard isOwn else { throw StoreError(.lost, "the shard has another owner") }
    }

    /// Returns nil if the shard's epoch has passed. Quarantining has run before it.
    private func takeSummary() throws(PostgresError) -> ShardSummary? {
        let deadline = Deadline(in: Self.timeout)
        if case .failed(let error) = connection.next(until: deadline) { throw error }
        let answer = connection.next(until: deadline)
        if case .failed(let error) = answer { throw error }
        guard case .done(let row) = answer, row.count == 1 else { return nil }
        var summary = ShardSummary()
        summary.lastLogged = try row.int64(0, 0) ?? 0
        summary.lastLife = try row.int64(0, 1) ?? 0
        summary.nextSerial = try row.int64(0, 2) ?? 0
        return summary
    }

    func close() { connection.close() }
}

extension Parameter {
    static func int32(_ shard: Shard) -> Parameter { .int32(Int32(shard.number)) }
}

// MARK: - Collects the rows of one transaction, and sends them in the order in which they came.

final class PostgresTableWriter: TableWriter {
    /// Maximum of rows and bytes in a statement.
    private static let (maxRows, maxBytes) = (10_000, 8 << 20)

    private let connection: Connection
    private let shard: Shard
    private let rows: RowArrays
    private var waiting = 0

    init(_ connection: Connection, _ shard: Shard, _ rows: RowArrays) {
        (self.connection, self.shard, self.rows) = (connection, shard, rows)
    }

    func session(_ row: SessionRow) throws(StoreError) { try append(row, problem: nil) }

    /// The row stays where it is: no other session can have its name.
    func writeSetAside(_ row: SessionRow, because problem: String) throws(StoreError) -> Int64 {
        try withText(problem) { text throws(StoreError) in try append(row, problem: text) }
        return row.id
    }

    private func append(_ row: SessionRow, problem: Text?) throws(StoreError) {
        rows.add(row, problem: problem)
        try count()
    }

    func drop(_ id: Int64, named name: Text) throws(StoreError) {
        if rows.sessionCount > 0 { try flush() }
        rows.drops.append(name)
        try count()
    }

    func history(_ block: HistoryBlock) throws(StoreError) {
        rows.add(block)
        if rows.bytes >= Self.maxBytes { return try flush() }
        try count()
    }

    func `repeat`(_ row: RepeatRow) throws(StoreError) {
        rows.add(row)
        try count()
    }

    func remember(_ key: String, _ value: Int64) throws(StoreError) {
        try asking { () throws(PostgresError) in
            try connection.send(TableStatements.remember, [.int32(shard), .text(key), .int64(value)])
        }
    }

    private func count() throws(StoreError) {
        waiting += 1
        guard waiting == Self.maxRows || waiting % 256 == 0 && rows.bytes >= Self.maxBytes else { return }
        try flush()
    }

    func flush() throws(StoreError) {
        waiting = 0
        try asking { () throws(PostgresError) in
            if rows.drops.count > 0 { try connection.send(TableStatements.drop, [.array(rows.drops)]) }
            if rows.sessionCount > 0 { try connection.send(TableStatements.upsertSessions, rows.sessions(of: shard)) }
            if rows.blockCount > 0 { try connection.send(TableStatements.upsertHistory, rows.blocks(of: shard)) }
            if rows.repeatCount > 0 { try connection.send(TableStatements.upsertRepeats, rows.repeats(of: shard)) }
        }
        rows.removeAll()
    }
}

// Collects the rows of one transaction, and sends them in the order in which they came.

import Postgres
import Store

final class PostgresTableWriter: TableWriter {
    /// Maximum of rows and bytes in a statement.
    private static let (maxRows, maxBytes) = (10_000, 8 << 20)

    private let tables: PostgresTables
    private let shard: Shard
    private let rows: RowArrays
    private var waiting = 0

    init(_ tables: PostgresTables, _ shard: Shard, _ rows: RowArrays) {
        (self.tables, self.shard, self.rows) = (tables, shard, rows)
    }

    func session(_ row: SessionRow) throws(StoreError) { try append(row, problem: nil) }

    /// The row stays where it is: no other session can have its name.
    func keepUnrestored(_ row: SessionRow, because problem: String) throws(StoreError) -> Int64 {
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
            try tables.send(TableStatements.remember, [.int32(shard), .text(key), .int64(value)])
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
            if rows.drops.count > 0 { try tables.send(TableStatements.drop, [.array(rows.drops)]) }
            if rows.sessionCount > 0 { try tables.send(TableStatements.putSessions, rows.sessions(of: shard)) }
            if rows.blockCount > 0 { try tables.send(TableStatements.putHistory, rows.blocks(of: shard)) }
            if rows.repeatCount > 0 { try tables.send(TableStatements.putRepeats, rows.repeats(of: shard)) }
        }
        rows.removeAll()
    }
}

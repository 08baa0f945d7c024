// Rows of the database as the journal reads them.

import Postgres
import Store

extension Connection {
    /// Runs `body`, which sends statements and takes rows, and takes the remaining answers. After an error, answers are still outstanding, so the
    /// connection is closed.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            let result = try body()
            try asking { () throws(PostgresError) in try takeAll(until: Deadline(in: PostgresTables.timeout)) }
            return result
        } catch {
            close()
            throw error
        }
    }

    /// Takes the rows of the oldest statement in flight, one by one. Errors of `take` are thrown as they are.
    func forEachRow<Row>(_ row: (Rows) throws(PostgresError) -> Row?, _ take: (Row) throws -> Void) throws {
        var failure: (any Error)?
        do throws(PostgresError) {
            try takeRows(until: Deadline(in: PostgresTables.timeout)) { rows throws(PostgresError) in
                guard let found = try row(rows) else {
                    throw PostgresError(.unreadable, "a row of the database lacks what it must have")
                }
                do { try take(found) } catch {
                    failure = error
                    throw PostgresError(.unreadable, "\(error)")
                }
            }
        } catch {
            throw failure ?? StoreError(error)
        }
    }
}

extension SessionRow {
    /// Nil if it lacks something.
    init?(_ row: Rows) throws(PostgresError) {
        guard let name = try row.bytes(0, 0), let flow = try row.bytes(0, 1), let state = try row.bytes(0, 2),
            let data = try row.bytes(0, 3), let timers = try row.bytes(0, 4), let version = try row.int64(0, 5),
            let since = try row.int64(0, 6), let saved = try row.int64(0, 7), let paused = try row.bool(0, 8),
            let life = try row.int64(0, 10), let seq = try row.int64(0, 14)
        else { return nil }
        self.init(
            id: SessionRow.unnumbered, name: name, flow: flow, state: state, data: data, timers: timers, version: version,
            since: since,
            saved: saved,
            paused: paused, problem: try row.bytes(0, 9), life: life, waiting: try row.bytes(0, 11),
            context: try row.bytes(0, 12), quarantined: try row.bool(0, 13) ?? false, seq: seq)
        seal = RowSeal(try row.int64(0, 15), checksum)
    }

    /// Of the columns that only the shard's owner writes. A node that takes the shard over marks rows as quarantined.
    var checksum: Int64 {
        var row = self
        (row.id, row.problem, row.quarantined, row.extra) = (SessionRow.unnumbered, nil, false, nil)
        row.since = row.since.withinCalendar
        return RowChecksum.of(row)
    }
}

extension HistoryBlock {
    init?(_ row: Rows) throws(PostgresError) {
        guard let first = try row.int64(0, 0), let last = try row.int64(0, 1), let count = try row.int64(0, 2),
            let names = try row.bytes(0, 3), let entries = try row.bytes(0, 4)
        else { return nil }
        self.init(first: first, last: last, count: count, names: names, entries: entries)
        try check(RowSeal(try row.int64(0, 5), RowChecksum.of(self)), "history_blocks", first)
        if let numbers = try row.bytes(0, 6) { repeats = try RepeatRow.rows(numbers) }
    }
}

private func check(_ seal: RowSeal, _ table: String, _ number: Int64) throws(PostgresError) {
    guard seal == .broken else { return }
    throw PostgresError(
        .unreadable,
        "the row \(number) of the table '\(table)' does not match its checksum: restore the database, or, if you have edited it, set its checksum to NULL"
    )
}

extension RepeatRow {
    /// From numbers between commas.
    fileprivate static func rows(_ list: UnsafeRawBufferPointer) throws(PostgresError) -> [RepeatRow] {
        let numbers = list.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
            Int64(String(decoding: $0, as: UTF8.self))
        }
        var rows: [RepeatRow] = []
        for start in stride(from: 0, to: numbers.count / 6 * 6, by: 6) {
            func number(_ place: Int) -> Int64 { numbers[start + place] ?? 0 }
            let row = RepeatRow(
                serial: number(0), times: number(1), lastAt: number(2), lastSeq: number(3), lastVersion: number(4))
            try check(RowSeal(numbers[start + 5], row.storedChecksum), "history_repeats", row.serial)
            rows.append(row)
        }
        return rows
    }

    var storedChecksum: Int64 {
        var row = self
        row.lastAt = row.lastAt.withinCalendar
        return RowChecksum.of(row)
    }
}

// Rows of the database as the journal reads them.

import Postgres
import Store

/// A row of a shard's log.
struct LoggedRow {
    let number: Int64
    let bytes: UnsafeRawBufferPointer
    let isIntact: Bool

    init?(_ row: Rows) throws(PostgresError) {
        guard let number = try row.int64(0, 0), let bytes = try row.bytes(0, 1), let sum = try row.int64(0, 2) else {
            return nil
        }
        (self.number, self.bytes) = (number, bytes)
        isIntact = checksum(bytes) == sum
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
    }
}

extension HistoryBlock {
    init?(_ row: Rows) throws(PostgresError) {
        guard let first = try row.int64(0, 0), let last = try row.int64(0, 1), let count = try row.int64(0, 2),
            let names = try row.bytes(0, 3), let entries = try row.bytes(0, 4)
        else { return nil }
        self.init(first: first, last: last, count: count, names: names, entries: entries)
        if let numbers = try row.bytes(0, 5) { repeats = RepeatRow.rows(numbers) }
    }
}

extension RepeatRow {
    /// From numbers between commas.
    fileprivate static func rows(_ numbers: UnsafeRawBufferPointer) -> [RepeatRow] {
        let numbers = numbers.split(separator: UInt8(ascii: ",")).map { Int64(String(decoding: $0, as: UTF8.self)) ?? 0 }
        return stride(from: 0, to: numbers.count / 5 * 5, by: 5).map { start in
            RepeatRow(
                serial: numbers[start], times: numbers[start + 1], lastAt: numbers[start + 2], lastSeq: numbers[start + 3],
                lastVersion: numbers[start + 4])
        }
    }
}

// Loads everything once, when the daemon starts. Nothing in the file is trusted.

import Store

extension SQLiteStore {
    package func load(
        sessions: (SessionRow) throws -> Void,
        history: (HistoryBlock) throws -> Void,
        log: (Int64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try read(sessions: sessions, history: history, log: log)
        try removeLostHistory()
    }

    /// Reads every row, and changes nothing.
    func read(
        sessions: (SessionRow) throws -> Void,
        history: (HistoryBlock) throws -> Void,
        log: (Int64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        lostHistory = []
        try opened.checkStructure {
            try loadSessions(sessions)
            try loadHistory(history)
            Failpoint.hit("during-recovery")
            try loadLog(.only, log)
        }
    }

    /// A bound on the rows in a page.
    private static var maxRowsInPage: Int64 { 100 }

    /// One more than the highest row number, limited to what the file can hold: the number may be damaged.
    package func slotsInUse() throws -> Int {
        let last = try opened.connection.number("SELECT coalesce(max(id), -1) FROM sessions") ?? -1
        let pages = try opened.connection.number("PRAGMA page_count") ?? 0
        return Int(max(0, min(last, pages * Self.maxRowsInPage - 1) + 1))
    }

    private func loadSessions(_ body: (SessionRow) throws -> Void) throws {
        try loadSessions("id >= 0 ORDER BY id", ascending: true, body)
        try loadSessions("id < 0 ORDER BY id DESC", ascending: false, body)
    }

    private func loadSessions(_ which: String, ascending: Bool, _ body: (SessionRow) throws -> Void) throws {
        var last: Int64?
        try opened.connection.forEachRow(SessionRow.columns, from: "sessions WHERE \(which)") { columns in
            let id = columns.integer(0) ?? 0
            if let last, ascending ? id <= last : id >= last { throw outOfOrder(.sessions, id) }
            last = id
            guard var row = SessionRow(columns) else {
                return try recordLoss(of: RowName(.sessions, id, columns.text(1)), in: \.unreadable)
            }
            row.seal = try seal(
                columns, SessionRow.checksumColumn, RowChecksum.of(row), RowName(.sessions, id, row.name))
            try body(row)
        }
    }

    /// Blocks that have something within the capacity, and damaged ones that would not be pruned.
    private func loadHistory(_ body: (HistoryBlock) throws -> Void) throws {
        let rows = try Statement(
            "SELECT first, last, count, names, entries, checksum FROM history_blocks WHERE last > ?1 OR first > ?1 ORDER BY first",
            on: opened.connection)
        rows.bind(1, lastSerialToPrune)
        let repeats = try RepeatRows(self)
        var last = Int64.min
        while try rows.next() {
            let first = rows.integer(0) ?? 0
            guard first > last else { throw outOfOrder(.history, first) }
            guard var block = HistoryBlock(rows) else {
                try recordLoss(of: RowName(.history, first), in: \.unreadable)
                continue
            }
            guard try seal(rows, 5, RowChecksum.of(block), RowName(.history, first)) != .broken else { continue }
            last = block.last
            block.repeats = try repeats.rows(through: block.last)
            try body(block)
        }
        // Rows without a block are checked, too.
        _ = try repeats.rows(through: .max)
    }

    package func loadLog(_ shard: Shard, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void) throws {
        let rows = try Statement("SELECT id, checksum, entries FROM log WHERE id > ? ORDER BY id", on: opened.connection)
        rows.bind(1, cursors.covered)
        var next = cursors.covered + 1
        while try rows.next() {
            let id = rows.integer(0) ?? 0
            if id != next { try leaveOut(from: next, before: id) }
            next = id + 1
            if let sum = rows.integer(1), let entries = rows.blob(2), sum == checksum(entries) {
                try body(id, entries)
            } else {
                try recordLoss(of: RowName(.log, id), in: \.broken)
            }
            Failpoint.hit("during-recovery")
        }
    }

    package func number(_ key: String) throws(StoreError) -> Int64? { try Meta.number(key, opened.connection) }

    // MARK: Damaged rows

    /// Deletes the damaged rows of the history. They would remain, and the next start, or a start from a backup, would refuse them.
    private func removeLostHistory() throws(StoreError) {
        guard !lostHistory.isEmpty else { return }
        let rows = lostHistory
        try transaction { open throws(StoreError) in
            for row in rows {
                let key = row.table == .repeats ? "serial" : "first"
                let delete = try Statement("DELETE FROM \(row.table.rawValue) WHERE \(key) = ?", on: open.connection)
                delete.bind(1, row.number)
                try delete.run()
            }
            // Later entries get the serial numbers of lost ones.
            let delete = try Statement("DELETE FROM history_repeats WHERE serial > ?", on: open.connection)
            delete.bind(1, cursors.newestSerial)
            try delete.run()
        }
        lostHistory = []
    }

    /// Compares the column with the sum. Records a row that is not intact, and throws if it is broken and losses are not accepted.
    fileprivate func seal(
        _ row: some Columns, _ column: Int32, _ sum: @autoclosure () -> Int64, _ name: @autoclosure () -> RowName
    ) throws(StoreError) -> RowSeal {
        let stored = row.integer(column)
        let seal = stored != nil || row.isNull(column) ? RowSeal(stored, sum()) : .broken
        switch seal {
        case .intact: break
        case .none:
            let row = name()
            findings.unsealed[row.table, default: []].insert(row.number)
        case .broken: try recordLoss(of: name(), in: \.broken)
        }
        return seal
    }

    /// Records the row, and throws if losses are not accepted.
    fileprivate func recordLoss(of row: RowName, in rows: WritableKeyPath<Findings, [Table: Set<Int64>]>) throws(StoreError) {
        guard opening.acceptsLoss else { throw opening.lost(row.sentence) }
        findings[keyPath: rows][row.table, default: []].insert(row.number)
        if row.table == .history || row.table == .repeats { lostHistory.append((row.table, row.number)) }
    }

    private func leaveOut(from first: Int64, before next: Int64) throws(StoreError) {
        let how = "of its table 'log', \(next - first) rows from \(first) on are missing"
        guard opening.acceptsLoss, next > first else { throw opening.lost(how) }
        findings.record("\(how), and their contents are lost", isLoss: true)
    }

    private func outOfOrder(_ table: Table, _ number: Int64) -> StoreError {
        .damaged(opened.connection.path, "the row \(number) of its table '\(table.rawValue)' is not in its place")
    }
}

/// A table with checked rows.
enum Table: String, CaseIterable {
    case sessions, log
    case history = "history_blocks"
    case repeats = "history_repeats"
}

/// The rows of `history_repeats`, read beside the blocks.
private final class RepeatRows {
    private let store: SQLiteStore
    private let rows: Statement
    private var next: RepeatRow?

    init(_ store: SQLiteStore) throws(StoreError) {
        self.store = store
        rows = try Statement(
            "SELECT serial, times, last_at, last_seq, last_version, checksum FROM history_repeats ORDER BY serial",
            on: store.opened.connection)
        next = try read()
    }

    /// The next ones, up to this serial number.
    func rows(through last: Int64) throws(StoreError) -> [RepeatRow] {
        var found: [RepeatRow] = []
        while let row = next, row.serial <= last {
            found.append(row)
            next = try read()
        }
        return found
    }

    private func read() throws(StoreError) -> RepeatRow? {
        while try rows.next() {
            let name = RowName(.repeats, rows.integer(0) ?? 0)
            guard let row = RepeatRow(rows) else {
                try store.recordLoss(of: name, in: \.unreadable)
                continue
            }
            if try store.seal(rows, 5, RowChecksum.of(row), name) != .broken { return row }
        }
        return nil
    }
}

/// Names a row in sentences.
private struct RowName {
    let table: Table
    let number: Int64
    let name: String?

    init(_ table: Table, _ number: Int64, _ name: Text? = nil) {
        (self.table, self.number) = (table, number)
        self.name = name.map { String($0.string.prefix(64)) }
    }

    var sentence: String {
        let row =
            "the row \(number) of its table '\(table.rawValue)'" + (name.map { ", '\($0)'," } ?? "")
            + " does not match its checksum"
        return table == .log ? row : "\(row); if you have edited it, set its checksum to NULL"
    }
}

extension SessionRow {
    fileprivate static let columns =
        "id, name, life, seq, version, flow, state, data, timers, waiting, context, since, saved, paused, quarantined, extra, problem, checksum"
    fileprivate static let checksumColumn: Int32 = 17

    fileprivate init?(_ row: some Columns) {
        guard let id = row.integer(0), let name = row.text(1), let life = row.integer(2), let seq = row.integer(3),
            let version = row.integer(4), let flow = row.text(5), let state = row.text(6), let data = row.text(7),
            let timers = row.text(8), let since = row.integer(11), let saved = row.integer(12), let paused = row.integer(13),
            let quarantined = row.integer(14)
        else { return nil }
        self.init(
            id: id, name: name, flow: flow, state: state, data: data, timers: timers, version: version, since: since,
            saved: saved, paused: paused != 0, extra: row.text(15), problem: row.text(16), life: life,
            waiting: row.text(9), context: row.text(10), quarantined: quarantined != 0, seq: seq)
    }
}

extension HistoryBlock {
    fileprivate init?(_ row: Statement) {
        guard let first = row.integer(0), let last = row.integer(1), last >= first, let count = row.integer(2),
            let names = row.text(3), let entries = row.text(4)
        else { return nil }
        self.init(first: first, last: last, count: count, names: names, entries: entries)
    }
}

extension RepeatRow {
    fileprivate init?(_ row: Statement) {
        guard let serial = row.integer(0), let times = row.integer(1), let lastAt = row.integer(2),
            let lastSeq = row.integer(3),
            let lastVersion = row.integer(4)
        else { return nil }
        self.init(serial: serial, times: times, lastAt: lastAt, lastSeq: lastSeq, lastVersion: lastVersion)
    }
}

// Everything that is there, once, when the daemon starts.

extension SQLiteStore {
    package func load(
        sessions: (SessionRow) throws -> Void,
        history: (HistoryRow) throws -> Void,
        log: (Int64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try loadSessions(sessions)
        try loadHistory(history)
        Failpoint.hit("during-recovery")
        try loadLog(log)
    }

    package func placesInUse() throws -> Int {
        let last = try opened.connection.number("SELECT coalesce(max(id), -1) FROM sessions") ?? -1
        return Int(clamping: max(-1, min(last, .max - 1)) + 1)
    }

    package func number(_ key: String) throws(StoreError) -> Int64? {
        let find = try Statement("SELECT value FROM meta WHERE key = ?", on: opened.connection)
        return try withText(key) { key throws(StoreError) in
            find.bind(1, text: key)
            guard try find.next() else { return nil }
            defer { find.stop() }
            return find.integer(0)
        }
    }

    private func loadSessions(_ body: (SessionRow) throws -> Void) throws {
        let columns =
            "id, name, flow, state, data, timers, version, since, saved, paused, extra, problem, life, waiting, quarantined"
        for order in ["id >= 0 ORDER BY id", "id < 0 ORDER BY id DESC"] {
            let rows = try Statement("SELECT \(columns) FROM sessions WHERE \(order)", on: opened.connection)
            while try rows.next() {
                guard let row = SessionRow(rows) else { throw damaged("sessions") }
                try body(row)
            }
        }
    }

    private func loadHistory(_ body: (HistoryRow) throws -> Void) throws {
        let columns =
            "serial, session, name, at, source, event, timer, from_state, to_state, version, code, refused, payload, life"
        let rows = try Statement(
            "SELECT \(columns) FROM history WHERE serial > ? ORDER BY serial", on: opened.connection)
        rows.bind(1, lastSerialToPrune)
        while try rows.next() {
            guard let row = HistoryRow(rows) else { throw damaged("history") }
            try body(row)
        }
    }

    package func loadLog(_ body: (Int64, UnsafeRawBufferPointer) throws -> Void) throws {
        let rows = try Statement("SELECT id, checksum, entries FROM log WHERE id > ? ORDER BY id", on: opened.connection)
        rows.bind(1, marks.covered)
        while try rows.next() {
            guard let id = rows.integer(0), let sum = rows.integer(1), let entries = rows.blob(2), sum == checksum(entries)
            else {
                throw damaged("log")
            }
            try body(id, entries)
            Failpoint.hit("during-recovery")
        }
    }

    private func damaged(_ table: String) -> StoreError {
        .damaged(opened.connection.path, "a row of its table '\(table)' is not what was written")
    }
}

extension SessionRow {
    @inline(__always)
    fileprivate init?(_ row: Statement) {
        guard let id = row.integer(0), let name = row.text(1), let flow = row.text(2), let state = row.text(3),
            let data = row.text(4), let timers = row.text(5), let version = row.integer(6), let since = row.integer(7),
            let saved = row.integer(8), let paused = row.integer(9)
        else { return nil }
        self.init(
            id: id, name: name, flow: flow, state: state, data: data, timers: timers, version: version, since: since,
            saved: saved, paused: paused != 0, extra: row.text(10), problem: row.text(11), life: row.integer(12),
            waiting: row.text(13),
            quarantined: row.integer(14).map { $0 != 0 } ?? false)
    }
}

extension HistoryRow {
    @inline(__always)
    fileprivate init?(_ row: Statement) {
        guard let serial = row.integer(0), let session = row.integer(1), let name = row.text(2), let at = row.integer(3),
            let source = row.text(4), let from = row.text(7), let to = row.text(8), let version = row.integer(9)
        else { return nil }
        self.init(
            serial: serial, session: session, name: name, at: at, source: source, event: row.text(5), timer: row.text(6),
            from: from, to: to, version: version, code: row.text(10), refused: row.text(11), payload: row.text(12),
            life: row.integer(13))
    }
}

// The tables return rows as written, and no text or number of a client makes a transaction fail.

import PostgresServer
import PostgresStore
import Store
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `The tables in PostgreSQL` {
    private let shard = Shard(0, epoch: 0)

    private func write(
        _ sessions: [OwnedSession], lines: [OwnedEntry] = [], covering covered: Int64? = nil, of shard: Shard? = nil,
        _ tables: any StoreTables
    ) throws {
        try tables.write(shard ?? self.shard, coveringLogThrough: covered) { writer throws(StoreError) in
            for session in sessions { try session.lend { row throws(StoreError) in try writer.session(row) } }
            for line in lines { try line.lend { row throws(StoreError) in try writer.history(row) } }
        }
    }

    private func read(_ tables: any StoreTables, lines most: Int = 1_000) throws -> (
        sessions: [OwnedSession], payloads: [String?]
    ) {
        var found = (sessions: [OwnedSession](), payloads: [String?]())
        try tables.load(
            shard, entries: most, summary: { _ in },
            sessions: { row in
                #expect(row.seal == .intact, "\(row.name.string)")
                found.sessions.append(OwnedSession(row))
            },
            history: { found.payloads.append(OwnedEntry.payload(in: $0)) })
        return (found.sessions.sorted { $0.name < $1.name }, found.payloads)
    }

    private func summary(_ tables: any StoreTables) throws -> ShardSummary {
        var found = ShardSummary()
        try tables.load(shard, entries: 1, summary: { found = $0 }, sessions: { _ in }, history: { _ in })
        return found
    }

    @Test func `A row is read as written, also with extreme numbers and unusual text`() throws {
        let tables = try TestDatabase().store().openTables()
        let rows = [
            OwnedSession(name: "a"),
            OwnedSession(
                name: "b", version: .max, saved: .max, paused: true, life: .max, waiting: #"["x"]"#, context: #"{"a": 1e400}"#,
                quarantined: true, seq: .max),
            OwnedSession(name: "c", version: .min, saved: .min, life: .min, seq: .min),
            OwnedSession(name: "d{}'\"\\,NULL \u{202E}\u{1F469}\u{200D}\u{1F680}\u{FFFF}\r\n\t", state: "{\"NULL\",\\}"),
            OwnedSession(name: "e", data: #"{"zero": "\u0000", "half": "\ud800", "big": 123456789012345678901234567890}"#),
            OwnedSession(name: "f", flow: "", state: ""),
        ]
        try write(rows, tables)
        #expect(try read(tables).sessions == rows)
    }

    @Test func `A name that is dropped and used again in one round is stored once`() throws {
        let tables = try TestDatabase().store().openTables()
        try tables.write(shard, coveringLogThrough: nil) { writer throws(StoreError) in
            try OwnedSession(version: 7).lend { row throws(StoreError) in try writer.session(row) }
            try withText("room-7") { name throws(StoreError) in try writer.drop(0, named: name) }
            try OwnedSession(version: 1).lend { row throws(StoreError) in try writer.session(row) }
        }
        #expect(try read(tables).sessions == [OwnedSession(version: 1)])
    }

    @Test func `Bytes that are not UTF-8 are repaired, and fail no transaction`() throws {
        let tables = try TestDatabase().store().openTables()
        let odd: [[UInt8]?] = [
            nil, [], [0], [0xFF, 0xFE], Array("a\u{0}b".utf8), [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF4, 0x90, 0x80, 0x80],
        ]
        let lines = odd.enumerated().map { OwnedEntry(serial: Int64($0.offset), payload: $0.element) }
        try write([], lines: lines, tables)
        let payloads = try read(tables).payloads
        #expect(payloads.count == odd.count)
        #expect(payloads.prefix(3) == [nil, "", "\u{FFFD}"])
        #expect(payloads[4] == "a\u{FFFD}b")
    }

    @Test func `An escaped NUL is replaced in the history also where a character continues before or after it`() throws {
        let database = try TestDatabase()
        let tables = try database.store().openTables()
        // The number sign and the backslash are one character; so are the last zero and the accent.
        let entry = OwnedEntry(payload: Array("\u{600}\\u0000".utf8), to: "a\\u0000\u{301}")
        try write([], lines: [entry], tables)
        #expect(try database.ask("SELECT to_state, payload FROM history") == "a\u{FFFD}\u{301}|\u{600}\u{FFFD}")
        #expect(try read(tables).payloads == ["\u{600}\u{FFFD}"])
    }

    @Test func `A state of many parallel states that is too long for an index is stored`() throws {
        let tables = try TestDatabase().store().openTables()
        var random = SystemRandomNumberGenerator()
        let state = (0..<3_000).map { _ in "s\(UInt32.random(in: 0 ... .max, using: &random))" }.joined(separator: ",")
        try write([OwnedSession(state: state)], lines: [OwnedEntry(to: state)], tables)
        #expect(try read(tables).sessions == [OwnedSession(state: state)])
    }

    @Test func `A time that is out of range fails no transaction`() throws {
        let tables = try TestDatabase().store().openTables()
        for (serial, since) in [Int64.min, .max, 0, -1].enumerated() {
            try write([OwnedSession(since: since)], lines: [OwnedEntry(serial: Int64(serial), at: since)], tables)
        }
        #expect(try read(tables).sessions == [OwnedSession(since: -1)])
        #expect(try read(tables).payloads.count == 4)
    }

    @Test func `Data that is nested as deep as the daemon can read it is stored`() throws {
        let tables = try TestDatabase().store().openTables()
        let data = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        try write([OwnedSession(data: data)], tables)
        #expect(try read(tables).sessions == [OwnedSession(data: data)])
    }

    // MARK: Rows that have changed

    @Test(
        arguments: [
            "name = 'room-8'", "flow = 'chess'", "state = 'game'", "data = '{\"a\":1}'", "timers = '[1]'", "version = 2",
            "since = since + interval '1 ms'", "saved = 2", "paused = true", "life = 2", "waiting = '[]'", "context = '{}'",
            "seq = 2",
            "checksum = checksum + 1",
        ])
    func `A session's row that was edited does not match its checksum, and is accepted without one`(
        change: String
    ) throws {
        let database = try TestDatabase()
        let tables = try database.store().openTables()
        try write([OwnedSession()], tables)
        try database.connect().run("UPDATE sessions SET \(change)")
        #expect(try seals(tables) == [.broken])
        try database.connect().run("UPDATE sessions SET checksum = NULL")
        #expect(try seals(tables) == [.none])
        try write([try #require(try edited(tables))], tables)
        #expect(try seals(tables) == [.intact])
    }

    private func edited(_ tables: any StoreTables) throws -> OwnedSession? {
        var found: OwnedSession?
        try tables.load(shard, entries: 1, summary: { _ in }, sessions: { found = OwnedSession($0) }, history: { _ in })
        return found
    }

    private func seals(_ tables: any StoreTables) throws -> [RowSeal] {
        var seals: [RowSeal] = []
        try tables.load(shard, entries: 1, summary: { _ in }, sessions: { seals.append($0.seal) }, history: { _ in })
        return seals
    }

    @Test(
        arguments: [
            ("history_blocks", "last = 3"), ("history_blocks", "count = 9"), ("history_blocks", "names = '[\"game\"]'"),
            ("history_blocks", "entries = '[]'"), ("history_repeats", "times = 9"), ("history_repeats", "last_seq = 9"),
            ("history_repeats", "last_at = last_at + interval '1 ms'"), ("history_repeats", "last_version = 9"),
        ])
    func `A row of the history that was edited is refused by its number, and is accepted without a checksum`(
        table: String, change: String
    ) throws {
        let database = try TestDatabase()
        let tables = try database.store().openTables()
        try write([], lines: [OwnedEntry(serial: 2)], tables)
        try tables.write(shard, coveringLogThrough: nil) { writer throws(StoreError) in
            try writer.repeat(RepeatRow(serial: 2, times: 3, lastAt: 1_700_000_000_123, lastSeq: 5, lastVersion: 6))
        }
        #expect(try read(tables).payloads.count == 1)
        try database.connect().run("UPDATE \(table) SET \(change)")
        let error = #expect(throws: StoreError.self) { try read(tables) }
        #expect(error?.cause == .damaged)
        #expect(
            error?.description.contains(
                "the row 2 of the table '\(table)' does not match its checksum: restore the database, or, if you have edited it, set its checksum to NULL"
            ) == true, "\(String(describing: error))")
        let again = try database.store().openTables()
        try database.connect().run("UPDATE \(table) SET checksum = NULL")
        #expect(try read(again).payloads.count == 1)
    }

    // MARK: Covered batches and old entries

    @Test func `A round that covers batches of the log deletes these, and no others`() throws {
        let database = try TestDatabase()
        let (log, tables) = (try database.store().openLog(), try database.store().openTables())
        for number in 1...3 as ClosedRange<Int64> {
            try log.send([(0, 0, number), (1, 0, number)])
            _ = try log.outcome()
        }
        try write([], covering: 2, tables)
        #expect(try database.log(of: 0) == ["3"])
        #expect(try database.log(of: 1) == ["1", "2", "3"])
        try write([], covering: 3, tables)
        #expect(try summary(tables).lastLogged == 3)
    }

    @Test func `A node that lost a shard writes nothing of it, and gets an error`() throws {
        let database = try TestDatabase()
        let tables = try database.store().openTables()
        try database.connect().run("UPDATE shard SET epoch = 1 WHERE id = 0")
        let error = #expect(throws: StoreError.self) { try write([OwnedSession()], covering: 9, tables) }
        #expect(error?.cause == .lost)
        #expect(try database.ask("SELECT count(*) FROM sessions") == "0")
        let again = try database.store().openTables()
        #expect(#expect(throws: StoreError.self) { try summary(again) }?.cause == .lost)
        try write([OwnedSession()], of: Shard(0, epoch: 1), again)
        #expect(try database.ask("SELECT count(*) FROM sessions") == "1")
    }

    @Test func `The newest history entries of each shard stay`() throws {
        let database = try TestDatabase(shards: 4)
        let tables = try database.store(history: 400).openTables()
        try write([], lines: (1...250).map { OwnedEntry(serial: $0) }, tables)
        try write([], lines: (1...60).map { OwnedEntry(serial: $0) }, of: Shard(1, epoch: 0), tables)
        _ = try tables.maintain([shard, Shard(1, epoch: 0)])
        #expect(try database.ask("SELECT min(serial), max(serial) FROM history WHERE shard = 0") == "151|250")
        #expect(try database.ask("SELECT min(serial), max(serial) FROM history WHERE shard = 1") == "1|60")
    }
}

// Rows that differ from what was written: changed bytes, missing rows, and edits by hand.

import Foundation
import Seeds
import SQLiteStore
import Store
import TestSupport
import Testing
import TinyJournal

@Suite struct `A damaged row` {
    /// Everything that loading yields, row by row.
    private func contents(_ folder: Folder, acceptsLoss: Bool = false) throws -> (rows: [String], told: [String]) {
        let store = try SQLiteStore(
            directory: folder.data, durability: .always, historyCapacity: 1_000, boot: "b007", acceptsLoss: acceptsLoss)
        var rows: [String] = []
        try store.load(
            sessions: { row in
                let texts = [
                    row.name, row.flow, row.state, row.data, row.timers, row.extra, row.problem, row.waiting, row.context,
                ]
                rows.append(
                    "\(row.id) \(texts.map { $0?.string ?? "-" }) \(row.version) \(row.since) \(row.saved) \(row.paused) "
                        + "\(row.life) \(row.seq) \(row.quarantined) \(row.seal == .broken)")
            },
            history: { rows.append("\($0.first) \($0.last) \($0.count) \($0.names.string) \($0.entries.string)") },
            log: { rows.append("\($0) \(Array($1))") })
        let told = store.takeFindings().map(\.sentence)
        try store.close()
        return (rows, told)
    }

    /// Sessions, history and log, all in the database.
    private func filled(_ sessions: Int64 = 300) throws -> Folder {
        let folder = try Folder()
        let store = try SQLiteStore(directory: folder.data, durability: .always, historyCapacity: 1_000, boot: "b007")
        try withText("some text that is not short") { text throws(StoreError) in
            try store.write(.only, coveringLogThrough: nil) { writer throws(StoreError) in
                for id in 0..<sessions { try put(id, text, writer) }
                try writer.remember("a number", 7)
            }
            try store.append(ShardBatch(.only, number: 1, bytes: text))
        }
        try store.close()
        return folder
    }

    private func put(_ id: Int64, _ text: Text, _ writer: any TableWriter) throws(StoreError) {
        try withText("room-\(id)") { name throws(StoreError) in
            try writer.session(
                SessionRow(
                    id: id, name: name, flow: text, state: text, data: text, timers: text, version: id, since: id, saved: id,
                    paused: id % 3 == 0, extra: id % 2 == 0 ? text : nil, life: id, waiting: id % 5 == 0 ? text : nil,
                    context: id % 2 == 1 ? text : nil, seq: id))
            try writer.history(HistoryBlock(first: id, last: id, count: 1, names: text, entries: name))
        }
    }

    @Test func `A database with a changed byte is refused, or every loss is reported`() throws {
        var random = SeededGenerator.announced("changed bytes", seed: 51)
        let folder = try filled()
        let whole = try bytes(of: folder.database)
        let truth = try contents(folder.crashed()).rows
        var refused = 0
        for round in 0..<300 {
            var broken = whole
            let page = Int.random(in: 0..<whole.count / 4_096, using: &random)
            // Structure is denser at the beginning of each page.
            let offset = page * 4_096 + Int.random(in: 0..<(round % 2 == 0 ? 4_096 : 100), using: &random)
            broken[offset] = ~broken[offset]
            let crashed = try folder.crashed()
            try write(broken, to: crashed.database)
            do {
                let (rows, told) = try contents(crashed)
                #expect(rows == truth || !told.isEmpty, "byte \(offset)")
            } catch let error as StoreError {
                refused += 1
                #expect(error.description.count > 20)
            }
        }
        #expect(refused > 100, "\(refused)")
    }

    /// A row's id precedes the row, in one byte if it is small.
    @Test func `A row whose id has changed is refused`() throws {
        let folder = try filled(9)
        let whole = try bytes(of: folder.database)
        let pages = stride(from: 0, to: whole.count, by: 4_096).filter { whole[$0] == 0x0D }
        var tried = 0
        for page in pages where whole[page..<page + 4_096].range(of: Data("room-7".utf8)) != nil {
            for cell in 0..<Int(whole[page + 4]) {
                let pointer = page + 8 + 2 * cell
                var offset = page + Int(whole[pointer]) << 8 + Int(whole[pointer + 1])
                while whole[offset] >= 0x80 { offset += 1 }
                for id in [0, 3, 8, 9, 0x7F, 0xFF] as [UInt8] where whole[offset + 1] != id {
                    var broken = whole
                    broken[offset + 1] = id
                    let crashed = try folder.crashed()
                    try write(broken, to: crashed.database)
                    let error = try #require(throws: StoreError.self) { _ = try contents(crashed) }
                    #expect(error.cause == .damaged)
                    tried += 1
                }
            }
        }
        #expect(tried > 80)
    }

    @Test func `A damaged row is named, with the remedy if it was edited by hand`() throws {
        let folder = try filled(9)
        try edit(folder, "update sessions set state = 'elsewhere' where id = 7")
        let error = try #require(throws: StoreError.self) { _ = try contents(folder) }
        #expect(error.cause == .damaged)
        #expect(
            error.description.contains(
                "the row 7 of its table 'sessions', 'room-7', does not match its checksum; if you have edited it, set its checksum to NULL"
            ))
        try edit(folder, "update sessions set checksum = NULL where id = 7")
        let (rows, told) = try contents(folder)
        #expect(rows.count == 19)
        #expect(
            told == [
                "1 row of the table 'sessions' carries no checksum: accepted unverified (edited by hand)"
            ])
    }

    @Test(arguments: [
        "name = ''", "name = 'room-70'", "flow = ''", "state = 'x'", "data = '{}'", "timers = '[]'", "version = 8", "since = 8",
        "saved = 8", "paused = 1 - paused", "extra = ''", "extra = NULL", "problem = ''", "life = life + 1", "life = 0",
        "waiting = ''", "context = ''", "context = CASE WHEN context IS NULL THEN '{}' END", "quarantined = 1",
        "checksum = 'x'", "checksum = 5", "id = 700",
    ])
    func `A session's row is reported as damaged if any of its columns was changed`(change: String) throws {
        let folder = try filled(9)
        try edit(folder, "update sessions set \(change) where id = 4")
        let error = try #require(throws: StoreError.self) { _ = try contents(folder) }
        #expect(error.description.contains("of its table 'sessions', "), "\(error)")
    }

    @Test(arguments: [
        "first = 700", "last = 5", "last = 3", "count = 5", "names = ''", "entries = ''", "checksum = 0.5",
    ])
    func `A damaged row of the history is reported`(change: String) throws {
        let folder = try filled(9)
        try edit(folder, "update history_blocks set \(change) where first = 4")
        let error = try #require(throws: StoreError.self) { _ = try contents(folder) }
        #expect(error.description.contains("of its table 'history_blocks'"), "\(error)")
    }

    @Test(arguments: ["5, 5, 5, 5, 7", "'x', 5, 5, 5, NULL", "NULL, 5, 5, 5, NULL", "5, 5, 5, 0.5, NULL", "5, 5, 5, 5, 0.5"])
    func `A damaged count of an entry is reported, or left out with --accept-loss`(values: String) throws {
        let folder = try filled(9)
        let whole = try contents(folder).rows
        try edit(folder, "pragma ignore_check_constraints = on; insert or ignore into history_repeats values (4, \(values))")
        guard try sqlite(folder, "select count(*) from history_repeats") == "1\n" else {
            return #expect(values.hasPrefix("NULL"), "SQLite takes no null there")
        }
        let error = try #require(throws: StoreError.self) { _ = try contents(folder) }
        #expect(error.description.contains("the row 4 of its table 'history_repeats' does not match its checksum"), "\(error)")
        let (rows, told) = try contents(folder, acceptsLoss: true)
        #expect(rows == whole && told.contains { $0.contains("1 row of the table 'history_repeats'") }, "\(told)")
        #expect(try contents(folder).rows == whole)
    }

    @Test func `After a start that accepts the loss of a history block, a plain start succeeds without it`() throws {
        let folder = try filled(9)
        try edit(folder, "update history_blocks set names = 'x' where first > 6")
        _ = try #require(throws: StoreError.self) { _ = try contents(folder) }
        let (rows, told) = try contents(folder, acceptsLoss: true)
        #expect(told.contains("2 rows of the table 'history_blocks' are damaged, and left out"), "\(told)")
        let (next, silence) = try contents(folder)
        #expect(next == rows && !silence.contains { $0.contains("damaged") }, "\(silence)")
    }

    private func accepting(_ folder: Folder) throws -> SQLiteStore {
        try SQLiteStore(directory: folder.data, durability: .always, historyCapacity: 1_000, boot: "b007", acceptsLoss: true)
    }

    @Test func `After the accepted loss of the newest history blocks, entries continue after the block that is left`() throws {
        let folder = try filled(9)
        try edit(folder, "insert into history_repeats values (8, 5, 5, 5, 5, NULL)")
        try edit(folder, "update history_blocks set names = 'x' where first > 6")
        let store = try accepting(folder)
        #expect(try store.newestEntry(in: .only) == 6)
        var next: Int64?
        try store.load(
            .only, entries: 1_000, summary: { next = $0.nextSerial }, sessions: { _ in }, history: { _ in })
        #expect(next == 7)
        try store.close()
        #expect(try sqlite(folder, "select count(*) from history_repeats") == "0\n", "of entries that are gone")
    }

    @Test(arguments: ["last = 1 << 40 where first = 8", "last = 1 << 40 where first > 6", "first = 1 << 40 where first = 8"])
    func `A history block whose serial number is damaged costs no other block, if its loss is accepted`(change: String) throws {
        let folder = try filled(9)
        try edit(folder, "update history_blocks set \(change)")
        let left = change.contains(">") ? 7 : 8
        let store = try accepting(folder)
        #expect(try store.newestEntry(in: .only) == Int64(left - 1))
        var found: [Int64] = []
        try store.load(
            .only, entries: 1_000, summary: { _ in }, sessions: { _ in }, history: { found.append($0.first) })
        #expect(found == (0..<Int64(left)).map { $0 })
        var pieces = 0
        while pieces < 100, try store.maintain([.only]) { pieces += 1 }
        #expect(pieces < 100)
        try store.close()
        #expect(try sqlite(folder, "select count(*) from history_blocks") == "\(left)\n")
    }

    @Test func `After a start that accepts the loss of the log's last batch, a plain start succeeds without it`() throws {
        let folder = try filled()
        try edit(folder, "update log set entries = x'00' where id = (select max(id) from log)")
        let store = try SQLiteStore(
            directory: folder.data, durability: .always, historyCapacity: 1_000, boot: "b007", acceptsLoss: true)
        // As a start does it: first the log, then the tables.
        try store.loadLog(.only) { _, _ in }
        try store.load(.only, entries: 1_000, summary: { _ in }, sessions: { _ in }, history: { _ in })
        let told = store.takeFindings().map(\.sentence)
        #expect(told.contains("1 row of the table 'log' is damaged, and left out"), "\(told)")
        try store.close()
        let silence = try contents(folder).told
        #expect(!silence.contains { $0.contains("damaged") }, "\(silence)")
    }

    @Test func `A count of an entry without a checksum is accepted as edited by hand`() throws {
        let folder = try filled(9)
        let whole = try contents(folder).rows
        try edit(folder, "insert into history_repeats values (4, 9223372036854775807, -9223372036854775808, -1, 9, NULL)")
        let (rows, told) = try contents(folder)
        #expect(
            rows == whole && told.contains { $0.hasPrefix("1 row of the table 'history_repeats' carries no checksum") },
            "\(told)")
    }

    /// A start that quarantines a session looks for its row before it loads all of them.
    @Test func `A row that is read twice is counted once in the findings`() throws {
        let folder = try filled(9)
        try edit(folder, "update sessions set checksum = NULL where id = 7; update sessions set state = 'x' where id = 4")
        let store = try accepting(folder)
        for _ in 0..<2 { try store.load(sessions: { _ in }, history: { _ in }, log: { _, _ in }) }
        let told = store.takeFindings().map(\.sentence)
        for sentence in [
            "1 row of the table 'sessions' carries no checksum: accepted unverified (edited by hand)",
            "1 row of the table 'sessions' is damaged, and set aside",
        ] { #expect(told.contains(sentence), "\(told)") }
        try store.close()
    }

    @Test func `A damaged row is set aside or left out with --accept-loss`() throws {
        let folder = try filled(9)
        let before = try bytes(of: folder.database)
        try edit(folder, "update sessions set state = 'x' where id = 4; update history_blocks set names = 'x' where first > 6")
        try edit(folder, "delete from log; insert into log values (1, 5, 'x')")
        let (rows, told) = try contents(folder, acceptsLoss: true)
        #expect(rows.count == 9 + 7)
        #expect(rows.filter { $0.hasSuffix(" true") }.count == 1)
        for sentence in [
            "1 row of the table 'sessions' is damaged, and set aside",
            "2 rows of the table 'history_blocks' are damaged, and left out",
            "1 row of the table 'log' is damaged, and left out",
        ] { #expect(told.contains(sentence), "\(told)") }
        #expect(told.contains { $0.hasSuffix("gamed.db.damaged-1") })
        #expect(try bytes(of: folder.database + ".damaged-1").count == before.count)
    }

    @Test(arguments: [
        ("sessions", "id = 9223372036854775807"), ("sessions", "id = -9223372036854775808"),
        ("history_blocks", "first = 9223372036854775807"),
        ("history_blocks", "first = -9223372036854775808"), ("log", "id = 9223372036854775807"),
        ("log", "id = -9223372036854775808"),
    ])
    func `A row with an extreme row number does not trap`(table: String, change: String) throws {
        let folder = try filled(9)
        try edit(
            folder,
            "update \(table) set checksum = \(table == "log" ? "checksum" : "NULL"), \(change) where rowid = (select max(rowid) from \(table))"
        )
        do {
            _ = try contents(folder)
            #expect(table == "sessions" && !change.contains("-"), "the restorer checks the row numbers of sessions")
        } catch let error as StoreError {
            #expect(error.cause == .damaged)
        }
    }

    @Test func `A row of meta that is damaged is refused`() throws {
        for change in ["value = value + 1 where key = 'covered'", "key = 'cove' where key = 'covered'"] {
            let folder = try filled(9)
            let store = try SQLiteStore(directory: folder.data, durability: .always, historyCapacity: 1_000)
            try store.write(.only, coveringLogThrough: 1) { _ in }
            try store.close()
            try edit(folder, "update meta set \(change)")
            let error = try #require(throws: StoreError.self) { _ = try contents(folder) }
            #expect(
                error.description.contains("the number 'covered' of its table 'meta' does not match its checksum"), "\(error)")
        }
    }

    @Test func `A row that is missing from the log is reported`() throws {
        let folder = try Folder()
        let journal = try TinyJournal(folder.data)
        for id in 0..<9 { try journal.put([(Int64(id), "x")]) }
        try journal.store.close()
        try edit(folder, "delete from log where id between 3 and 5")
        let error = try #require(throws: StoreError.self) { _ = try TinyJournal(folder.data) }
        #expect(error.description.contains("of its table 'log', 3 rows from 3 on are missing"), "\(error)")
        #expect(try TinyJournal(folder.data, acceptsLoss: true).states.count == 6)
    }

    private func edit(_ folder: Folder, _ sql: String) throws {
        try #require(try run("sqlite3", [folder.database, sql]).output == "")
    }
}

// The store returns every row as it was written.

import Foundation
import SQLiteStore
import Store
import TestSupport
import Testing

/// A session row that owns its text.
private struct Saved: Equatable {
    var id: Int64 = 0
    var texts: [[UInt8]]
    var numbers: [Int64] = [7, -1, .max]
    var paused = false
    var extra: [UInt8]?
    var problem: [UInt8]?
    var life: Int64 = 1
    var seq: Int64 = 2
    var waiting: [UInt8]?
    var context: [UInt8]?
    var quarantined = false

    init(id: Int64, texts: [[UInt8]], paused: Bool = false, extra: [UInt8]? = nil) {
        (self.id, self.texts, self.paused, self.extra) = (id, texts, paused, extra)
    }

    init(_ row: SessionRow) {
        id = row.id
        texts = [row.name, row.flow, row.state, row.data, row.timers].map(Array.init)
        numbers = [row.version, row.since, row.saved]
        paused = row.paused
        extra = row.extra.map(Array.init)
        problem = row.problem.map(Array.init)
        (life, seq, waiting, quarantined) = (row.life, row.seq, row.waiting.map(Array.init), row.quarantined)
        context = row.context.map(Array.init)
    }

    func row() -> SessionRow {
        SessionRow(
            id: id, name: lend(texts[0]), flow: lend(texts[1]), state: lend(texts[2]), data: lend(texts[3]),
            timers: lend(texts[4]), version: numbers[0], since: numbers[1], saved: numbers[2], paused: paused,
            extra: extra.map(lend), life: life, waiting: waiting.map(lend), context: context.map(lend),
            quarantined: quarantined, seq: seq)
    }
}

/// Memory that is never freed: a test's few bytes.
private func lend(_ bytes: [UInt8]) -> Text {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    copy.copyBytes(from: bytes)
    return Text(copy)
}

private func lend(_ text: String) -> Text { lend(Array(text.utf8)) }

private func sessions(of store: SQLiteStore) throws -> [Saved] {
    var rows: [Saved] = []
    try store.load(sessions: { rows.append(Saved($0)) }, history: { _ in }, log: { _, _ in })
    return rows
}

private let oddTexts: [[UInt8]] = [
    [], Array("room-7".utf8), Array("🎲 späť \u{202E}x\u{0301} '\";--".utf8), [0xFF, 0xFE, 0x80, 0x01], [0x61, 0x00, 0x62],
    Array(String(repeating: "long ", count: 50_000).utf8), Array("12".utf8), Array("NULL".utf8),
]

@Suite struct `The store's round trip` {
    @Test func `A session is read byte for byte as written, after a clean end and after a crash`() throws {
        let folder = try Folder()
        let saved = oddTexts.enumerated().map { index, text in
            var session = Saved(
                id: Int64(index) * 1_000_003, texts: Array(repeating: text, count: 5), paused: index % 2 == 0,
                extra: index % 3 == 0 ? nil : text)
            (session.life, session.seq) = (Int64.min + Int64(index), Int64.max - Int64(index))
            session.waiting = index % 5 == 0 ? nil : text
            session.context = index % 7 == 0 ? nil : text
            session.quarantined = index % 2 == 1
            return session
        }
        var store = try SQLiteStore(directory: folder.data, durability: .always, historyCapacity: 10)
        try store.write(.only, coveringLogThrough: nil) { writer throws(StoreError) in
            for session in saved.reversed() { try writer.session(session.row()) }
        }
        #expect(try sessions(of: store) == saved)
        let crashed = try folder.crashed()
        let again = try SQLiteStore(directory: crashed.data, durability: .always, historyCapacity: 10)
        #expect(try sessions(of: again) == saved)
        try store.close()
        #expect(!FileManager.default.fileExists(atPath: folder.log))
        store = try SQLiteStore(directory: folder.data, durability: .everysec, historyCapacity: 10)
        #expect(try sessions(of: store) == saved)
    }

    @Test func `A block of the history is read as written, and the view shows its entries`() throws {
        let folder = try Folder()
        let store = try SQLiteStore(directory: folder.data, durability: .always, historyCapacity: 10)
        let repeats = RepeatRow(serial: 4, times: 3, lastAt: 9, lastSeq: 10, lastVersion: 11)
        let names = ##"["refused","quiz","ui","f","t \"","e","","1f0c","ann","NOTRANSITION"]"##
        let entries = ##"""
            [[4,"n",77,8,6,5,0,1,2,3,4,5,8,6,"[\"1\"]",7,9,"{}"],[5,"n\u0001",-1,9223372036854775807,-9223372036854775808,5,0,1,2,3,4]]
            """##
        try store.write(.only, coveringLogThrough: nil) { writer throws(StoreError) in
            try writer.history(HistoryBlock(first: 4, last: 5, count: 2, names: lend(names), entries: lend(entries)))
            try writer.repeat(RepeatRow(serial: 4, times: 2, lastAt: 1, lastSeq: 1, lastVersion: 1))
            try writer.repeat(repeats)
        }
        var blocks: [String] = []
        try store.load(
            sessions: { _ in },
            history: {
                blocks.append("\($0.first) \($0.last) \($0.count) \($0.names.string) \($0.entries.string)")
                #expect($0.repeats == [repeats])
            },
            log: { _, _ in })
        #expect(blocks == ["4 5 2 \(names) \(entries)"])
        let columns = (HistoryColumn.allCases.map(\.rawValue) + ["times", "last_at", "last_seq", "last_version"])
            .map { "quote(\($0))" }.joined(separator: " || ' ' || ")
        #expect(
            try sqlite(folder, "select \(columns) from history order by serial") == """
                4 'n' 77 8 6 5 'refused' 'quiz' 'ui' 'f' 't "' 'e' 'ann' '' '["1"]' '1f0c' 'NOTRANSITION' '{}' 3 9 10 11
                5 'n\u{1}' -1 9223372036854775807 -9223372036854775808 5 'refused' 'quiz' 'ui' 'f' 't "' NULL NULL NULL NULL NULL NULL NULL 1 NULL NULL NULL

                """)
    }

    @Test func `Appended batches are read in order and unchanged, until the tables cover them`() throws {
        let folder = try Folder()
        let store = try SQLiteStore(directory: folder.data, durability: .everysec, historyCapacity: 10)
        let batches = [oddTexts[3], [], [UInt8](repeating: 0xA5, count: 300_001), oddTexts[4]]
        for batch in batches { try batch.withUnsafeBytes { try store.append(ShardBatch(.only, number: 1, bytes: $0)) } }
        #expect(try store.lastLogged(in: .only) == 4)
        #expect(try log(of: store).map(\.entries) == batches)
        try store.write(.only, coveringLogThrough: 2) { _ in }
        #expect(try log(of: store).map(\.id) == [3, 4])
        while try store.maintain([.only]) {}
        try store.write(.only, coveringLogThrough: 4) { _ in }
        while try store.maintain([.only]) {}
        try store.close()
        let again = try SQLiteStore(directory: folder.data, durability: .everysec, historyCapacity: 10)
        #expect(try log(of: again).isEmpty)
        try again.append(ShardBatch(.only, number: 1, bytes: lend("x")))
        #expect(try again.lastLogged(in: .only) == 5, "numbering continues, even if no row is left")
    }

    private func log(of store: SQLiteStore) throws -> [(id: Int64, entries: [UInt8])] {
        var rows: [(Int64, [UInt8])] = []
        try store.load(sessions: { _ in }, history: { _ in }, log: { rows.append(($0, Array($1))) })
        return rows
    }

    @Test func `A session that cannot be restored is set aside with its reason, and stays over restarts`() throws {
        let folder = try Folder()
        var store = try SQLiteStore(directory: folder.data, durability: .always, historyCapacity: 10)
        let texts = Array(repeating: Array("old".utf8), count: 5)
        var ids: [Int64] = []
        try store.write(.only, coveringLogThrough: nil) { writer throws(StoreError) in
            for id in [0, 5] as [Int64] { try writer.session(Saved(id: id, texts: texts).row()) }
            ids.append(try writer.writeSetAside(Saved(id: 5, texts: texts).row(), because: "there is no flow 'quiz'"))
        }
        try store.close()
        store = try SQLiteStore(directory: folder.data, durability: .always, historyCapacity: 10)
        try store.write(.only, coveringLogThrough: nil) { writer throws(StoreError) in
            // Its row number is taken by another, which is set aside as well.
            try writer.session(Saved(id: 5, texts: texts).row())
            ids.append(try writer.writeSetAside(Saved(id: 5, texts: texts).row(), because: "another"))
            try writer.session(Saved(id: 5, texts: texts).row())
        }
        #expect(ids == [-1, -2])
        let rows = try sessions(of: store)
        #expect(rows.map(\.id) == [0, 5, -1, -2])
        #expect(
            rows.map { $0.problem.map { String(decoding: $0, as: UTF8.self) } } == [
                nil, nil, "there is no flow 'quiz'", "another",
            ])
        try store.write(.only, coveringLogThrough: nil) { writer throws(StoreError) in
            ids.append(try writer.writeSetAside(Saved(id: -2, texts: texts).row(), because: "still"))
            try withText("") { name throws(StoreError) in try writer.drop(-1, named: name) }
        }
        #expect(ids.last == -2)
        #expect(try sessions(of: store).map(\.id) == [0, 5, -2])
    }

    @Test func `A named number is read once its transaction is committed`() throws {
        let folder = try Folder()
        let store = try SQLiteStore(directory: folder.data, durability: .always, historyCapacity: 10)
        try store.write(.only, coveringLogThrough: nil) { writer throws(StoreError) in
            try writer.remember("it's a key", 7)
            try writer.remember("it's a key", .min)
        }
        #expect(throws: StoreError.self) {
            try store.write(.only, coveringLogThrough: nil) { writer throws(StoreError) in
                try writer.remember("it's a key", 8)
                throw StoreError(.failed, "enough")
            }
        }
        try store.close()
        let again = try SQLiteStore(directory: folder.data, durability: .always, historyCapacity: 10)
        #expect(try again.number("it's a key") == .min)
        #expect(try again.number("another") == nil)
    }
}

// Blocks of the history: entries with any text are read as they were written, and in the order of time where stores are moved.

import GameFlow
import Memory
import MemoryStore
import RESP
import Seeds
import Sessions
import Store
import Testing
@testable import Journal

@Suite struct `A block of the history` {
    private static let texts = [
        "", "room-7", "3f2c9a10-7b1e-4c55-9d2f-001122334455", #"{"a":"b\\"}"#, "two\nlines\t\u{1}\u{1F}\u{0}", "\\", "\"",
        "\\u0000",
        "Zoe\u{308} 👩‍🚀 \u{202E}\u{FFFF}", String(repeating: "long ", count: 2_000), "null", "[1,2]", "a]b[c,d",
    ]

    private static func line(_ serial: UInt64, _ random: inout SeededGenerator) -> StoredEntry {
        func text() -> String { texts[Int.random(in: 0..<texts.count, using: &random)] }
        func some() -> String? { Bool.random(using: &random) ? text() : nil }
        func number() -> Int64 {
            [0, 1, -1, 9, 10, 99, 100, .max, .min, .max - 1, 999_999_999_999_999_999, 1_000_000_000_000_000_000]
                .randomElement(using: &random) ?? 0
        }
        let facts: [RefusalFacts?] = [
            nil, .notValid(accepted: []), .notValid(accepted: [text(), text()]), .unknownEvent, .notAllowed, .message(text()),
            .vetoed(text()), .withdrawn(.timedOut(milliseconds: 1)),
        ]
        let isRepeated = Bool.random(using: &random)
        return StoredEntry(
            serial: serial, name: ByteString(text()), life: number(), seq: number(),
            version: .random(in: 0 ... .max, using: &random),
            at: number(), kind: HistoryEntry.Kind.allCases.randomElement(using: &random) ?? .taken,
            names: EntryNames(
                flow: text(), source: text(), from: text(), to: text(), event: some(), timer: some(), definition: some(),
                actor: some(), code: some()),
            payload: some(), facts: facts.randomElement(using: &random) ?? nil,
            repeats: isRepeated
                ? RepeatRow(
                    serial: Int64(serial), times: number(), lastAt: number(), lastSeq: number(), lastVersion: number())
                : nil)
    }

    private static func read(_ blocks: [OwnedBlock], _ repeats: [RepeatRow]) throws -> [StoredEntry] {
        let store = MemoryStore(historyCapacity: 1_000_000)
        try store.materialize { writer throws(StoreError) in
            for block in blocks { try block.write(to: writer) }
            for row in repeats { try writer.repeat(row) }
        }
        var lines: [StoredEntry] = []
        try store.load(sessions: { _ in }, history: { lines += try HistoryBlockReader.lines(of: $0) }, log: { _, _ in })
        return lines
    }

    @Test func `A block of the history returns every entry as written, with any text and any number`() throws {
        var random = SeededGenerator.announced("entries of the history", seed: 30)
        var blocks: [OwnedBlock] = []
        var open = OpenBlock()
        let lines = (0..<2_000).map { Self.line(UInt64($0) * 3 + 7, &random) }
        for line in lines { if let full = open.add(line, as: Int64(line.serial)) { blocks.append(full) } }
        if let last = open.close() { blocks.append(last) }
        #expect(blocks.count > 7)
        #expect(blocks.reduce(0) { $0 + $1.count } == lines.count)
        let found = try Self.read(blocks, lines.compactMap(\.repeats))
        #expect(found.count == lines.count)
        let changed = zip(found, lines).filter { $0 != $1 }
        #expect(changed.isEmpty, "\(changed.prefix(1))")
    }

    @Test func `A block of the history is read after an edit that left spaces in its JSON`() throws {
        let entries = " [ [ 4 , \"room\" , 1 , 2,3, 5, 0, 1, 2, 3, 3, 4 ],\n [5,\"room\",1,3,4,6,0,1,2,3,3, null, null] ] "
        let lines = try withText(#"[ "taken", "quiz", "ui", "lobby", "go" ]"#) { names in
            try withText(entries) {
                try HistoryBlockReader.lines(of: HistoryBlock(first: 4, last: 5, count: 2, names: names, entries: $0))
            }
        }
        #expect(lines.map(\.serial) == [4, 5] && lines.map(\.names.event) == ["go", nil])
        #expect(lines.map(\.version) == [3, 4] && lines.map(\.names.from) == ["lobby", "lobby"])
    }

    @Test(arguments: [
        "", "[", "[[", "[[]]", "[[1]]", "[[1,\"room\",1,2,3,5,9,1,2,3,3]]", "[[1,\"room\",1,2,3,5,-1,1,2,3,3]]",
        "[[\"1\",\"room\",1,2,3,5,0,1,2,3,3]]", "[[1,\"room\",1,2,3,5,0,1,2,3,3,4,4,\"p\",4,4,4,\"{}\",2]]", "[[1,\"room",
        "[[1,\"room\",1,2,3,5,0,1,2,3,3]]x", "[[1,\"room\",1,2,3,5,0,1,2,3,3,0,0,\"\",0,0,0,\"\",1,1,1,1,1]]",
    ])
    func `A block of the history that is malformed is refused with its serial numbers`(entries: String) throws {
        let error = try #require(throws: StoreError.self) {
            try withText(#"["taken","quiz","ui","lobby","go"]"#) { names in
                try withText(entries) {
                    _ = try HistoryBlockReader.lines(of: HistoryBlock(first: 4, last: 9, count: 6, names: names, entries: $0))
                }
            }
        }
        #expect(error.cause == .damaged && error.description.contains("from number 4 to 9"), "\(error)")
    }
}

@Suite struct `The history of several shards, moved into one` {
    private func line(_ name: String, _ at: Int64) -> StoredEntry {
        StoredEntry(
            serial: 0, name: ByteString(name), life: 1, seq: 1, version: 1, at: at, kind: .taken,
            names: EntryNames(flow: "f", source: "ui", from: "a", to: "a"))
    }

    private func inOrder(_ blocks: [(String, [Int64])]) -> [String] {
        var (order, lines) = ([String](), LinesByTime())
        for (name, times) in blocks {
            lines.add(times.map { line(name, $0) }, of: name.hashValue) { order.append("\($0.name.text)\($0.at)") }
        }
        lines.end { order.append("\($0.name.text)\($0.at)") }
        return order
    }

    @Test func `The history of several shards is in the order of its times, though blocks overlap`() {
        #expect(
            inOrder([("a", [1, 4, 9]), ("b", [2, 3, 8]), ("c", [5, 6]), ("a", [10])])
                == ["a1", "b2", "b3", "a4", "c5", "c6", "b8", "a9", "a10"])
    }

    @Test func `The history of several shards keeps each shard's order where a clock was set back`() {
        #expect(
            inOrder([("a", [5, 2, 7]), ("b", [6, .max]), ("b", [3])]) == ["a5", "a2", "b6", "a7", "b\(Int64.max)", "b3"])
    }
}

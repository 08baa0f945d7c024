// The store in memory, which the daemon's fuzzer restarts from, behaves like SQLiteStore.

import MemoryStore
import Seeds
import TestSupport
import Testing
@testable import SQLiteStore
@testable import Store

@Suite struct `A store in memory` {
    @Test func `yields the same as the SQLite store after the same calls`() throws {
        let folder = try Folder()
        var random = SeededGenerator.announced("a store in memory", seed: 9)
        var disk: any OneShard = try SQLiteStore(directory: folder.path, durability: .always, historyCapacity: 30)
        var memory: any OneShard = MemoryStore(.always, historyCapacity: 30)
        var serial: Int64 = 0
        for _ in 0..<150 {
            let deed = Deed(at: &serial, &random)
            #expect(try deed.done(to: disk) == deed.done(to: memory))
            let (onDisk, inMemory) = (try disk.contents, try memory.contents)
            try #require(
                onDisk == inMemory, "\(deed): \(zip(onDisk, inMemory).first { $0 != $1 } ?? ("\(onDisk)", "\(inMemory)"))")
            guard Int.random(in: 0..<20, using: &random) == 0 else { continue }
            try disk.close()
            disk = try SQLiteStore(directory: folder.path, durability: .always, historyCapacity: 30)
            memory = (memory as? MemoryStore)?.successor() ?? memory
        }
    }

    @Test func `that dies keeps what it had, and the process behind it changes nothing any more`() throws {
        let store = MemoryStore()
        store.die(after: 1)
        #expect(try withText("one") { try store.append([$0]) } == 1)
        #expect(throws: StoreError.self) { try withText("two") { try store.append([$0]) } }
        #expect(throws: StoreError.self) { try store.close() }
        let next = store.successor()
        _ = try withText("three") { try store.append([$0]) }
        #expect(try next.contents == ["log 1 one"])
    }
}

/// Something that is done to a store.
private enum Deed {
    case append(String)
    case rows([Row], lines: [Int64], covering: Bool)
    case remember(Int64)

    enum Row {
        case session(Int64, String)
        case drop(Int64)
        case unrestored(Int64, String)
    }

    init(at serial: inout Int64, _ random: inout SeededGenerator) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3: self = .append("batch \(Int.random(in: 0..<1_000, using: &random))")
        case 3: self = .remember(.random(in: .min ... .max, using: &random))
        default:
            let rows = (0..<Int.random(in: 0..<5, using: &random)).map { _ in Self.row(&random) }
            let first = serial + .random(in: 0..<3, using: &random)
            serial = first + .random(in: 0..<10, using: &random)
            self = .rows(rows, lines: Array(first..<serial), covering: .random(using: &random))
        }
    }

    private static func row(_ random: inout SeededGenerator) -> Row {
        let (id, text) = (Int64.random(in: 0..<9, using: &random), "s\(Int.random(in: 0..<99, using: &random))")
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return .drop(id)
        case 1: return .unrestored(id, text)
        default: return .session(id, text)
        }
    }

    /// What came of it, as far as there is an answer.
    func done(to store: any OneShard) throws -> [Int64] {
        switch self {
        case .append(let text): return [try withText(text) { try store.append($0) }]
        case .remember(let number):
            try store.materialize { writer throws(StoreError) in try writer.remember("seen", number) }
            return [try store.number("seen") ?? 0, Int64(try store.slotsInUse())]
        case .rows(let rows, let lines, let covering):
            let last = covering ? try withText("last") { try store.append($0) } : nil
            var ids: [Int64] = []
            try store.materialize(coveringLogThrough: last) { writer throws(StoreError) in
                for row in rows { ids += try Self.write(row, writer) }
                for line in lines { try Self.write(line, writer) }
            }
            return ids
        }
    }

    private static func write(_ row: Row, _ writer: any TableWriter) throws(StoreError) -> [Int64] {
        switch row {
        case .session(let id, let text):
            try withText(text) { text throws(StoreError) in try writer.session(.sample(id, text)) }
            return []
        case .drop(let id):
            try withText("") { name throws(StoreError) in try writer.drop(id, named: name) }
            return []
        case .unrestored(let id, let text):
            return [
                try withText(text) { text throws(StoreError) in
                    try writer.keepUnrestored(.sample(id, text), because: "a problem")
                }
            ]
        }
    }

    private static func write(_ serial: Int64, _ writer: any TableWriter) throws(StoreError) {
        try withText("line \(serial)") { text throws(StoreError) in
            try writer.history(HistoryBlock(first: serial, last: serial, count: 1, names: text, entries: text))
        }
    }
}

extension SessionRow {
    fileprivate static func sample(_ id: Int64, _ text: Text) -> SessionRow {
        SessionRow(
            id: id, name: text, flow: text, state: text, data: text, timers: text, version: id, since: id + 1, saved: id + 2,
            paused: id % 2 == 0, extra: id % 3 == 0 ? nil : text, life: id,
            waiting: id % 5 == 0 ? text : nil, context: id % 6 == 0 ? text : nil,
            quarantined: id % 7 == 0, seq: id)
    }
}

/// The calls that both have.
private protocol OneShard: Store {
    func append(_ batches: [UnsafeRawBufferPointer]) throws(StoreError) -> Int64
    func materialize(
        coveringLogThrough covered: Int64?, _ write: (any TableWriter) throws(StoreError) -> Void
    ) throws(StoreError)
    func load(
        sessions: (SessionRow) throws -> Void, history: (HistoryBlock) throws -> Void,
        log: (Int64, UnsafeRawBufferPointer) throws -> Void
    ) throws
    func slotsInUse() throws -> Int
    func number(_ key: String) throws(StoreError) -> Int64?
}

extension SQLiteStore: OneShard {}
extension MemoryStore: OneShard {}

extension OneShard {
    fileprivate func append(_ batch: UnsafeRawBufferPointer) throws(StoreError) -> Int64 { try append([batch]) }
    fileprivate func materialize(_ write: (any TableWriter) throws(StoreError) -> Void) throws(StoreError) {
        try materialize(coveringLogThrough: nil, write)
    }

    /// All that it yields, in its order.
    fileprivate var contents: [String] {
        get throws {
            var contents: [String] = []
            try load(
                sessions: { row in
                    let texts = [
                        row.name, row.flow, row.state, row.data, row.timers, row.extra, row.problem, row.waiting, row.context,
                    ]
                    let numbers = [row.id, row.version, row.since, row.saved, row.life, row.seq]
                    contents.append("session \(numbers) \(texts.map { $0?.string ?? "-" }) \(row.paused) \(row.quarantined)")
                },
                history: {
                    contents.append("block \($0.first) \($0.last) \($0.count) \($0.names.string) \($0.entries.string)")
                },
                log: { contents.append("log \($0) \($1.string)") })
            return contents
        }
    }
}

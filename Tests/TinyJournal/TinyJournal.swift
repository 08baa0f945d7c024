// The smallest journal that the store can carry: states by row number. For the store's tests, and for the program that they kill.

import SQLiteStore
import Store

/// Keeps what should be true in memory, and a store that should say the same after anything.
package final class TinyJournal {
    package let store: SQLiteStore
    package private(set) var states: [Int64: String] = [:]
    /// The serials of the history's lines, oldest first: what the tables say and what the log adds.
    package private(set) var serials: [Int64] = []
    package private(set) var unrestored: [Int64: String] = [:]
    private var changed: Set<Int64> = []
    private var unwritten: [Line] = []
    private var lastLog: Int64 = 0
    private let capacity: Int

    private struct Line {
        let serial: Int64
        let id: Int64
        let state: String?
    }

    package init(
        _ directory: String, _ durability: Durability = .always, capacity: Int = 100, boot: String = "b007",
        acceptsLoss: Bool = false
    ) throws {
        self.capacity = capacity
        store = try SQLiteStore(
            directory: directory, durability: durability, historyCapacity: capacity, boot: boot, acceptsLoss: acceptsLoss)
        try store.load(
            sessions: { row in
                if let problem = row.problem { unrestored[row.id] = problem.string } else { states[row.id] = row.state.string }
            },
            history: { serials += $0.first...$0.last },
            log: { try replay($0, $1.string) })
        serials = serials.suffix(capacity)
    }

    private func replay(_ id: Int64, _ entries: String) throws {
        for line in entries.split(separator: "\n") {
            let words = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
            guard let serial = Int64(words[0]), let id = Int64(words[1]) else { throw StoreError(.damaged, "'\(line)'") }
            remember(Line(serial: serial, id: id, state: words.count > 2 ? String(words[2]) : nil))
        }
        lastLog = id
    }

    private func remember(_ line: Line) {
        states[line.id] = line.state
        changed.insert(line.id)
        unwritten.append(line)
        if serials.last.map({ $0 < line.serial }) ?? true { serials.append(line.serial) }
        if serials.count > capacity * 2 { serials = serials.suffix(capacity) }
    }

    /// The history as it should be read: at most as many lines as there is room for.
    package var newestSerials: [Int64] { serials.suffix(capacity) }

    /// One batch. It counts once it has been appended; a nil state is the end of the session.
    package func put(_ changes: [(id: Int64, state: String?)]) throws(StoreError) {
        var next = (serials.last ?? -1) + 1
        var lines: [Line] = []
        for change in changes {
            lines.append(Line(serial: next, id: change.id, state: change.state))
            next += 1
        }
        let text = lines.map { "\($0.serial)\t\($0.id)" + ($0.state.map { "\t" + $0 } ?? "") }.joined(separator: "\n")
        try withText(text) { text throws(StoreError) in try store.append(ShardBatch(.only, number: lastLog + 1, bytes: text)) }
        lastLog = try store.lastLogged(in: .only) ?? 0
        for line in lines { remember(line) }
    }

    /// Brings the tables up to date, in transactions of so many rows.
    package func materialize(rowsPerPiece: Int = .max) throws(StoreError) {
        var ids = changed.sorted()[...]
        var lines = unwritten[...]
        while ids.count > rowsPerPiece || lines.count > rowsPerPiece {
            try write(ids.prefix(rowsPerPiece), lines.prefix(rowsPerPiece), covering: nil)
            (ids, lines) = (ids.dropFirst(rowsPerPiece), lines.dropFirst(rowsPerPiece))
        }
        try write(ids, lines, covering: lastLog)
        changed = []
        unwritten = []
    }

    private func write(_ ids: ArraySlice<Int64>, _ lines: ArraySlice<Line>, covering: Int64?) throws(StoreError) {
        try store.write(.only, coveringLogThrough: covering) { writer throws(StoreError) in
            for id in ids { try write(id, writer) }
            for line in lines { try write(line, writer) }
        }
    }

    private func write(_ id: Int64, _ writer: any TableWriter) throws(StoreError) {
        guard let state = states[id] else {
            return try withText("") { name throws(StoreError) in try writer.drop(id, named: name) }
        }
        try withText(state) { text throws(StoreError) in
            try writer.session(
                SessionRow(
                    id: id, name: text, flow: text, state: text, data: text, timers: text, version: 1, since: 2, saved: 3,
                    paused: false, life: 6, seq: 7))
        }
    }

    private func write(_ line: Line, _ writer: any TableWriter) throws(StoreError) {
        try withText("[[\(line.serial),\"\(line.state ?? "")\",1,1,1,4,0,0,0,0,0]]") { entries throws(StoreError) in
            try withText("[\"x\"]") { names throws(StoreError) in
                try writer.history(
                    HistoryBlock(first: line.serial, last: line.serial, count: 1, names: names, entries: entries))
            }
        }
    }
}

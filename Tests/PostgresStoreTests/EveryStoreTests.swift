// The journal's requirements of every store: the same calls, compared with a model.

import Seeds
import Store
import Testing

/// The expected contents of a store.
private struct Model {
    var sessions: [String: OwnedSession] = [:]
    var problems: [String: String] = [:]
    var rows: [String: Int64] = [:]
    var lines: [Int64] = []
    var repeats: [Int64: RepeatRow] = [:]
    var log: [Int64: String] = [:]
    var lastLogged: Int64 = 0
    var lastLife: Int64 = 0
    private var nextRow: Int64 = 0

    mutating func row() -> Int64 {
        nextRow += 1
        return nextRow - 1
    }
}

@Suite struct `Every store` {
    private static let names = ["a", "b", "{room}/child", "Zürich №1", "7d1f3c5e-1b2a-4c3d-8e9f-000000000001", "x y"]

    @Test(arguments: ReopenedStore.Kind.all)
    func `Every store agrees with a model, after random calls and whenever it is opened again`(kind: ReopenedStore.Kind) throws
    {
        var random = SeededGenerator.announced("every store, \(kind)", seed: 30)
        let (kept, model) = (try ReopenedStore(kind), SharedModel())
        for step in 0..<300 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3: try append(kept, model, step)
            case 3..<8: try change(kept, model, step, &random)
            case 8: try cover(kept, model)
            default: try kept.reopen()
            }
            guard step % 5 == 0 else { continue }
            try compare(kept, model.model, "step \(step)")
        }
    }

    /// A model that closures change.
    private final class SharedModel {
        var model = Model()
    }

    private func append(_ kept: ReopenedStore, _ state: SharedModel, _ step: Int) throws {
        let number = state.model.lastLogged + 1
        try kept.append(number, "step \(step)")
        state.model.log[number] = "step \(step)"
        state.model.lastLogged = number
    }

    private func cover(_ kept: ReopenedStore, _ state: SharedModel) throws {
        let last = state.model.lastLogged
        guard last > 0 else { return }
        try kept.write(covering: last) { _ throws(StoreError) in }
        state.model.log = [:]
    }

    /// One transaction of a few changes.
    private func change(_ kept: ReopenedStore, _ state: SharedModel, _ step: Int, _ random: inout SeededGenerator) throws {
        var changed = state.model
        // A name changes once in a transaction, as the journal does it.
        let names = Self.names.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
        let deeds = names.map { ($0, Int.random(in: 0..<4, using: &random)) }
        let again = changed.lines.suffix(20).shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random))
        try kept.write { writer throws(StoreError) in
            for (name, deed) in deeds { try change(name, deed, step, &changed, writer) }
            let serial = (changed.lines.last ?? 0) + 1
            try OwnedEntry(serial: serial).lend { row throws(StoreError) in try writer.history(row) }
            changed.lines.append(serial)
            for serial in again {
                let times = (changed.repeats[serial]?.times ?? 1) + 1
                let row = RepeatRow(
                    serial: serial, times: times, lastAt: 1_700_000_000_000 + Int64(step), lastSeq: times * 3,
                    lastVersion: times)
                try writer.repeat(row)
                changed.repeats[serial] = row
            }
            try writer.remember("lives", Int64(step))
            changed.lastLife = Int64(step)
        }
        state.model = changed
    }

    private func change(
        _ name: String, _ deed: Int, _ step: Int, _ model: inout Model, _ writer: any TableWriter
    ) throws(StoreError) {
        let row = model.rows[name]
        if deed == 0 {
            guard let row else { return }
            try drop(name, row, writer)
            (model.sessions[name], model.problems[name], model.rows[name]) = (nil, nil, nil)
            return
        }
        var session = OwnedSession(name: name, version: Int64(step), quarantined: deed == 3)
        session.data = "{\"step\": \(step), \"text\": \"\(String(repeating: "x", count: step * 7 % 3_000))\"}"
        if deed == 1 {
            // A session that was set aside moves to another row.
            if let row, model.problems[name] != nil { try drop(name, row, writer) }
            let id = model.problems[name] == nil ? row ?? model.row() : model.row()
            try session.lend(id: id) { row throws(StoreError) in try writer.session(row) }
            (model.problems[name], model.rows[name]) = (nil, id)
        } else {
            let id = row ?? model.row()
            let problem = "problem \(step)"
            let moved = try session.lend(id: id) { row throws(StoreError) in try writer.writeSetAside(row, because: problem) }
            (model.problems[name], model.rows[name]) = (problem, moved)
        }
        model.sessions[name] = session
    }

    private func drop(_ name: String, _ row: Int64, _ writer: any TableWriter) throws(StoreError) {
        try withText(name) { name throws(StoreError) in try writer.drop(row, named: name) }
    }

    private func compare(_ kept: ReopenedStore, _ model: Model, _ when: Comment) throws {
        let found = try kept.found()
        try #require(found.sessions == model.sessions, when)
        try #require(found.problems == model.problems, when)
        if kept.shard == .only { try #require(found.rows == model.rows, when) }
        try #require(found.lines == model.lines, when)
        try #require(found.repeats == model.repeats, when)
        try #require(try kept.tables.newestEntry(in: kept.shard) == model.lines.last, when)
        try #require((found.lastLogged, found.lastLife) == (model.lastLogged, model.lastLife), when)
        try #require(try kept.logged() == model.log, when)
        try #require(try kept.tables.lastLogged(in: kept.shard) == model.lastLogged, when)
    }

    @Test(arguments: ReopenedStore.Kind.all)
    func `A store keeps nothing of a failed transaction, and continues after it`(kind: ReopenedStore.Kind) throws {
        let kept = try ReopenedStore(kind)
        try kept.append(1, "one")
        try kept.write { writer throws(StoreError) in
            try OwnedSession(version: 1).lend(id: 0) { row throws(StoreError) in try writer.session(row) }
        }
        #expect(throws: StoreError.self) {
            try kept.write(covering: 1) { writer throws(StoreError) in
                try OwnedSession(version: 2).lend(id: 0) { row throws(StoreError) in try writer.session(row) }
                try OwnedEntry().lend { row throws(StoreError) in try writer.history(row) }
                try writer.remember("lives", 9)
                throw StoreError(.failed, "given up")
            }
        }
        try kept.reopen()
        let found = try kept.found()
        #expect(found.sessions == ["room-7": OwnedSession(version: 1)] && found.lines == [] && found.lastLife == 0)
        #expect(try kept.logged() == [1: "one"])
        try kept.append(2, "two")
        #expect(try kept.logged() == [1: "one", 2: "two"])
    }

    @Test(arguments: ReopenedStore.Kind.all)
    func `A store keeps the batches of its log that the tables do not cover`(kind: ReopenedStore.Kind) throws {
        let kept = try ReopenedStore(kind)
        for number in 1...5 { try kept.append(Int64(number), "\(number)") }
        try kept.write(covering: 3) { _ throws(StoreError) in }
        #expect(try kept.logged() == [4: "4", 5: "5"])
        try kept.reopen()
        #expect(try kept.logged() == [4: "4", 5: "5"])
        #expect(try kept.found().lastLogged == 5)
    }

    @Test(arguments: ReopenedStore.Kind.all)
    func `A store keeps the newest entries of its history, in whole blocks`(kind: ReopenedStore.Kind) throws {
        let kept = try ReopenedStore(kind, history: 60)
        for first in stride(from: Int64(1), to: 700, by: 7) {
            try kept.write { writer throws(StoreError) in
                try OwnedEntry.lendBlock(first...first + 6) { block throws(StoreError) in try writer.history(block) }
                try writer.repeat(RepeatRow(serial: first, times: 2, lastAt: 1, lastSeq: 2, lastVersion: 3))
                // A count of an entry that was deleted.
                try writer.repeat(RepeatRow(serial: 0, times: 2, lastAt: 1, lastSeq: 2, lastVersion: 3))
            }
        }
        while try kept.tables.maintain([kept.shard]) {}
        let repeats = stride(from: Int64(638), to: 700, by: 7).map { $0 }
        // The sixtieth of the newest entries, 641, is the fourth of its block.
        #expect(try kept.found().lines == Array(638...700))
        #expect(try kept.found().repeats.keys.sorted() == repeats)
        try kept.reopen()
        #expect(try kept.found().lines == Array(638...700))
        #expect(try kept.tables.newestEntry(in: kept.shard) == 700)
    }

    @Test(arguments: ReopenedStore.Kind.all)
    func `A block of the history that is written again changes nothing`(kind: ReopenedStore.Kind) throws {
        let kept = try ReopenedStore(kind)
        for serials in [1...5, 6...6, 1...5, 6...6] as [ClosedRange<Int64>] {
            try kept.write { writer throws(StoreError) in
                try OwnedEntry.lendBlock(serials) { block throws(StoreError) in try writer.history(block) }
            }
        }
        #expect(try kept.found().lines == Array(1...6))
    }

    @Test(arguments: ReopenedStore.Kind.all)
    func `A read whose reader fails ends with the reader's error, and can be repeated`(kind: ReopenedStore.Kind)
        throws
    {
        struct Enough: Error {}
        let kept = try ReopenedStore(kind)
        try kept.append(1, "one")
        try kept.write { writer throws(StoreError) in
            for (number, name) in Self.names.enumerated() {
                try OwnedSession(name: name).lend(id: Int64(number)) { row throws(StoreError) in try writer.session(row) }
            }
        }
        #expect(throws: Enough.self) { try kept.tables.loadLog(kept.shard) { _, _ in throw Enough() } }
        try kept.reopen()
        #expect(throws: Enough.self) {
            try kept.tables.load(
                kept.shard, entries: 1, summary: { _ in }, sessions: { _ in throw Enough() }, history: { _ in })
        }
        try kept.reopen()
        #expect(try kept.found().sessions.count == Self.names.count)
        #expect(try kept.logged() == [1: "one"])
    }
}

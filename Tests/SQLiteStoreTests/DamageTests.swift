// Files that were truncated or overwritten: each is refused with an error, or read completely.

import Foundation
import Seeds
import SQLiteStore
import Store
import TestSupport
import Testing
import TinyJournal

@Suite struct `A damaged database` {
    private func filled(clean: Bool) throws -> Folder {
        let folder = try Folder()
        let journal = try TinyJournal(folder.data, capacity: 500)
        for id in 0..<300 { try journal.put([(Int64(id), String(repeating: "state \(id) ", count: id % 50 == 0 ? 1_000 : 3))]) }
        try journal.materialize()
        for id in 0..<5 { try journal.put([(Int64(id), String(repeating: "later \(id) ", count: 1_000))]) }
        guard clean else { return try folder.crashed() }
        try journal.store.close()
        return folder
    }

    @Test func `A truncated database is refused, and left unchanged`() throws {
        var random = SeededGenerator.announced("a database that was cut off", seed: 31)
        let folder = try filled(clean: true)
        let whole = try bytes(of: folder.database)
        let boundaries = Array(stride(from: 4_096, to: whole.count, by: 4_096))
        let cuts = boundaries + (0..<100).map { _ in Int.random(in: 100..<whole.count, using: &random) }
        for cut in cuts {
            try write(whole.prefix(cut), to: folder.database)
            let before = Snapshot(folder.database)
            let error = try #require(throws: StoreError.self, "cut at \(cut)") { _ = try TinyJournal(folder.data) }
            #expect(error.cause == .damaged)
            #expect(!error.isOfConfiguration)
            #expect(Snapshot(folder.database) == before)
        }
    }

    @Test func `A truncated database with a log is refused, or read completely`() throws {
        let folder = try filled(clean: false)
        let truth = try folder.crashed().states()
        let whole = try bytes(of: folder.database)
        for cut in stride(from: 4_096, to: whole.count, by: 4_096) {
            let crashed = try folder.crashed()
            try write(whole.prefix(cut), to: crashed.database)
            do {
                #expect(try TinyJournal(crashed.data, capacity: 500).states == truth, "cut at \(cut)")
            } catch let error as StoreError {
                #expect(error.cause == .damaged)
                #expect(try bytes(of: crashed.database) == whole.prefix(cut))
            }
        }
    }

    /// Every remaining row is intact and in its place, so only SQLite's check of the pages finds the damage.
    @Test func `A clean database is refused where a damaged page has made rows unreachable`() throws {
        let folder = try Folder()
        let journal = try TinyJournal(folder.data, capacity: 500)
        for id in 0..<300 { try journal.put([(Int64(id), "state \(id)")]) }
        try journal.materialize()
        try journal.store.close()
        let said = try sqlite(folder, "SELECT rootpage FROM sqlite_schema WHERE name = 'sessions'")
        let root = try #require(Int(said.trimmingCharacters(in: .whitespacesAndNewlines)))
        var broken = try bytes(of: folder.database)
        let page = (root - 1) * 4_096
        // An interior page of a tree, and the number of its children without the last.
        #expect(broken[page] == 5 && broken[page + 4] > 2)
        broken[page + 4] -= 1
        try write(broken, to: folder.database)
        let error = #expect(throws: StoreError.self) {
            let journal = try TinyJournal(folder.data, capacity: 500)
            #expect(journal.states.count < 300)
        }
        #expect(error?.cause == .damaged, "\(error?.description ?? "")")
    }

    @Test(arguments: [true, false])
    func `A database with flipped bits is refused with an error, or read`(clean: Bool) throws {
        var random = SeededGenerator.announced("flipped bits, clean: \(clean)", seed: 32)
        let folder = try filled(clean: clean)
        let whole = try bytes(of: folder.database)
        var refused = 0
        for round in 0..<150 {
            var broken = whole
            // Structure is denser at the beginning of the file and of each page.
            let page = round % 3 == 0 ? 0 : Int.random(in: 0..<whole.count / 4_096, using: &random)
            for _ in 0..<(1 << (round % 5)) {
                let offset = page * 4_096 + Int.random(in: 0..<(round % 2 == 0 ? 4_096 : 200), using: &random)
                broken[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            let crashed = try folder.crashed()
            try write(broken, to: crashed.database)
            do {
                let journal = try TinyJournal(crashed.data, capacity: 500)
                try journal.put([(7, "goes on")])
                try journal.materialize()
            } catch let error as StoreError {
                refused += 1
                #expect(error.description.count > 20)
            }
        }
        #expect(refused > 5)
    }

    @Test func `A database with a changed byte in its log is refused, or reads only intact rows`() throws {
        var random = SeededGenerator.announced("a log with flipped bits", seed: 33)
        let folder = try filled(clean: false)
        let log = try bytes(of: folder.log)
        for _ in 0..<60 {
            var broken = log
            broken[Int.random(in: 0..<log.count, using: &random)] ^= 0x10
            let crashed = try folder.crashed()
            try write(broken, to: crashed.log)
            let states = (try? TinyJournal(crashed.data, capacity: 500).states) ?? [:]
            for (id, state) in states { #expect(state.hasPrefix("state \(id) ") || state.hasPrefix("later \(id) ")) }
        }
    }

    /// SQLite's pages carry no checksum, but the store's rows do.
    @Test func `A database whose log rows were altered is refused`() throws {
        let folder = try Folder()
        let journal = try TinyJournal(folder.data)
        try journal.put([(1, String(repeating: "precious", count: 2_000))])
        try journal.store.close()
        var database = try bytes(of: folder.database)
        let offset = try #require(database.range(of: Data("preciousprecious".utf8)))
        database[offset.lowerBound + 5] ^= 1
        try write(database, to: folder.database)
        let error = try #require(throws: StoreError.self) { _ = try TinyJournal(folder.data) }
        #expect(error.description.contains("the row 1 of its table 'log' does not match its checksum"))
        #expect(try bytes(of: folder.database) == database)
    }
}

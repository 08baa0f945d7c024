// The history keeps its newest entries, up to its capacity.

import Foundation
import TestSupport
import Testing
import TinyJournal

@Suite struct `The history in the store` {
    private func journal(_ folder: Folder, lines: Int, capacity: Int) throws -> TinyJournal {
        let journal = try TinyJournal(folder.data, capacity: capacity)
        for line in 0..<lines {
            try journal.put([(Int64(line % 3), "s\(line)")])
            if line % 7 == 0 { try journal.materialize() }
        }
        try journal.materialize()
        return journal
    }

    private func rows(_ folder: Folder) throws -> String {
        try sqlite(folder, "select count(*) || ' ' || min(serial) || ' ' || max(serial) from history").trimmingCharacters(
            in: .whitespacesAndNewlines)
    }

    @Test func `The history in the store is bounded while it grows`() throws {
        let folder = try Folder()
        let journal = try journal(folder, lines: 100, capacity: 10)
        #expect(try rows(folder) == "10 90 99")
        try journal.store.close()
        #expect(try TinyJournal(folder.data, capacity: 10).serials == Array(90...99))
    }

    @Test func `A history with less capacity keeps the newest entries, and deletes the rest when there is time`() throws {
        let folder = try Folder()
        try journal(folder, lines: 500, capacity: 400).store.close()
        let smaller = try TinyJournal(folder.data, capacity: 20)
        #expect(smaller.serials == Array(480...499))
        #expect(try rows(folder) == "400 100 499")
        while try smaller.store.maintain([.only]) {}
        #expect(try rows(folder) == "20 480 499")
    }

    @Test func `A history with a larger capacity than before fills up again`() throws {
        let folder = try Folder()
        try journal(folder, lines: 100, capacity: 10).store.close()
        let larger = try journal(folder, lines: 30, capacity: 25)
        #expect(try rows(folder) == "25 105 129")
        try larger.store.close()
    }

    @Test func `A history with capacity 0 keeps no entry`() throws {
        let folder = try Folder()
        try journal(folder, lines: 10, capacity: 0).store.close()
        #expect(try TinyJournal(folder.data, capacity: 0).serials.isEmpty)
    }
}

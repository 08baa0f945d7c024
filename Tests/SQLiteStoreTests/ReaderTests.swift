// Reading the tables with SQLite's shell while the daemon runs.

import Foundation
import Store
import TestSupport
import Testing
import TinyJournal

@testable import SQLiteStore

@Suite struct `Readers with sqlite3 -readonly` {
    @Test func `A reader sees consistent data during writes`() throws {
        let folder = try Folder()
        let journal = try TinyJournal(folder.data)
        for round in 0..<10 {
            try journal.put([(1, "round-\(round)")])
            try journal.materialize()
            #expect(
                try sqlite(folder, "select name, flow, state from sessions") == "round-\(round)|round-\(round)|round-\(round)\n"
            )
        }
        #expect(try sqlite(folder, "select name from history order by serial desc limit 2") == "round-9\nround-8\n")
        #expect(try sqlite(folder, "insert into history_blocks (first) values (1)").contains("readonly"))
        try journal.store.close()
        #expect(try sqlite(folder, "select state from sessions") == "round-9\n")
    }

    @Test func `A reader in a long transaction blocks no writer, and sees one snapshot`() throws {
        let folder = try Folder()
        let journal = try TinyJournal(folder.data)
        try journal.put([(1, "then")])
        try journal.materialize()
        let reader = try SQLiteReader(folder)
        #expect(try reader.ask("begin; select state from sessions;") == "then")
        for round in 0..<50 {
            try journal.put([(1, "now"), (2, String(repeating: "x", count: 100_000))])
            if round % 5 == 0 { try journal.materialize() }
            while try journal.store.maintain([.only]) {}
        }
        try journal.materialize()
        #expect(try reader.ask("select state from sessions;") == "then")
        #expect(journal.store.opened.wal.waitingPages > 250, "the reader keeps the log from being written back")
        #expect(try reader.ask("commit; select state from sessions where id = 1;") == "now")
        while try journal.store.maintain([.only]) {}
        #expect(journal.store.opened.wal.waitingPages == 0)
        try journal.store.close()
        withExtendedLifetime(reader) {}
    }

    @Test func `A reader in a transaction does not prevent the store from closing`() throws {
        let folder = try Folder()
        let journal = try TinyJournal(folder.data)
        try journal.put([(1, "x")])
        let reader = try SQLiteReader(folder)
        #expect(try reader.ask("begin; select count(*) from log;") == "1")
        try journal.put([(2, "y")])
        try journal.store.close()
        #expect(try TinyJournal(folder.data).states == [1: "x", 2: "y"])
        #expect(try reader.ask("select count(*) from log;") == "1")
    }

    /// A log that has grown restarts once it is checkpointed, so that its size stays bounded.
    @Test func `The files of a store stay small without readers, however much is written`() throws {
        let folder = try Folder()
        let journal = try TinyJournal(folder.data, .everysec, capacity: 2)
        let state = String(repeating: "x", count: 200_000)
        for round in 0..<600 {
            try journal.put([(Int64(round % 5), state)])
            if round % 10 == 0 { try journal.materialize() }
        }
        let size = { try #require(try FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int) }
        #expect(try size(folder.log) < 72 << 20)
        #expect(try size(folder.database) < 40 << 20)
        while try journal.store.maintain([.only]) {}
        try journal.store.close()
    }
}

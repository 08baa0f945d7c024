// A copy that is made while the store is written to.

import Foundation
import SQLiteStore
import Store
import TestSupport
import Testing
import TinyJournal

@Suite struct `A backup` {
    private func large(_ folder: Folder) throws -> TinyJournal {
        let journal = try TinyJournal(folder.data)
        for id in 0..<500 { try journal.put([(Int64(id), String(repeating: "state \(id) ", count: 100))]) }
        try journal.materialize()
        return journal
    }

    /// Opens the backup as a database, and returns its sessions.
    private func start(_ backup: String) throws -> [Int64: String] {
        let folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder.data, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: backup, toPath: folder.database)
        #expect(try run("sqlite3", ["-readonly", backup, "pragma integrity_check"]).output == "ok\n")
        return try folder.states()
    }

    @Test func `A backup is a snapshot of its last step, despite writes between the steps`() throws {
        let folder = try Folder()
        let journal = try large(folder)
        let copy = folder.path + "/copy.db"
        let backup = try StoreBackup(of: journal.store, to: copy)
        var round = 0
        var truth = journal.states
        #expect(backup.progress == 0)
        while try backup.copy(pages: 5) {
            #expect(!FileManager.default.fileExists(atPath: copy))
            try journal.put([(Int64(round), "while it went on \(round)"), (Int64(499 - round), nil)])
            if round % 4 == 0 { try journal.materialize(rowsPerPiece: 3) }
            _ = try journal.store.maintain([.only])
            truth = journal.states
            round += 1
        }
        try backup.complete()
        #expect(round > 10)
        #expect(backup.progress == 1)
        try journal.put([(1, "after it")])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["copy.db", "data"])
        #expect(try start(copy) == truth)
        #expect(try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int == 0o600)
    }

    @Test func `A backup replaces no file, not even one that appears after its start`() throws {
        let folder = try Folder()
        let journal = try large(folder)
        let copy = folder.path + "/copy.db"
        try write(Data("precious".utf8), to: copy)
        let error = try #require(throws: StoreError.self) { _ = try StoreBackup(of: journal.store, to: copy) }
        #expect(error.description == "\(copy) already exists; give the backup a new name")
        try FileManager.default.removeItem(atPath: copy)
        let backup = try StoreBackup(of: journal.store, to: copy)
        _ = try backup.copy(pages: 5)
        try write(Data("precious".utf8), to: copy)
        while try backup.copy() {}
        #expect(throws: StoreError.self) { try backup.complete() }
        #expect(try bytes(of: copy) == Data("precious".utf8))
        #expect(!FileManager.default.fileExists(atPath: copy + ".part"))
    }

    @Test func `A backup to a link that leads nowhere is refused before anything is copied`() throws {
        let folder = try Folder()
        let journal = try large(folder)
        let copy = folder.path + "/copy.db"
        for (taken, sentence) in [(copy, "already exists;"), (copy + ".part", "is left from a backup that was interrupted;")] {
            try #require(symlink(folder.path + "/nowhere", taken) == 0)
            let error = try #require(throws: StoreError.self) { _ = try StoreBackup(of: journal.store, to: copy) }
            #expect(error.description.hasPrefix("\(taken) \(sentence)"), "\(error)")
            try FileManager.default.removeItem(atPath: taken)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["data"])
    }

    @Test func `A backup names the file that an interrupted backup has left`() throws {
        let folder = try Folder()
        let journal = try large(folder)
        let copy = folder.path + "/copy.db"
        try write(Data("a part".utf8), to: copy + ".part")
        let error = try #require(throws: StoreError.self) { _ = try StoreBackup(of: journal.store, to: copy) }
        #expect(error.description.hasPrefix("\(copy).part is left from a backup that was interrupted; delete it"))
        #expect(try bytes(of: copy + ".part") == Data("a part".utf8))
    }

    @Test func `A backup that is not finished leaves no file, and another one can start`() throws {
        let folder = try Folder()
        let journal = try large(folder)
        let copy = folder.path + "/copy.db"
        do {
            let backup = try StoreBackup(of: journal.store, to: copy)
            _ = try backup.copy(pages: 5)
            #expect(throws: StoreError.self) { _ = try StoreBackup(of: journal.store, to: folder.path + "/other.db") }
            #expect(FileManager.default.fileExists(atPath: copy + ".part"))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["data"])
        let backup = try StoreBackup(of: journal.store, to: copy)
        _ = try backup.copy(pages: 5)
        try journal.store.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["data"])
        #expect(try backup.copy() == false)
    }

    @Test func `A backup to a path that cannot be written is refused with the reason`() throws {
        let folder = try Folder()
        let journal = try large(folder)
        let error = try #require(throws: StoreError.self) {
            _ = try StoreBackup(of: journal.store, to: folder.path + "/no/copy.db")
        }
        #expect(error.description.hasPrefix("cannot create "))
        #expect(error.description.hasSuffix("copy.db.part: No such file or directory"))
    }
}

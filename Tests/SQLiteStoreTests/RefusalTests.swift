// Files that the store does not open: each is refused with an error, and left unchanged.

import Foundation
import SQLiteStore
import Store
import TestSupport
import Testing
import TinyJournal

@Suite struct `Databases that the store refuses` {
    /// A clean data directory with something in it.
    private func filled() throws -> Folder {
        let folder = try Folder()
        let journal = try TinyJournal(folder.data)
        for id in 0..<200 { try journal.put([(Int64(id), "state \(id)")]) }
        try journal.materialize()
        try journal.store.close()
        return folder
    }

    private func refusal(_ folder: Folder) throws -> StoreError {
        let before = [folder.database, folder.log].map(Snapshot.init)
        let error = try #require(throws: StoreError.self) { _ = try TinyJournal(folder.data) }
        // An empty log may be created.
        let after = [folder.database, folder.log].map(Snapshot.init)
        #expect(after[0] == before[0], "the file was touched: \(error)")
        #expect((after[1].bytes ?? Data()) == (before[1].bytes ?? Data()))
        return error
    }

    @Test func `A text file with the database's name is refused`() throws {
        let folder = try filled()
        try write(
            Data("Dear diary, this is not a database but it is longer than a header, of which there are 100 bytes.....".utf8),
            to: folder.database)
        let error = try refusal(folder)
        #expect(error.cause == .foreign)
        #expect(error.isOfConfiguration)
        #expect(error.description.contains("it is not an SQLite database"))
    }

    @Test func `Another program's database is refused`() throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder.data, withIntermediateDirectories: true)
        _ = try run("sqlite3", [folder.database, "create table photos (id); pragma application_id = 42;"])
        let error = try refusal(folder)
        #expect(error.cause == .foreign)
        #expect(error.description.contains("its application id is 42"))
    }

    @Test func `Another program's database with a log that was not written back is refused`() throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(atPath: folder.data, withIntermediateDirectories: true)
        let shell = [
            folder.database, ".dbconfig no_ckpt_on_close on",
            "pragma journal_mode=wal; create table photos (id); insert into photos values (1);",
        ]
        _ = try run("sqlite3", shell)
        try #require((Snapshot(folder.log).bytes ?? Data()).count > 4_096)
        #expect(try refusal(folder).cause == .foreign)
    }

    @Test func `A database of a newer version is refused, even if only its log has the version`() throws {
        let folder = try filled()
        _ = try run("sqlite3", [folder.database, "pragma user_version = 7"])
        let inFile = try refusal(folder)
        #expect(inFile.cause == .newer)
        #expect(inFile.isOfConfiguration)
        #expect(inFile.description.contains("schema 7"))

        let other = try filled()
        _ = try run("sqlite3", [other.database, ".dbconfig no_ckpt_on_close on", "pragma user_version = 8"])
        try #require((Snapshot(other.log).bytes ?? Data()).count > 4_096)
        #expect(try refusal(other).description.contains("schema 8"))
    }

    @Test func `A database from before the first release is refused`() throws {
        let folder = try filled()
        _ = try run("sqlite3", [folder.database, "pragma application_id = 1734438244; pragma user_version = 6"])
        let error = try refusal(folder)
        #expect(error.cause == .older)
        #expect(error.isOfConfiguration)
        #expect(error.description.contains("before the first release"))
    }

    @Test(arguments: ["drop table history_blocks", "alter table sessions add column extras", "pragma user_version = 0"])
    func `A database whose tables were altered is refused`(how: String) throws {
        let folder = try filled()
        _ = try run("sqlite3", [folder.database, how])
        let error = try refusal(folder)
        #expect(error.cause == .damaged)
        #expect(!error.isOfConfiguration)
    }

    @Test func `A database to which an operator has added an index and a view is opened`() throws {
        let folder = try filled()
        _ = try run(
            "sqlite3", [folder.database, "create index by_name on sessions (name); create view v as select name from sessions"])
        let journal = try TinyJournal(folder.data)
        #expect(journal.states.count == 200)
        try journal.put([(3, "changed")])
        try journal.materialize()
        #expect(try sqlite(folder, "select count(*) from sessions where name = 'changed'; pragma integrity_check") == "1\nok\n")
    }

    @Test func `An empty file and a file that ends within its header are refused`() throws {
        let folder = try filled()
        let whole = try bytes(of: folder.database)
        for count in [0, 1, 15, 16, 99] {
            try write(whole.prefix(count), to: folder.database)
            #expect(try refusal(folder).cause == (count == 1 || count == 15 ? .foreign : .damaged))
        }
    }

    @Test func `A log whose database is missing is refused`() throws {
        let folder = try filled()
        let journal = try TinyJournal(folder.data)
        try journal.put([(1, "x")])
        let crashed = try folder.crashed()
        try FileManager.default.removeItem(atPath: crashed.database)
        let error = try refusal(crashed)
        #expect(error.cause == .damaged)
        #expect(!FileManager.default.fileExists(atPath: crashed.database))
    }

    @Test func `A backup beside the log of the replaced database is refused`() throws {
        let folder = try filled()
        let journal = try TinyJournal(folder.data)
        let copy = folder.path + "/copy.db"
        let backup = try StoreBackup(of: journal.store, to: copy)
        while try backup.copy() {}
        try backup.complete()
        try journal.put([(1, "after the backup")])
        let crashed = try folder.crashed()
        try write(try bytes(of: copy), to: crashed.database)
        let error = try refusal(crashed)
        #expect(error.description.contains("gamed.db-wal belongs to another database"))
        try FileManager.default.removeItem(atPath: crashed.log)
        #expect(try TinyJournal(crashed.data).states[1] == "state 1")
    }

    @Test func `A directory in use is refused with the other process's number`() throws {
        let folder = try filled()
        let probe = try StoreProbe()
        #expect(probe.open(folder) == "ok 200")
        let error = try refusal(folder)
        #expect(error.cause == .inUse)
        #expect(error.isOfConfiguration)
        #expect(error.description.contains("process \(probe.process.processID),"))
        #expect(error.description.contains("keeps its sessions here: \(folder.data) is locked"))
        #expect(probe.ask("put 1 still-works") == "ok ")
        probe.killIt()
        #expect(try TinyJournal(folder.data).states[1] == "still-works")
    }

    @Test(arguments: [true, false])
    func `A hard link to a database is refused where the log is missing, also once the other daemon has ended`(isNew: Bool)
        throws
    {
        let (folder, other) = (isNew ? try Folder() : try filled(), try Folder())
        let probe = try StoreProbe()
        #expect(probe.open(folder) == (isNew ? "ok 0" : "ok 200"))
        try FileManager.default.createDirectory(atPath: other.data, withIntermediateDirectories: true)
        try #require(link(folder.database, other.database) == 0)
        let error = try refusal(other)
        #expect(error.cause == .inUse)
        #expect(error.isOfConfiguration)
        #expect(error.description.contains("\(other.database) open under a second name (a hard link)"), "\(error)")
        let checked = #expect(throws: StoreError.self) { try SQLiteStore.check(directory: other.data) { _ in true } }
        #expect(checked?.cause == .inUse)
        #expect(probe.ask("put 1 still-works") == "ok ")
        probe.killIt()
        let second = try refusal(other)
        #expect(second.cause == .unusable)
        #expect(second.description.contains("\(other.database) has a second name (a hard link)"), "\(second)")
        #expect(throws: second) { try SQLiteStore.check(directory: other.data) { _ in true } }
        // The first directory starts with its log after the kill, and without one after a clean stop.
        for _ in 1...2 {
            let journal = try TinyJournal(folder.data)
            #expect(journal.states[1] == "still-works")
            try journal.store.close()
        }
        #expect(try refusal(other) == second)
        let whole = try bytes(of: other.database)
        try FileManager.default.removeItem(atPath: other.database)
        try write(whole, to: other.database)
        #expect(try TinyJournal(other.data).states[1] == "still-works")
    }

    @Test func `A second store in the same process is refused`() throws {
        let folder = try filled()
        let journal = try TinyJournal(folder.data)
        #expect(try #require(throws: StoreError.self) { _ = try TinyJournal(folder.data) }.cause == .inUse)
        try journal.store.close()
    }

    /// Root may write anywhere, so a process of another user opens the store.
    @Test func `A read-only directory and a read-only database are refused`() throws {
        let folder = try filled()
        let manager = FileManager.default
        let before = Snapshot(folder.database)
        let probe = try StoreProbe(geteuid() == 0 ? ["STORE_PROBE_USER": "65534"] : [:])
        try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.data)
        let answer = try #require(probe.open(folder))
        #expect(answer.hasPrefix("error configuration unusable the data directory \(folder.data) cannot be written"))
        #expect(answer.hasSuffix("Permission denied"))
        try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.data)
        try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder.database)
        try manager.setAttributes([.posixPermissions: 0o666], ofItemAtPath: folder.data + "/gamed.lock")
        let second = try #require(probe.open(folder))
        #expect(second.hasPrefix("error configuration unusable \(folder.database) cannot be opened for reading and writing"))
        #expect(Snapshot(folder.database) == before)
    }

    @Test func `A path that is not a directory, or that has no parent directory, is refused`() throws {
        let folder = try Folder()
        try write(Data("x".utf8), to: folder.path + "/file")
        #expect(
            try #require(throws: StoreError.self) { _ = try TinyJournal(folder.path + "/file") }.description.contains(
                "not a directory"))
        #expect(throws: StoreError.self) { _ = try TinyJournal(folder.path + "/no/such") }
        try FileManager.default.createDirectory(atPath: folder.database, withIntermediateDirectories: true)
        #expect(try #require(throws: StoreError.self) { _ = try TinyJournal(folder.data) }.cause == .foreign)
    }

    @Test func `A path with special characters is accepted`() throws {
        let folder = try Folder()
        let path = folder.path + "/file: %41?mode=ro&x #1 \u{1F3B2}"
        try TinyJournal(path + "//").put([(1, "x")])
        #expect(try TinyJournal(path).states == [1: "x"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }

    @Test func `The store creates files that only its user can read`() throws {
        let folder = try Folder()
        let journal = try TinyJournal(folder.data)
        try journal.put([(1, "x")])
        let mode = { try FileManager.default.attributesOfItem(atPath: folder.data + $0)[.posixPermissions] as? Int }
        #expect(try mode("") == 0o700)
        for name in ["/gamed.db", "/gamed.db-wal", "/gamed.db-shm", "/gamed.lock"] {
            #expect(try mode(name) == 0o600, "\(name)")
        }
    }
}

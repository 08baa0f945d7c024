// A log that was damaged after its checkpoint: its changes are all in the database, but SQLite reads older pages from it.

import Foundation
import Store
import TestSupport
import Testing
import TinyJournal

@testable import SQLiteStore

@Suite struct `A log that was damaged after its checkpoint` {
    /// A store with some changes in its tables and in its log.
    private func filled() throws -> (folder: Folder, journal: TinyJournal) {
        let folder = try Folder()
        let journal = try TinyJournal(folder.data, capacity: 500)
        for round in 0..<3 {
            for id in 0..<100 { try journal.put([(Int64(id), "state \(round)-\(id)")]) }
            try journal.materialize()
        }
        return (folder, journal)
    }

    /// The directory of a process that was killed after a complete checkpoint, and its states.
    private func killed() throws -> (folder: Folder, states: [Int64: String]) {
        let (folder, journal) = try filled()
        while try journal.store.maintain([.only]) {}
        try journal.store.opened.wal.checkpoint(minPages: 1)
        return (try folder.crashed(), journal.states)
    }

    /// The log with a flipped bit at each of several positions, and a log that was cut in half.
    private func damaged(_ log: Data) -> [Data] {
        let positions: [Int] = [log.count / 8, log.count / 3, log.count * 2 / 3, log.count * 9 / 10]
        var damaged: [Data] = []
        for position in positions {
            damaged.append(log)
            damaged[damaged.count - 1][position] ^= 1
        }
        damaged.append(Data(log.prefix(log.count / 2)))
        return damaged
    }

    private func expectNothingMoved(in folder: Folder) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.data)
        #expect(!names.contains { $0.contains("damaged") }, "\(names)")
    }

    /// In the same boot and after a reboot.
    @Test(arguments: ["b007", "b008"])
    func `A log damaged after its checkpoint is moved aside, and nothing is lost`(boot: String) throws {
        let (folder, states) = try killed()
        for (index, log) in damaged(try bytes(of: folder.log)).enumerated() {
            let crashed = try folder.crashed()
            try write(log, to: crashed.log)
            let journal = try TinyJournal(crashed.data, capacity: 500, boot: boot)
            #expect(journal.states == states, "damage \(index)")
            #expect(try bytes(of: crashed.log + ".damaged-1") == log, "damage \(index)")
            let told = journal.store.takeFindings()
            #expect(told.count == 1 && !told[0].isLoss, "\(told)")
            #expect(told.first?.sentence.contains("gamed.db-wal is damaged and was moved to") == true, "\(told)")
            try journal.put([(7, "more")])
            try journal.store.close()
            #expect(try TinyJournal(crashed.data, capacity: 500, boot: boot).states[7] == "more")
        }
    }

    /// As after a start that ended between two renames.
    @Test func `A log is moved aside next to an earlier one, and replaces nothing`() throws {
        let (folder, states) = try killed()
        let log = damaged(try bytes(of: folder.log))[1]
        try write(log, to: folder.log)
        try write(Data("index".utf8), to: folder.database + "-shm.damaged-1")
        #expect(try TinyJournal(folder.data, capacity: 500).states == states)
        #expect(try bytes(of: folder.log + ".damaged-2") == log)
        #expect(try bytes(of: folder.database + "-shm.damaged-1") == Data("index".utf8))
    }

    @Test func `A damaged log without a checkpoint is not moved, and its loss is refused`() throws {
        let (folder, _) = try filled()
        let killed = try folder.crashed()
        for log in damaged(try bytes(of: killed.log)) {
            let crashed = try killed.crashed()
            try write(log, to: crashed.log)
            let before = Snapshot(crashed.database)
            let error = try #require(throws: StoreError.self) { _ = try TinyJournal(crashed.data, capacity: 500) }
            #expect(error.cause == .damaged)
            #expect(!error.description.contains("without the -wal"), "\(error)")
            #expect(try bytes(of: crashed.log) == log && Snapshot(crashed.database) == before)
            try expectNothingMoved(in: crashed)
        }
    }

    /// A reader keeps the log from being restarted, so later changes follow the checkpointed ones.
    @Test func `A damaged log with later changes is refused, and the file alone can be accepted`() throws {
        let (folder, journal) = try filled()
        let reader = try SQLiteReader(folder)
        _ = try reader.ask("begin; select count(*) from log;")
        try journal.store.opened.wal.checkpoint(minPages: 1)
        #expect(journal.store.mark.mark.checkpoint != nil)
        let states = journal.states
        for _ in 0..<10 { try journal.put([(3, "later")]) }
        let crashed = try folder.crashed()
        withExtendedLifetime(reader) {}
        let (log, database) = (damaged(try bytes(of: crashed.log))[1], try bytes(of: crashed.database))
        try write(log, to: crashed.log)
        let error = try #require(throws: StoreError.self) { _ = try TinyJournal(crashed.data, capacity: 500) }
        #expect(error.cause == .damaged)
        #expect(error.description.contains("without the -wal: up to 300; with it: up to "), "\(error)")
        #expect(error.description.contains("acknowledged: up to 310; --accept-loss continues without the -wal"), "\(error)")
        try expectNothingMoved(in: crashed)
        let accepted = try TinyJournal(crashed.data, capacity: 500, acceptsLoss: true)
        #expect(accepted.states == states)
        #expect(accepted.store.takeFindings().contains { $0.isLoss && $0.sentence.contains("the damaged -wal is left out") })
        #expect(try bytes(of: crashed.database + ".damaged-1") == database)
        #expect(try bytes(of: crashed.database + ".damaged-1-wal") == log)
        #expect(try bytes(of: crashed.log + ".damaged-1") == log)
        try accepted.store.close()
        #expect(try TinyJournal(crashed.data, capacity: 500).states == states)
    }

    /// The file alone cannot be read then; with the log it can, since the log's good part has the damaged page.
    @Test func `A damaged log beside a damaged database is refused, and what both have together can be accepted`() throws {
        let (folder, states) = try killed()
        let log = damaged(try bytes(of: folder.log))[3]
        let said = try sqlite(try folder.crashed(), "SELECT rootpage FROM sqlite_schema WHERE name = 'sessions'")
        let root = try #require(Int(said.trimmingCharacters(in: .whitespacesAndNewlines)))
        var database = try bytes(of: folder.database)
        database.replaceSubrange((root - 1) * 4_096..<root * 4_096, with: Data(count: 4_096))
        try write(log, to: folder.log)
        try write(database, to: folder.database)
        #expect(FileAlone(folder.database) == nil)
        let error = try #require(throws: StoreError.self) { _ = try TinyJournal(folder.data, capacity: 500) }
        #expect(error.cause == .damaged && error.description.contains("start once with --accept-loss"), "\(error)")
        #expect(try bytes(of: folder.log) == log && bytes(of: folder.database) == database)
        try expectNothingMoved(in: folder)
        let accepted = try TinyJournal(folder.data, capacity: 500, acceptsLoss: true)
        #expect(accepted.states.count == states.count)
        #expect(accepted.states.allSatisfy { $1.hasPrefix("state ") && $1.hasSuffix("-\($0)") })
        #expect(accepted.store.takeFindings().contains { $0.isLoss && $0.sentence.hasSuffix(": accepted") })
        #expect(try bytes(of: folder.database + ".damaged-1") == database)
        #expect(try bytes(of: folder.database + ".damaged-1-wal") == log)
        try accepted.put([(7, "more")])
        try accepted.store.close()
        #expect(try TinyJournal(folder.data, capacity: 500).states[7] == "more")
    }

    /// Such a file has pages of different ages, and can pass SQLite's check with a session's older row.
    @Test func `A damaged log is needed if its checkpoint was interrupted`() throws {
        let folder = try Folder()
        let journal = try TinyJournal(folder.data, capacity: 500)
        for id in 0..<100 { try journal.put([(Int64(id), "state 0-\(id)")]) }
        try journal.materialize()
        while try journal.store.maintain([.only]) {}
        try journal.store.opened.wal.checkpoint(minPages: 1)
        var lastFrame = 0
        for round in 1...2 {
            for id in 97..<100 { try journal.put([(Int64(id), "state \(round)-\(id)")]) }
            lastFrame = try #require(try LogFile.load(at: folder.log, pageSize: 4_096)).scan.goodFrames - 1
            try journal.materialize()
        }
        let before = try folder.crashed()
        try journal.store.opened.wal.checkpoint(minPages: 1)
        let (older, newer) = (try bytes(of: before.database), try bytes(of: folder.database))
        try forgetCheckpoint(before)
        var log = try bytes(of: before.log)
        // The frame of the last batch.
        log[32 + lastFrame * (4_096 + 24) + 100] ^= 1
        try write(log, to: before.log)
        var plausible = 0
        for page in 0...newer.count / 4_096 {
            let crashed = try before.crashed()
            let mixed: Data = newer.prefix(page * 4_096) + older.dropFirst(page * 4_096)
            try write(mixed, to: crashed.database)
            if FileAlone(crashed.database)?.reached == 106 { plausible += 1 }
            do {
                #expect(try TinyJournal(crashed.data, capacity: 500).states == journal.states, "page \(page)")
            } catch let error as StoreError {
                #expect(error.cause == .damaged)
            }
            try expectNothingMoved(in: crashed)
        }
        #expect(plausible > 1, "SQLite finds every mixture")
    }

    /// As a checkpoint does when it begins.
    private func forgetCheckpoint(_ folder: Folder) throws {
        let mark = try MarkFile(in: folder.data)
        #expect(mark.mark.checkpoint != nil && mark.prepare())
        mark.change { $0.checkpoint = nil }
    }

    @Test func `The mark names a checkpoint only if it was complete`() throws {
        let (folder, journal) = try filled()
        let store = journal.store
        #expect(store.mark.mark.checkpoint == nil)
        try store.opened.wal.checkpoint(minPages: 1)
        let frames = try #require(try LogFile.load(at: folder.log, pageSize: 4_096)).scan.goodFrames
        let checkpoint = try #require(store.mark.mark.checkpoint)
        #expect(Int(checkpoint.frames) == frames && checkpoint.salt != 0)
        #expect(try MarkFile(in: folder.data).mark == store.mark.mark)
        let reader = try SQLiteReader(folder)
        try journal.put([(1, "before")])
        #expect(try reader.ask("begin; select max(id) from log;") == "301")
        try journal.put([(2, "after")])
        try store.opened.wal.checkpoint(minPages: 1)
        #expect(store.mark.mark.checkpoint == nil, "the reader blocks it")
        #expect(try reader.ask("commit; select max(id) from log;") == "302")
        try store.opened.wal.checkpoint(minPages: 1)
        #expect(store.mark.mark.checkpoint != nil && store.mark.mark.checkpoint != checkpoint)
        #expect(try MarkFile(in: folder.data).mark == store.mark.mark)
        withExtendedLifetime(reader) {}
    }

    @Test(arguments: [20_000, 100_000, 1_000_000])
    func `All pages of a restarted log wait for a checkpoint, even if its first commit is as long as the log before`(
        size: Int
    ) throws {
        let folder = try Folder()
        let journal = try TinyJournal(folder.data, capacity: 500)
        let wal = journal.store.opened.wal
        try journal.put([(1, String(repeating: "x", count: 20_000))])
        for _ in 0..<3 {
            try wal.checkpoint(minPages: 1)
            #expect(wal.waitingPages == 0)
            try journal.put([(1, String(repeating: "x", count: size))])
            let frames = try #require(try LogFile.load(at: folder.log, pageSize: 4_096)).scan.goodFrames
            #expect(wal.waitingPages == frames)
        }
    }
}

// Changes that are missing at the log's end, or after a bad frame in it, are reported with their number.

import Foundation
import Seeds
import SQLiteStore
import Store
import TestSupport
import Testing
import TinyJournal

@Suite struct `A loss of data` {
    /// The directory of a killed process, with changes in its database and in its log; and the acknowledged states.
    private func killed(_ durability: Durability = .always) throws -> (folder: Folder, states: [Int64: String]) {
        let folder = try Folder()
        let journal = try TinyJournal(folder.data, durability, capacity: 500)
        for id in 0..<100 { try journal.put([(Int64(id), "before \(id)")]) }
        try journal.materialize()
        for id in 0..<60 { try journal.put([(Int64(id), String(repeating: "later \(id) ", count: id % 9 == 0 ? 900 : 2))]) }
        return (try folder.crashed(), journal.states)
    }

    private func expectLoss(
        _ sentences: String..., in folder: Folder, _ durability: Durability = .always, boot: String = "b007"
    ) throws {
        let files = [folder.database, folder.log].filter { FileManager.default.fileExists(atPath: $0) }
        let before = files.map(Snapshot.init)
        let error = try #require(throws: StoreError.self) { _ = try TinyJournal(folder.data, durability, boot: boot) }
        #expect(error.cause == .damaged)
        #expect(!error.isOfConfiguration)
        for sentence in sentences { #expect(error.description.contains(sentence), "\(error)") }
        #expect(files.map(Snapshot.init) == before)
    }

    @Test(arguments: Durability.allCases)
    func `A damaged log of a process that was killed is refused, or nothing is lost`(durability: Durability) throws {
        var random = SeededGenerator.announced("a log that was damaged, \(durability)", seed: 41)
        let (folder, states) = try killed(durability)
        let log = try bytes(of: folder.log)
        var refused = 0
        for round in 0..<150 {
            let crashed = try folder.crashed()
            try write(Self.damaged(log, round % 4, &random), to: crashed.log)
            do {
                #expect(try TinyJournal(crashed.data, durability, capacity: 500).states == states, "round \(round)")
            } catch let error as StoreError {
                refused += 1
                #expect(error.cause == .damaged)
            }
        }
        #expect(refused > 50, "\(refused)")
    }

    private static func damaged(_ log: Data, _ how: Int, _ random: inout SeededGenerator) -> Data {
        var log = log
        let offset = Int.random(in: 0..<log.count, using: &random)
        switch how {
        case 0: log[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: log = log.prefix(offset)
        case 2: for index in offset..<min(offset + 512, log.count) { log[index] = 0 }
        default: log[offset] = UInt8.random(in: 0...255, using: &random)
        }
        return log
    }

    @Test func `A loss in the middle of the log is reported with its position and the log's size`() throws {
        let (folder, _) = try killed()
        var log = try bytes(of: folder.log)
        let frame = 4_096 + 24
        // Damages a transaction that others follow.
        log[32 + 3 * frame + 100] ^= 1
        try write(log, to: folder.log)
        try expectLoss(
            "batches of changes are missing, numbers", "its -wal breaks off at byte \(32 + 3 * frame) of \(log.count)",
            in: folder)
    }

    @Test func `A damaged log header is reported as a loss, with all that is behind it`() throws {
        let (folder, _) = try killed()
        var log = try bytes(of: folder.log)
        log[17] ^= 1
        try write(log, to: folder.log)
        try expectLoss("its -wal has a damaged header", in: folder)
        // Also without the mark, which has the number of the last acknowledged batch.
        try FileManager.default.removeItem(atPath: folder.data + "/gamed.mark")
        try expectLoss("its -wal has a damaged header", in: folder)
    }

    @Test func `A missing log is reported as a loss`() throws {
        let (folder, _) = try killed()
        try FileManager.default.removeItem(atPath: folder.log)
        try expectLoss("batches of changes are missing", in: folder)
    }

    @Test func `A missing database is reported as a loss, after a clean end too`() throws {
        let folder = try Folder()
        let journal = try TinyJournal(folder.data)
        try journal.put([(1, "x")])
        try journal.store.close()
        try FileManager.default.removeItem(atPath: folder.database)
        let error = try #require(throws: StoreError.self) { _ = try TinyJournal(folder.data) }
        #expect(error.description.contains("gamed.db is missing but gamed.mark exists"))
        #expect(!FileManager.default.fileExists(atPath: folder.database))
        try FileManager.default.removeItem(atPath: folder.data + "/gamed.mark")
        #expect(try TinyJournal(folder.data).states.isEmpty)
    }

    // MARK: Durability

    @Test func `The everysec durability allows a loss of unsynced changes only after a restart of the machine`() throws {
        let folder = try Folder()
        let journal = try TinyJournal(folder.data, .everysec)
        for id in 0..<5 { try journal.put([(Int64(id), "synced")]) }
        try journal.store.sync()
        let synced = try bytes(of: folder.log)
        for id in 5..<8 { try journal.put([(Int64(id), "not synced")]) }
        let crashed = try folder.crashed()
        try write(synced, to: crashed.log)
        // Only a loss of power may lose them.
        try expectLoss("the last 3 batches of changes are missing, numbers 6 to 8", in: crashed, .everysec)
        let found = try TinyJournal(crashed.data, .everysec, boot: "b008")
        #expect(found.states == [0: "synced", 1: "synced", 2: "synced", 3: "synced", 4: "synced"])
        let told = found.store.takeFindings().map(\.sentence)
        #expect(
            told.count == 1 && told[0].contains("numbers 6 to 8, since the machine went down: everysec allows it"), "\(told)")
        // Synced changes must be there.
        let older = try folder.crashed()
        try write(synced.prefix(synced.count - 5_000), to: older.log)
        try expectLoss("batches of changes are missing", in: older, .everysec, boot: "b008")
    }

    @Test func `The always durability allows no loss of anything that was acknowledged`() throws {
        let (folder, _) = try killed(.always)
        let log = try bytes(of: folder.log)
        try write(log.prefix(log.count - 10), to: folder.log)
        for boot in ["b007", "b008"] {
            try expectLoss("the last batch of changes is missing, number 160", in: folder, boot: boot)
        }
    }

    @Test func `A missing transaction that was not acknowledged is not a loss`() throws {
        let folder = try Folder()
        let probe = try StoreProbe(["GAMED_FAILPOINT": "after-commit:4"])
        #expect(probe.open(folder) == "ok 0")
        let answers = probe.ask(all: (0..<5).map { "put \($0) s\($0)" })
        #expect(answers == ["ok ", "ok ", "ok ", nil, nil])
        let log = try bytes(of: folder.log)
        try write(log.prefix(log.count - 10), to: folder.log)
        #expect(try TinyJournal(folder.data, boot: "b008").states == [0: "s0", 1: "s1", 2: "s2"])
    }

    @Test func `A loss is not found without a mark, or with another database's`() throws {
        let (folder, _) = try killed()
        let other = try Folder()
        try TinyJournal(other.data).store.close()
        try write(try bytes(of: folder.data + "/gamed.mark"), to: other.data + "/gamed.mark")
        #expect(try TinyJournal(other.data).states.isEmpty)
        try FileManager.default.removeItem(atPath: other.data + "/gamed.mark")
        #expect(try TinyJournal(other.data).states.isEmpty)
    }

    @Test func `A loss is unknown if the mark itself is damaged, and a finding says so`() throws {
        let (folder, states) = try killed()
        var mark = try bytes(of: folder.data + "/gamed.mark")
        for offset in [10, 74] { mark[offset] ^= 4 }
        try write(mark, to: folder.data + "/gamed.mark")
        let journal = try TinyJournal(folder.data, capacity: 500)
        #expect(journal.states == states)
        #expect(journal.store.takeFindings().map(\.sentence).contains { $0.hasPrefix("gamed.mark is damaged") })
    }

    /// One slot has the previous mark while the other is written.
    @Test func `A torn mark is not reported as a loss`() throws {
        let (folder, states) = try killed()
        let whole = try bytes(of: folder.data + "/gamed.mark")
        for offset in 0..<128 {
            let crashed = try folder.crashed()
            var mark = whole
            mark[offset] ^= 0x55
            try write(mark, to: crashed.data + "/gamed.mark")
            let journal = try TinyJournal(crashed.data, capacity: 500)
            #expect(journal.states == states)
            #expect(journal.store.takeFindings().isEmpty)
        }
    }

    // MARK: Accepted losses

    @Test func `An accepted loss loses only unreadable changes, and the damaged files are kept`() throws {
        let (folder, _) = try killed()
        var log = try bytes(of: folder.log)
        log[log.count - 100] ^= 1
        try write(log, to: folder.log)
        let database = try bytes(of: folder.database)
        try expectLoss("--accept-loss", in: folder)
        let journal = try TinyJournal(folder.data, capacity: 500, acceptsLoss: true)
        #expect(journal.states[58] == String(repeating: "later 58 ", count: 2))
        #expect(journal.states[59] == "before 59")
        #expect(try bytes(of: folder.database + ".damaged-1") == database)
        #expect(try bytes(of: folder.database + ".damaged-1-wal") == log)
        let told = journal.store.takeFindings()
        #expect(
            told.contains { $0.isLoss && $0.sentence.contains("the last batch of changes is missing, number 160") }, "\(told)")
        #expect(told.contains { $0.sentence.hasSuffix("gamed.db.damaged-1") }, "\(told)")
        try journal.put([(59, "goes on")])
        try journal.store.close()
        // Nothing is missing now.
        #expect(try TinyJournal(folder.data, capacity: 500).states[59] == "goes on")
    }

    @Test func `A loss can be accepted again only after a start without --accept-loss`() throws {
        let (folder, _) = try killed()
        func damage() throws {
            var log = try bytes(of: folder.log)
            log[log.count - 100] ^= 1
            try write(log, to: folder.log)
        }
        try damage()
        var journal: TinyJournal? = try TinyJournal(folder.data, capacity: 500, acceptsLoss: true)
        try journal?.put([(1, "more")])
        let crashed = try folder.crashed()
        journal = nil
        for name in ["gamed.db", "gamed.db-wal", "gamed.mark"] {
            try write(try bytes(of: crashed.data + "/" + name), to: folder.data + "/" + name)
        }
        try damage()
        for _ in 0..<2 {
            let error = try #require(throws: StoreError.self) { _ = try TinyJournal(folder.data, acceptsLoss: true) }
            #expect(error.description.contains("--accept-loss was used for the last start already: start once without it"))
        }
        try expectLoss("the last batch of changes is missing", in: folder)
        #expect(try TinyJournal(folder.data, capacity: 500, acceptsLoss: true).states[1] != "more")
        #expect(FileManager.default.fileExists(atPath: folder.database + ".damaged-2-wal"))
    }

    @Test func `A start with --accept-loss needs no loss, and a repeated one is reported`() throws {
        let folder = try Folder()
        for round in 0..<3 {
            let journal = try TinyJournal(folder.data, acceptsLoss: true)
            #expect(
                journal.store.takeFindings().map(\.sentence).contains { $0.contains("used for the last start already") }
                    == (round > 0))
            try journal.store.close()
        }
    }
}

// A disk that is full or broken, once or for long; and a loss of power.

import Foundation
import SQLiteStore
import Store
import TestSupport
import Testing
import TinyJournal

@Suite(.serialized) struct `A store on a disk that fails` {
    @Test(arguments: [Faults.Failure.full, .broken], ["always", "everysec"])
    func `A failing disk refuses appends with an error, keeps its rows, and needs no restart`(
        failure: Faults.Failure, durability: String
    ) throws {
        let folder = try Folder()
        let disk = try FaultyDisk(folder)
        let probe = try disk.probe()
        #expect(probe.open(folder, durability) == "ok 0")
        #expect(probe.ask("put 1 before") == "ok ")
        disk.faults.fail(writing: failure)
        for _ in 0..<3 {
            let answer = try #require(probe.ask("put 1 lost 20000"))
            #expect(answer.hasPrefix(failure == .full ? "error io full the disk is full: " : "error io failed "), "\(answer)")
            #expect(answer.contains(failure == .full ? folder.database : "Input/output error"), "\(answer)")
        }
        #expect(try #require(probe.ask("materialize")).hasPrefix("error io"))
        #expect(probe.ask("load") == "ok 1=before")
        disk.faults.repair()
        #expect(probe.ask(all: ["put 2 after", "materialize", "maintain", "sync"]) == ["ok ", "ok ", "ok ", "ok "])
        probe.killIt()
        let found = try TinyJournal(folder.data)
        #expect(found.states == [1: "before", 2: "after"])
        #expect(found.serials == [0, 1], "nothing was appended twice")
    }

    /// At each of the calls that an append, an update of the tables and a checkpoint make, in turn.
    @Test(arguments: 0..<24)
    func `A single failure of any call loses nothing`(call: Int32) throws {
        let folder = try Folder()
        let disk = try FaultyDisk(folder)
        let probe = try disk.probe()
        #expect(probe.open(folder) == "ok 0")
        var expected: [Int64: String] = [:]
        for round in 0..<6 {
            disk.faults.repair()
            let failsSyncing = round % 2 == 1
            let lines = ["put \(round) a\(round) 9000", "materialize", "put \(round) b\(round)", "maintain"]
            for (index, line) in lines.enumerated() {
                if index == Int(call) % 4 {
                    disk.faults.fail(
                        writing: failsSyncing ? nil : .full, syncing: failsSyncing ? .broken : nil, times: 1 + call / 4)
                }
                var answer = probe.ask(line)
                for _ in 0..<8 where answer != "ok " { answer = probe.ask(line) }
                #expect(answer == "ok ", "\(line)")
            }
            expected[Int64(round)] = "b\(round)"
        }
        probe.killIt()
        let found = try TinyJournal(folder.data)
        #expect(found.states == expected)
        #expect(found.serials == Array(0..<12))
    }

    @Test func `A start on a full disk is refused with an error, and succeeds once there is space`() throws {
        let folder = try Folder()
        let disk = try FaultyDisk(folder)
        let probe = try disk.probe()
        disk.faults.fail(writing: .full)
        let answer = try #require(probe.open(folder))
        #expect(answer.hasPrefix("error io full the disk is full: "), "\(answer)")
        disk.faults.repair()
        #expect(probe.open(folder) == "ok 0")
        #expect(probe.ask("put 1 x") == "ok ")
    }

    @Test func `An update of the tables that finds no space for the log moves the log's changes into the database`() throws {
        let folder = try Folder()
        let disk = try FaultyDisk(folder)
        let probe = try disk.probe()
        #expect(probe.open(folder) == "ok 0")
        #expect(probe.ask("put 1 before") == "ok ")
        disk.faults.fail(writing: .full, onlyLog: true)
        #expect(try #require(probe.ask("materialize")).hasPrefix("error io full"))
        probe.killIt()
        let alone = try Folder()
        try FileManager.default.createDirectory(atPath: alone.data, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: folder.database, toPath: alone.database)
        #expect(try alone.states() == [1: "before"])
    }

    @Test func `A store is opened and read while its log cannot be written`() throws {
        let folder = try Folder()
        let disk = try FaultyDisk(folder)
        try TinyJournal(folder.data).put([(1, "x")])
        let probe = try disk.probe()
        disk.faults.fail(writing: .full, onlyLog: true)
        #expect(probe.open(folder) == "ok 1")
        #expect(try #require(probe.ask("put 1 y")).hasPrefix("error io full"))
    }

    @Test func `A backup onto a full disk leaves no file, and does not harm the store`() throws {
        let folder = try Folder()
        let disk = try FaultyDisk(folder)
        let probe = try disk.probe()
        #expect(probe.open(folder) == "ok 0")
        #expect(probe.ask("put 1 x 100000") == "ok ")
        disk.faults.fail(writing: .full)
        let answer = try #require(probe.ask("backup \(folder.data)/copy.db"))
        #expect(answer.hasPrefix("error io full the disk is full: "), "\(answer)")
        disk.faults.repair()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.data).filter { $0.hasPrefix("copy") } == [])
        #expect(probe.ask("backup \(folder.data)/copy.db") == "ok ")
        #expect(probe.ask("put 1 y") == "ok ")
    }
}

@Suite(.serialized) struct `Durable changes` {
    @Test func `The always durability syncs each append once before it is acknowledged`() throws {
        let folder = try Folder()
        let disk = try FaultyDisk(folder)
        let probe = try disk.probe()
        #expect(probe.open(folder, "always") == "ok 0")
        #expect(probe.ask("put 0 first") == "ok ")
        for round in 1...20 {
            let before = disk.faults.syncs
            #expect(probe.ask("put \(round) s\(round)") == "ok ")
            #expect(disk.faults.syncs == before + 1)
            #expect(try disk.afterPowerLoss.crashed().states()[Int64(round)] == "s\(round)")
        }
    }

    @Test func `The everysec durability syncs no append by itself, and one sync covers all of them`() throws {
        let folder = try Folder()
        let disk = try FaultyDisk(folder)
        let probe = try disk.probe()
        #expect(probe.open(folder, "everysec") == "ok 0")
        #expect(probe.ask("put 0 first") == "ok ")
        #expect(probe.ask("sync") == "ok ")
        for round in 1...5 {
            let before = disk.faults.syncs
            for id in 0..<20 { #expect(probe.ask("put \(id) s\(round)") == "ok ") }
            #expect(disk.faults.syncs == before, "an append has waited for the disk")
            #expect(try disk.afterPowerLoss.crashed().states(.everysec)[19] == (round == 1 ? nil : "s\(round - 1)"))
            #expect(probe.ask("sync") == "ok ")
            #expect(disk.faults.syncs == before + 1)
            #expect(probe.ask("sync") == "ok ")
            #expect(disk.faults.syncs == before + 1)
            #expect(try disk.afterPowerLoss.crashed().states(.everysec)[19] == "s\(round)")
        }
    }

    /// Covers the tables, their checkpoints and restarts of the log. Only synced bytes survive.
    @Test(arguments: ["always", "everysec"])
    func `A loss of power at any step loses no acknowledged change`(durability: String) throws {
        let folder = try Folder()
        let disk = try FaultyDisk(folder)
        let probe = try disk.probe()
        #expect(probe.open(folder, durability, capacity: 3) == "ok 0")
        var expected: [Int64: String] = [:]
        for round in 0..<40 {
            let id = Int64(round % 7)
            let size = round % 3 == 0 ? 400_000 : 100
            #expect(probe.ask("put \(id) r\(round)- \(size)") == "ok ")
            expected[id] = "r\(round)-" + String(repeating: ".", count: size)
            if round % 5 == 0 { #expect(probe.ask("materialize 2") == "ok ") }
            if round % 4 == 0 { #expect(probe.ask("maintain") == "ok ") }
            if durability == "everysec" { #expect(probe.ask("sync") == "ok ") }
            #expect(try disk.afterPowerLoss.crashed().states(capacity: 3) == expected, "round \(round)")
        }
    }

    @Test func `The everysec durability loses nothing at a clean end, even if a reader blocks the checkpoint`() throws {
        let folder = try Folder()
        let disk = try FaultyDisk(folder)
        let probe = try disk.probe()
        #expect(probe.open(folder, "everysec") == "ok 0")
        #expect(probe.ask(all: ["put 1 before 2500000", "sync"]) == ["ok ", "ok "])
        let reader = try SQLiteReader(folder)
        #expect(try reader.ask("begin; select count(*) from log;") == "1")
        // The rows that the reader sees are written back here, so that closing finds nothing to write back.
        #expect(probe.ask(all: ["maintain", "put 2 after", "close"]) == ["ok ", "ok ", "ok "])
        #expect(try disk.afterPowerLoss.crashed().states()[2] == "after")
        #expect(try reader.ask("select count(*) from log;") == "1")
    }

    /// When a sync fails, Linux drops the pages that it could not write, and reports success the next time.
    @Test func `A failed sync is followed by another write of all unsynced changes`() throws {
        let folder = try Folder()
        let disk = try FaultyDisk(folder)
        let probe = try disk.probe()
        #expect(probe.open(folder, "everysec") == "ok 0")
        #expect(probe.ask("put 1 x 200000") == "ok ")
        let appended = disk.faults.logBytes
        disk.faults.fail(syncing: .broken)
        #expect(
            try #require(probe.ask("sync")).hasPrefix(
                "error io failed \(folder.database) could not be written: Input/output error"))
        #expect(try #require(probe.ask("sync")).hasPrefix("error io"))
        disk.faults.repair()
        let before = disk.faults.logBytes
        #expect(probe.ask("sync") == "ok ")
        #expect(disk.faults.logBytes - before >= appended)
        #expect(try disk.afterPowerLoss.crashed().states()[1]?.count == 200_001)
    }
}

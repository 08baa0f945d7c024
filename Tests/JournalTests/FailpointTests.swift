// A crash at each failpoint, and what is true afterwards.

import Foundation
import TestSupport
import Testing

@Suite struct `A crash` {
    /// A daemon that dies at its failpoint while this is asked, a turn at a time; says how often the answer came.
    private func passUntilDeath(_ daemon: DaemonProcess, _ asker: Asker) throws -> Int {
        var acknowledged = 0
        while let answer = try? asker.ask("SEND room pass") {
            #expect(!answer.isError, "\(answer)")
            acknowledged += 1
        }
        #expect(daemon.waitForEnd() == -SIGKILL)
        return acknowledged
    }

    private func begun(_ folder: Folder) throws {
        let daemon = try DaemonProcess(in: folder)
        try #require(daemon.isUp())
        #expect(try daemon.ask("NEW room turns").text == "first")
        #expect(daemon.stop() == 0)
    }

    @Test(arguments: [
        ("before-commit:7", 6...6), ("after-commit:7", 7...7), ("during-materialize:1", 1...100_000),
        ("after-materialize:1", 1...100_000),
    ])
    func `at a place where changes are kept costs nothing that was answered`(failpoint: String, versions: ClosedRange<Int>)
        throws
    {
        let folder = try Folder()
        try begun(folder)
        let daemon = try DaemonProcess(in: folder, environment: ["GAMED_FAILPOINT": failpoint])
        try #require(daemon.isUp())
        let acknowledged = try passUntilDeath(daemon, daemon.asker())
        let next = try DaemonProcess(in: folder)
        try #require(next.isUp(), "\(next.errors)")
        let found = try Found("room", next.asker())
        #expect((acknowledged...acknowledged + 1).contains(found.version), "acknowledged \(acknowledged)")
        #expect(versions.contains(found.version), "version \(found.version)")
    }

    @Test(arguments: [
        "during-recovery:1", "during-recovery:2", "during-materialize:1", "after-materialize:1", "after-restoring:1",
    ])
    func `while a crash is being recovered from costs nothing either`(failpoint: String) throws {
        let folder = try Folder()
        try begun(folder)
        // The file ends with a log row that the tables do not cover yet.
        let daemon = try DaemonProcess(in: folder, environment: ["GAMED_FAILPOINT": "after-commit:10"])
        try #require(daemon.isUp())
        #expect(try passUntilDeath(daemon, daemon.asker()) == 9)
        // What is in the tables is marked so in the same transaction: there is no second time.
        let deaths = failpoint == "after-materialize:1" ? 1 : 2
        for _ in 0..<deaths {
            let dying = try DaemonProcess(in: folder, environment: ["GAMED_FAILPOINT": failpoint])
            #expect(dying.waitForEnd() == -SIGKILL)
        }
        let next = try DaemonProcess(in: folder)
        try #require(next.isUp(), "\(next.errors)")
        let found = try Found("room", next.asker())
        #expect(found.version == 10 && found.lines.count == 10)
    }

    @Test func `while old history is deleted leaves the newest, without a gap`() throws {
        let folder = try Folder()
        try begun(folder)
        let words = ["--durability", "always", "--limit", "history=50"]
        for round in 0..<3 {
            let daemon = try DaemonProcess(in: folder, words, environment: ["GAMED_FAILPOINT": "during-pruning:\(round + 1)"])
            try #require(eventually { daemon.said.contains("kept: ") || !daemon.isRunning })
            let asker = try? daemon.asker()
            for _ in 0..<100 { _ = try? asker?.ask("SEND room pass") }
            #expect(daemon.waitForEnd() == -SIGKILL)
        }
        let next = try DaemonProcess(in: folder, words)
        try #require(next.isUp(), "\(next.errors)")
        let version = try #require(try next.ask("STATE room")["version"]?.integer)
        #expect(version >= 200)
        #expect(next.stop() == 0)
        let found = try folder.sql("SELECT count(*), max(version), max(version) - min(version) FROM history").split(
            separator: "|")
        let numbers = found.compactMap { Int($0) }
        #expect(numbers[0] >= 50 && numbers[0] <= 1_050 && numbers[1] == version && numbers[2] == numbers[0] - 1, "\(numbers)")
    }
}

// A crash at each failpoint, and the state after it.

import Foundation
import TestSupport
import Testing

@Suite struct `A crash at a failpoint` {
    /// Sends events until the daemon dies at its failpoint, and returns how many were acknowledged.
    private func passUntilDeath(_ daemon: RunningDaemon, _ client: TestClient) throws -> Int {
        var acknowledged = 0
        while let answer = try? client.ask("SEND room pass") {
            try #require(!answer.isError, "\(answer)")
            acknowledged += 1
        }
        #expect(daemon.waitForStatus() == -SIGKILL)
        return acknowledged
    }

    private func begun(_ store: DaemonStore) throws {
        let daemon = try store.start(isVirtual: false)
        #expect(try daemon.ask("NEW room turns").text == "first")
        try store.end(daemon, isKilled: false)
    }

    private func start(_ store: DaemonStore, dyingAt failpoint: String) throws -> RunningDaemon {
        try store.launch(isVirtual: false, environment: ["GAMED_FAILPOINT": failpoint])
    }

    private static let placesOfWriting = [
        "before-commit:7": 6...6, "after-commit:7": 7...7, "during-materialize:1": 1...100_000,
        "after-materialize:1": 1...100_000,
    ]

    /// With a database, the start itself applies the last daemon's log to the tables.
    @Test(
        arguments: StoreKind.each(
            placesOfWriting.keys.sorted(),
            ofDatabase: { $0 == "before-commit:7" || StoreKind.isThorough && $0 == "after-commit:7" }))
    func `A crash at a failpoint of writing loses no acknowledged change`(storeKind: StoreKind, failpoint: String) throws {
        let store = try DaemonStore(storeKind)
        try begun(store)
        let daemon = try start(store, dyingAt: failpoint)
        try #require(daemon.waitUntilUp())
        let acknowledged = try passUntilDeath(daemon, daemon.client())
        try store.endLease()
        let next = try store.start(isVirtual: false)
        let found = try SessionSnapshot("room", next.client())
        #expect((acknowledged...acknowledged + 1).contains(found.version), "acknowledged \(acknowledged)")
        #expect(Self.placesOfWriting[failpoint]?.contains(found.version) == true, "version \(found.version)")
        #expect(next.stop() == 0)
    }

    @Test(
        arguments: StoreKind.each(
            ["during-recovery:1", "during-recovery:2", "during-materialize:1", "after-materialize:1", "after-restoring:1"],
            ofDatabase: { StoreKind.isThorough && !$0.hasPrefix("during-recovery") }))
    func `A crash during the recovery from a crash loses no acknowledged change`(storeKind: StoreKind, failpoint: String) throws
    {
        let store = try DaemonStore(storeKind)
        try begun(store)
        // The file ends with a log row that the tables do not cover yet.
        let daemon = try start(store, dyingAt: "after-commit:10")
        try #require(daemon.waitUntilUp())
        #expect(try passUntilDeath(daemon, daemon.client()) == 9)
        try store.endLease()
        // The tables and their mark are written in one transaction, so there is no second crash.
        let deaths = failpoint == "after-materialize:1" ? 1 : 2
        for _ in 0..<deaths {
            let dying = try start(store, dyingAt: failpoint)
            #expect(dying.waitForStatus() == -SIGKILL)
            try store.endLease()
        }
        let next = try store.start(isVirtual: false)
        let found = try SessionSnapshot("room", next.client())
        #expect(found.version == 10 && found.lines.count == 10)
        #expect(next.stop() == 0)
    }

    @Test func `A crash while old history is deleted leaves the newest entries, without a gap`() throws {
        let store = try DaemonStore(.directory)
        let folder = store.folder
        try begun(store)
        let words = ["--durability", "always", "--limit", "history=50"]
        var acknowledged = 0
        for round in 0..<3 {
            let daemon = try RunningDaemon(
                keepingIn: folder, words, environment: ["GAMED_FAILPOINT": "during-pruning:\(round + 1)"])
            try #require(eventually { daemon.said.contains("kept: ") || !daemon.isRunning })
            // Each burst is applied to the tables by itself.
            for _ in 0...round {
                let client = try? daemon.client()
                for _ in 0..<100 where (try? client?.ask("SEND room pass").isError) == false { acknowledged += 1 }
                let figure = "tables_backlog_bytes:0\r\n"
                #expect(
                    eventually { !daemon.isRunning || (try? client?.ask("INFO persistence").text?.contains(figure)) == true })
            }
            #expect(daemon.waitForStatus() == -SIGKILL)
        }
        let next = try RunningDaemon(keepingIn: folder, words)
        try #require(next.waitUntilUp(), "\(next.errors)")
        let version = try #require(try next.ask("STATE room")["version"]?.integer)
        #expect(version >= acknowledged && version > 50, "there was something to delete")
        #expect(next.stop() == 0)
        let found = try folder.sql("SELECT count(*), max(version), max(version) - min(version) FROM history").split(
            separator: "|")
        let numbers = found.compactMap { Int($0) }
        #expect(numbers[0] >= 50 && numbers[0] <= 1_050 && numbers[1] == version && numbers[2] == numbers[0] - 1, "\(numbers)")
    }
}

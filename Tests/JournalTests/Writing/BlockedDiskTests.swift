// A disk that blocks for a while: senders wait, memory does not grow, and nothing is lost.

import Foundation
import TestSupport
import Testing

@Suite struct `A disk that blocks` {
    private static let bound = 256 << 10

    @Test(arguments: ["always", "everysec"])
    func `A blocked disk stops senders at the backlog's limit, and loses none of their events`(durability: String) throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try machine.start(["--durability", durability, "--limit", "journal-backlog=\(Self.bound)"])
        let client = try daemon.client()
        #expect(try client.ask("NEW room turns").text == "first")
        let senders = try (0..<3).map { _ in try daemon.client() }
        let ids = try senders.map { try #require($0.ask("CLIENT ID").integer) }
        let watcher = try daemon.client()
        let before = try daemon.status("VmRSS")
        machine.faults.isBlocked = true
        let sent = flood(senders)
        #expect(sent < 200 << 20, "a sender is stopped")
        #expect(try daemon.status("VmRSS") < before + 40_000, "memory stays bounded")
        watcher.send(["STATE room"])
        machine.faults.isBlocked = false
        #expect(try watcher.next()["flow"]?.text == "turns", "it goes on")
        for sender in senders { sender.disconnect() }
        // Until their connections are closed, the daemon may still have to read what they have sent.
        #expect(
            try eventually {
                let list = try watcher.ask("CLIENT LIST").text ?? ""
                let isBacklogEmpty = try watcher.ask("INFO persistence").text?.contains("journal_backlog_bytes:0\r\n") == true
                return isBacklogEmpty && !ids.contains { list.contains("id=\($0) ") }
            })
        let version = try #require(try client.ask("STATE room")["version"]?.integer)
        #expect(version > 0)
        #expect(daemon.stop() == 0)
        let (stored, recorded) = try (
            machine.folder.sql("SELECT version FROM sessions"), machine.folder.sql("SELECT max(version) FROM history")
        )
        #expect(stored == "\(version)" && recorded == "\(version)")
    }

    /// Sends until no socket accepts anything for 1 s, and returns the number of bytes.
    private func flood(_ senders: [TestClient]) -> Int {
        let lines = String(repeating: "SEND room pass\r\n", count: 512)
        var sent = 0
        var idle = 0
        while idle < 100, sent < 200 << 20 {
            let taken = senders.reduce(0) { $0 + $1.sendWhatIsTaken(lines) }
            sent += taken
            idle = taken == 0 ? idle + 1 : 0
            if taken == 0 { usleep(10_000) }
        }
        return sent
    }

    @Test func `A change that is not on disk is withheld from every client`() throws {
        let folder = try Folder()
        let gate = folder.path + "/gate"
        let daemon = try RunningDaemon(keepingIn: folder, environment: ["GAMED_FAILPOINT": "before-commit@\(gate)"])
        try #require(daemon.waitUntilUp())
        let (sender, reader) = (try daemon.client(), try daemon.client())
        #expect(try sender.ask("NEW room turns").text == "first")
        let subscriber = try daemon.client()
        #expect(try !subscriber.ask("SUBSCRIBE session:room").isError)
        try Data().write(to: URL(fileURLWithPath: gate))
        sender.send(["SEND room pass"])
        #expect(!sender.hasInput(within: 100))
        reader.send(["STATE room"])
        #expect(!reader.hasInput(within: 100), "no client learns what a crash could take back")
        #expect(!subscriber.hasInput(within: 10), "subscribers neither")
        daemon.killIt()
        try FileManager.default.removeItem(atPath: gate)
        let next = try RunningDaemon(keepingIn: folder)
        try #require(next.waitUntilUp())
        #expect(try next.ask("STATE room")["state"]?.text == "first")
    }
}

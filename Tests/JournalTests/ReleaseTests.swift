// With `always`, no byte of an answer leaves before what it says is on disk, however the connection ends meanwhile.

import Foundation
import TestSupport
import Testing

@Suite struct `What is not on disk` {
    private static let token = "correct-horse-battery"

    /// How a connection comes to its end while the disk takes nothing.
    enum End: String, CaseIterable, CustomTestStringConvertible {
        case evicted, timedOut, quit, halfClosed, hungUp, tooMuchMemory, daemonEnds

        var testDescription: String { rawValue }
    }

    /// A daemon with a session, how to reach it over TCP, and what it writes to: a disk that blocks, or a database behind a network that does.
    private final class Scene {
        let store: FailingStore
        let daemon: RunningDaemon
        private let port: Int
        /// How many connections there have been, by the log, once all are accepted that the test has made.
        private var expectedArrivals = 0

        convenience init(_ keeping: Keeping = .directory, _ limits: [String] = []) throws {
            try self.init(on: FailingStore(keeping), limits)
        }

        init(on store: FailingStore, _ limits: [String]) throws {
            self.store = store
            daemon = try store.start(
                ["--durability", "always", "--listen", "127.0.0.1:0", "--log", "debug"] + limits.flatMap { ["--limit", $0] },
                environment: ["GAMED_TOKEN": `What is not on disk`.token])
            let listens = try #require(daemon.said.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("127.0.0.1:") })
            port = try #require(Int(listens.drop { $0 != ":" }.dropFirst().prefix { $0.isNumber }))
            #expect(try daemon.ask("NEW room turns").text == "first")
            expectedArrivals = arrivals
            store.isBlocked = true
        }

        func stranger() throws -> TestClient {
            expectedArrivals += 1
            return try TestClient(port: port)
        }

        func client() throws -> TestClient {
            expectedArrivals += 1
            return try daemon.client()
        }

        /// Returns once everything sent before has been read: two clients that connect later, one after the other, have been accepted. The first one
        /// may be accepted before a socket is read that became readable in the same turn.
        func settle() throws {
            for _ in 1...2 {
                let guest = try client()
                #expect(eventually { arrivals >= expectedArrivals })
                withExtendedLifetime(guest) {}
            }
        }

        private var arrivals: Int { daemon.errors.components(separatedBy: " has connected").count }

        /// The state after a crash at this moment.
        func versionAfterCrash() throws -> Int? {
            daemon.killIt()
            try store.recover()
            return try store.start().ask("STATE room")["version"]?.integer
        }
    }

    private static let pipeline = ["AUTH \(token)", "SEND room pass", "RESET"]

    /// Has the connection end, and waits until the daemon has done what it does about that.
    private func bringAbout(_ end: End, _ client: TestClient, _ scene: Scene) throws {
        switch end {
        case .evicted:
            _ = try scene.stranger()
            #expect(scene.daemon.complains("others without a token needed the room"))
        case .timedOut: #expect(scene.daemon.complains("it has not said who it is"))
        case .quit:
            client.send(["QUIT"])
            try scene.settle()
        case .halfClosed:
            client.shutDownWrites()
            try scene.settle()
        case .hungUp:
            client.disconnect()
            try scene.settle()
        case .tooMuchMemory:
            client.send(["AUTH \(Self.token)", "ECHO " + String(repeating: "x", count: 50_000)])
            client.send(["ECHO " + String(repeating: "x", count: 50_000)])
            #expect(scene.daemon.complains("all clients together hold"))
        case .daemonEnds:
            scene.daemon.signal(SIGTERM)
            #expect(scene.daemon.complains("stopping, because of SIGTERM"))
            // By then it has given up on the client that has not read the last output.
            usleep(200_000)
        }
    }

    @Test(arguments: Keeping.each(End.allCases, ofDatabase: { $0 == .evicted || Keeping.isThorough }))
    func `reaches no client, however the connection ends`(keeping: Keeping, end: End) throws {
        let limits = ["strangers=1", end == .timedOut ? "stranger-ms=150" : "stranger-ms=60000", "stop-ms=100"]
        let scene = try Scene(keeping, limits + ["client-bytes=65536"])
        let client = try scene.stranger()
        client.send(Self.pipeline)
        try scene.settle()
        /// Whoever waits for a database too long has lost its lease, and may say so.
        func isSilent() -> Bool {
            let said = client.receivedText()
            return keeping == .directory && end != .daemonEnds ? said == "" : !said.contains("+second")
        }
        #expect(isSilent())
        try bringAbout(end, client, scene)
        if end == .daemonEnds, keeping == .directory {
            let said = client.readToEnd()
            let errors = said.components(separatedBy: "-UNKNOWN this daemon is stopping").count - 1
            #expect(errors == Self.pipeline.count && !said.contains("+"), "\(said)")
        }
        #expect(isSilent(), "\(end): \(client.receivedText())")
        #expect(try scene.versionAfterCrash() == 0, "it would have been a lie")
        #expect(isSilent(), "\(end): \(client.receivedText())")
    }

    @Test func `A reply is sent once its change is on disk, followed by the reason that the connection ends`() throws {
        let scene = try Scene(.directory, ["strangers=1"])
        let client = try scene.stranger()
        client.send(Self.pipeline)
        try scene.settle()
        let other = try scene.stranger()
        #expect(scene.daemon.complains("others without a token needed the room"))
        let quitter = try scene.client()
        quitter.send(["SEND room pass", "QUIT"])
        try scene.settle()
        scene.store.isBlocked = false
        #expect(
            client.readToEnd() == "+OK\r\n+second\r\n+RESET\r\n"
                + "-NOAUTH another connection needed the room: at most 1 may be here without a token\r\n")
        #expect(quitter.readToEnd() == "+first\r\n+OK\r\n")
        #expect(try other.ask("AUTH \(Self.token)").text == "OK", "it is still here")
    }

    @Test func `Changes are written in the order in which they happened, once the disk takes them`() throws {
        let scene = try Scene()
        let client = try scene.client()
        // Each has its own batch; all but the first are written together.
        for _ in 0..<4 {
            client.send(["SEND room pass"])
            try scene.settle()
        }
        scene.store.isBlocked = false
        for state in ["second", "first", "second", "first"] { #expect(try client.next().text == state) }
        #expect(try scene.versionAfterCrash() == 4)
    }

    /// The disk is to blame, and not the client that waits for it.
    @Test func `A client that has sent QUIT waits for its replies, as long as the disk takes`() throws {
        let scene = try Scene(.directory, ["stranger-ms=50"])
        let client = try scene.client()
        client.send(["SEND room pass", "QUIT"])
        // Several times as long as anybody has to read their last answers.
        usleep(300_000)
        #expect(client.receivedText() == "")
        scene.store.isBlocked = false
        #expect(client.readToEnd() == "+second\r\n+OK\r\n")
        #expect(!scene.daemon.errors.contains("it does not read"))
    }

    @Test func `Changes are undone and were never acknowledged if the disk fails and others need the room`() throws {
        let scene = try Scene(.directory, ["strangers=1"])
        let client = try scene.stranger()
        client.send(Self.pipeline)
        try scene.settle()
        _ = try scene.stranger()
        #expect(scene.daemon.complains("others without a token needed the room"))
        try scene.store.fail(.full)
        scene.store.isBlocked = false
        let said = client.readToEnd()
        #expect(!said.contains("+second") && said.contains("-JOURNAL "), "\(said)")
        try scene.store.repair()
    }
}

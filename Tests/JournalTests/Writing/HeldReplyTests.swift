// With `always`, no reply is sent before its change is on disk, however the connection ends meanwhile.

import Foundation
import TestSupport
import Testing

@Suite struct `Replies that wait for the disk` {
    private static let token = "correct-horse-battery"

    /// How a connection ends while the disk is blocked.
    enum End: String, CaseIterable, CustomTestStringConvertible {
        case evicted, timedOut, quit, halfClosed, hungUp, tooMuchMemory, daemonEnds

        var testDescription: String { rawValue }
    }

    /// A daemon with a session, reachable over TCP, whose disk or whose network to the database is blocked.
    private final class Scene {
        let store: FailingStore
        let daemon: RunningDaemon
        private let port: Int
        /// The number of connections in the log once all that the test has made are accepted.
        private var expectedArrivals = 0

        convenience init(_ storeKind: StoreKind = .directory, _ limits: [String] = []) throws {
            try self.init(on: FailingStore(storeKind), limits)
        }

        init(on store: FailingStore, _ limits: [String]) throws {
            self.store = store
            daemon = try store.start(
                ["--durability", "always", "--listen", "127.0.0.1:0", "--log", "debug"] + limits.flatMap { ["--limit", $0] },
                environment: ["GAMED_TOKEN": `Replies that wait for the disk`.token])
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

        private var arrivals: Int { daemon.errors.components(separatedBy: " connected\n").count }

        /// The state after a crash at this moment.
        func versionAfterCrash() throws -> Int? {
            daemon.killIt()
            try store.recover()
            return try store.start().ask("STATE room")["version"]?.integer
        }
    }

    private static let pipeline = ["AUTH \(token)", "SEND room pass", "RESET"]

    /// Ends the connection, and waits until the daemon has handled that.
    private func bringAbout(_ end: End, _ client: TestClient, _ scene: Scene) throws {
        switch end {
        case .evicted:
            _ = try scene.stranger()
            #expect(scene.daemon.complains("newer connections without a token have replaced it"))
        case .timedOut: #expect(scene.daemon.complains("it has not authenticated"))
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
            // By then the daemon has disconnected the client, which has not read the last output.
            usleep(200_000)
        }
    }

    @Test(arguments: StoreKind.each(End.allCases, ofDatabase: { $0 == .evicted || StoreKind.isThorough }))
    func `A change that is not on disk is not acknowledged, however the connection ends`(storeKind: StoreKind, end: End) throws
    {
        let scene = try Scene(storeKind, ["strangers=1", "stranger-ms=60000", "stop-ms=100", "client-bytes=65536"])
        let client = try scene.stranger()
        if end == .timedOut {
            try scene.settle()
            // RESET begins this time; before, the client has the longer one for its requests.
            #expect(try scene.client().ask("CONFIG SET stranger-ms 150").text == "OK")
        }
        client.send(Self.pipeline)
        try scene.settle()
        /// A node that waits for a database too long has lost its lease, and may report that.
        func isSilent() -> Bool {
            let said = client.receivedText()
            return storeKind == .directory && end != .daemonEnds ? said == "" : !said.contains("+second")
        }
        #expect(isSilent())
        try bringAbout(end, client, scene)
        if end == .daemonEnds, storeKind == .directory {
            let said = client.readToEnd()
            let errors = said.components(separatedBy: "-UNKNOWN this daemon is stopping").count - 1
            #expect(errors == Self.pipeline.count && !said.contains("+"), "\(said)")
        }
        #expect(isSilent(), "\(end): \(client.receivedText())")
        #expect(try scene.versionAfterCrash() == 0, "it would have been a lie")
        #expect(isSilent(), "\(end): \(client.receivedText())")
    }

    @Test func `A reply is sent once its change is on disk, and then the reason for the end of the connection`() throws {
        let scene = try Scene(.directory, ["strangers=1"])
        let client = try scene.stranger()
        client.send(Self.pipeline)
        try scene.settle()
        let other = try scene.stranger()
        #expect(scene.daemon.complains("newer connections without a token have replaced it"))
        let quitter = try scene.client()
        quitter.send(["SEND room pass", "QUIT"])
        try scene.settle()
        scene.store.isBlocked = false
        #expect(
            client.readToEnd() == "+OK\r\n+second\r\n+RESET\r\n"
                + "-NOAUTH a newer connection has replaced this one: at most 1 can be open without a token\r\n")
        #expect(quitter.readToEnd() == "+first\r\n+OK\r\n")
        #expect(try other.ask("AUTH \(Self.token)").text == "OK", "it is still here")
    }

    @Test func `Changes are written in their order once the disk accepts writes`() throws {
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

    /// The client waits for the disk, so the daemon does not disconnect it.
    @Test func `A client that has sent QUIT gets its replies, even if the disk is slow`() throws {
        let scene = try Scene(.directory, ["stranger-ms=50"])
        let client = try scene.client()
        client.send(["SEND room pass", "QUIT"])
        // Several times the time that a client has to read its last replies.
        usleep(300_000)
        #expect(client.receivedText() == "")
        scene.store.isBlocked = false
        #expect(client.readToEnd() == "+second\r\n+OK\r\n")
        #expect(!scene.daemon.errors.contains("it does not read"))
    }

    /// Formerly it stayed for the time that a client has to read its last replies, and the log blamed it.
    @Test
    func `A client that ends its connection without a pending reply is gone at once, while the disk has changes of another`()
        throws
    {
        let scene = try Scene(.directory, ["stranger-ms=300"])
        let (writer, leaver) = (try scene.client(), try scene.client())
        try scene.settle()
        writer.send(["SEND room pass"])
        try scene.settle()
        leaver.shutDownWrites()
        #expect(leaver.readToEnd() == "")
        #expect(!scene.daemon.errors.contains("it does not read"))
        scene.store.isBlocked = false
        #expect(try writer.next().text == "second")
    }

    @Test func `An evicted client gets an error for its pending change if the disk fails`() throws {
        let scene = try Scene(.directory, ["strangers=1"])
        let client = try scene.stranger()
        client.send(Self.pipeline)
        try scene.settle()
        _ = try scene.stranger()
        #expect(scene.daemon.complains("newer connections without a token have replaced it"))
        try scene.store.fail(.full)
        scene.store.isBlocked = false
        let said = client.readToEnd()
        #expect(!said.contains("+second") && said.contains("-JOURNAL "), "\(said)")
        try scene.store.repair()
    }
}

// Signals that stop the daemon.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct `A stop by a signal` {
    @Test func `All requests sent before the signal are answered`() throws {
        let daemon = try RunningDaemon.virtual()
        let wire = try TestClient(daemon.socketPath)
        wire.send(String(repeating: "ECHO hello\r\n", count: 2_000))
        #expect(wire.read(11) == "$5\r\nhello\r\n")
        daemon.signal(SIGTERM)
        #expect(wire.readToEnd() == String(repeating: "$5\r\nhello\r\n", count: 1_999))
        #expect(daemon.waitForEnd().status == 0)
        #expect(!FileManager.default.fileExists(atPath: daemon.socketPath))
    }

    @Test func `A client that does not read cannot delay a stop beyond its time limit`() throws {
        let daemon = try RunningDaemon.virtual(["--limit", "stop-ms=400"])
        let deaf = try TestClient(daemon.socketPath)
        let sender = Thread { deaf.send(String(repeating: "DESCRIBE game\r\n", count: 10_000)) }
        sender.start()
        try transcript("> PING\n< +PONG", to: daemon)
        let start = ContinuousClock.now
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd().status == 0)
        #expect(ContinuousClock.now - start < .seconds(8))
        #expect(!FileManager.default.fileExists(atPath: daemon.socketPath))
        deaf.disconnect()
    }

    @Test(arguments: [SIGUSR1, SIGUSR2, SIGPIPE])
    func `A signal that others send to each daemon does not end it`(number: Int32) throws {
        let daemon = try RunningDaemon.virtual()
        daemon.signal(number)
        try transcript("> PING\n< +PONG", to: daemon)
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd().status == 0)
    }

    /// Returns a client that reads nothing, and whose requests the daemon does not read any more. Before that, the client could
    /// be answered in full and disconnected.
    private func suspendedClient(of daemon: RunningDaemon) throws -> TestClient {
        let (deaf, other) = (try daemon.client(), try daemon.client())
        // Few enough lines that all of them are sent, or none.
        let lines = String(repeating: "DESCRIBE game\r\n", count: 64)
        var refusals = 0
        // Between two tries the daemon has a turn, in which it reads what it will.
        let isSuspended = try eventually {
            refusals = deaf.sendWhatIsTaken(lines) == 0 ? refusals + 1 : 0
            return try other.ask("PING").text == "PONG" && refusals == 3
        }
        try #require(isSuspended)
        return deaf
    }

    @Test func `A second signal ends a stopping daemon at once`() throws {
        let daemon = try RunningDaemon.virtual(["--limit", "stop-ms=600000", "--log", "info"])
        let deaf = try suspendedClient(of: daemon)
        daemon.signal(SIGTERM)
        #expect(daemon.complains("stopping, because of SIGTERM"))
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd().status == 0)
        deaf.disconnect()
    }

    @Test func `A stopping daemon accepts no clients and leaves its socket path to a successor`() throws {
        let daemon = try RunningDaemon.virtual(["--limit", "stop-ms=600000", "--log", "info"])
        let deaf = try suspendedClient(of: daemon)
        daemon.signal(SIGTERM)
        #expect(daemon.complains("stopping, because of SIGTERM"))
        #expect(!FileManager.default.fileExists(atPath: daemon.socketPath))
        // A successor may listen already; the first daemon does not remove the successor's socket.
        let next = try RunningDaemon(["--socket", daemon.socketPath], in: daemon.folder.appending(path: "next"))
        #expect(next.readLine()?.contains("listens at") == true)
        deaf.disconnect()
        #expect(daemon.waitForEnd().status == 0)
        _ = try TestClient(daemon.socketPath)
    }
}

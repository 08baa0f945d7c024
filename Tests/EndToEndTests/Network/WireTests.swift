// Requests and replies over a real socket. Tests/CommandsTests/CommandTests.swift tests the reply of each command.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct `A daemon on the wire` {

    @Test func `An HTTP request ends the connection silently, a protocol error with a reason`() throws {
        let daemon = try RunningDaemon.virtual()
        for (bytes, answer) in [
            ("POST / HTTP/1.1\r\nHost: localhost\r\n\r\nSEND room pass\r\n", ""),
            ("*1\r\n!4\r\nPING\r\n", "-ERR Protocol error: expected '$', got '!'\r\n"),
            ("*99999999999\r\n", "-ERR Protocol error: invalid multibulk length\r\n"),
            (
                "SEND room 'pass\r\n",
                "-ERR Protocol error: unbalanced quotes in request: close each quote, add a blank after it, and put JSON in single quotes, '{\"a\":1}'\r\n"
            ),
            (String(repeating: "x", count: 70_000), "-ERR Protocol error: too big inline request\r\n"),
        ] {
            let wire = try TestClient(daemon.socketPath)
            wire.send(bytes)
            #expect(wire.readToEnd() == answer)
        }
        try transcript("> PING\n< +PONG", to: daemon)
    }

    @Test func `A client that never reads neither blocks other clients nor fills the daemon's memory`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"], unprobed: "it waits until the daemon is idle")
        let deaf = try TestClient(daemon.socketPath)
        let request = String(repeating: "DESCRIBE game\r\n", count: 1_000)
        let sender = Thread { for _ in 0..<200 { deaf.send(request) } }
        sender.start()
        try transcript("> SEND room pass\n< +second", to: daemon)
        try transcript("> ADVANCE 30s\n< :1", to: daemon)
        // Once the daemon is idle, it has read only a part of the requests and holds little memory.
        var (before, isQuiet) = (try daemon.status("voluntary_ctxt_switches"), false)
        for _ in 0..<50 where !isQuiet {
            Thread.sleep(forTimeInterval: 0.2)
            let after = try daemon.status("voluntary_ctxt_switches")
            (isQuiet, before) = (after == before, after)
        }
        #expect(isQuiet && !sender.isFinished)
        if !isSanitized { #expect(try daemon.status("VmRSS") < 60_000) }
        deaf.disconnect()
    }

    @Test func `ADVANCE over 20,000 days of ticks does not block other clients`() throws {
        let daemon = try RunningDaemon.virtual()
        let wire = try TestClient(daemon.socketPath)
        wire.send(
            "NEW a game '{\"state\":\"playingLevel\",\"episode\":1,\"level\":1,\"play\":{\"seconds\":0}}'\r\nEXTEND a timeLimit 20000d\r\n"
        )
        #expect(wire.read(15 + 16) == "+playingLevel\r\n:1728000120000\r\n")
        let other = try TestClient(daemon.socketPath)
        wire.send("ADVANCE 20000d\r\n")
        other.send("PING\r\n")
        #expect(other.read(7) == "+PONG\r\n")
    }

    @Test func `A daemon out of descriptors waits without spinning, and serves a client once others leave`() throws {
        let daemon = try RunningDaemon(maxDescriptors: 24, unprobed: "it waits until the daemon is idle, out of descriptors")
        _ = daemon.readLine()
        var early = try (0..<35).map { _ in try TestClient(daemon.socketPath) }
        let late = try TestClient(daemon.socketPath)
        early[0].send("PING\r\n")
        #expect(early[0].read(7) == "+PONG\r\n")
        var (before, quiet) = (try daemon.status("voluntary_ctxt_switches"), false)
        for _ in 0..<5 where !quiet {
            Thread.sleep(forTimeInterval: 0.2)
            let after = try daemon.status("voluntary_ctxt_switches")
            (quiet, before) = (after == before, after)
        }
        #expect(quiet, "the loop was woken in each interval")
        late.send("PING\r\n")
        early = []
        #expect(late.read(7) == "+PONG\r\n")
        #expect(early.isEmpty)
    }

    @Test func `A pending reply is sent before the daemon ends`() throws {
        let daemon = try RunningDaemon.virtual()
        let wire = try TestClient(daemon.socketPath)
        // The reply exceeds the socket buffers, so most of it is unsent when its first bytes are read.
        let text = String(repeating: "x", count: 4_000_000)
        wire.send("*2\r\n$4\r\nECHO\r\n$4000000\r\n\(text)\r\n")
        #expect(wire.read(10) == "$4000000\r\n")
        daemon.signal(SIGTERM)
        let rest = wire.readToEnd()
        #expect(rest.utf8.count == text.utf8.count + 2 && rest == text + "\r\n")
        #expect(daemon.waitForEnd().status == 0)
    }
}

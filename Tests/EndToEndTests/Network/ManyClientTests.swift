// Slow, greedy, broken or many clients do not harm other clients.

import Foundation
import Testing
import TestSupport

@Suite(.serialized) struct `A daemon with many clients` {
    @Test func `A subscriber that does not read is disconnected, and other clients are not`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns", "--limit", "output-bytes=200k"])
        let deaf = try TestClient(daemon.socketPath)
        deaf.send("HELLO 3\r\nSUBSCRIBE session:room\r\n")
        #expect(deaf.read(1) == "%")
        let player = try TestClient(daemon.socketPath)
        for _ in 0..<20 {
            player.send(String(repeating: "SEND room pass\r\n", count: 500))
            #expect(player.read(250 * 17) == String(repeating: "+second\r\n+first\r\n", count: 250))
        }
        #expect(daemon.complains("notice: disconnected unix:user=\(geteuid()),process="))
        #expect(daemon.errors.contains("it does not read its replies"))
        // The client reads a part of its messages and then the end of the connection.
        #expect(deaf.readToEnd().utf8.count < 1_500_000)
    }

    private func info(_ name: String, _ wire: TestClient) throws -> Int {
        wire.send("INFO\r\n")
        let length = try #require(Int(wire.readLine().dropFirst()))
        let text = wire.read(length + 2)
        let field = try #require(text.split(separator: "\r\n").first { $0.hasPrefix(name + ":") })
        return try #require(Int(field.dropFirst(name.utf8.count + 1)))
    }

    @Test func `Requests of one client are answered in order over many turns`() throws {
        let daemon = try RunningDaemon.virtual()
        let wire = try TestClient(daemon.socketPath)
        // The replies exceed the unread output at which a client's requests wait.
        let numbers = 0..<120_000
        let sender = Thread {
            wire.send(numbers.map { "ECHO \($0)\r\n" }.joined() + "QUIT\r\n")
        }
        sender.start()
        let expected = numbers.map { "$\(String($0).utf8.count)\r\n\($0)\r\n" }.joined() + "+OK\r\n"
        #expect(wire.readToEnd() == expected)
    }

    @Test func `Slow clients and half-sent requests do not delay other clients`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        let halfOpen = try (0..<50).map { _ in try TestClient(daemon.socketPath) }
        for wire in halfOpen { wire.send("*3\r\n$4\r\nSEND\r\n$4\r\nro") }
        let slow = try TestClient(daemon.socketPath)
        for byte in Array("*3\r\n$4\r\nSEND\r\n$4\r\nroom\r\n$4\r\npa".utf8) {
            slow.send([byte])
            try transcript("> PING\n< +PONG", to: daemon)
        }
        slow.send("ss\r\n")
        #expect(slow.read(9) == "+second\r\n")
        for wire in halfOpen { wire.send("om\r\n$4\r\npass\r\n") }
        for (number, wire) in halfOpen.enumerated() {
            #expect(wire.read(1) == "+")
            #expect(wire.read(7).hasPrefix(number.isMultiple(of: 2) ? "first" : "second"))
        }
    }

    @Test func `A client that closes its sending half is still answered`() throws {
        let daemon = try RunningDaemon.virtual()
        let wire = try TestClient(daemon.socketPath)
        wire.send(String(repeating: "DESCRIBE game\r\n", count: 3_000))
        wire.shutDownWrites()
        #expect(wire.readToEnd().components(separatedBy: "displayHelp").count > 3_000)
    }

    @Test func `A connection above the limit is refused with an error message`() throws {
        let daemon = try RunningDaemon.virtual(["--limit", "connections=3"], unprobed: "it uses all connections")
        var wires = try (0..<3).map { _ in try TestClient(daemon.socketPath) }
        for wire in wires {
            wire.send("PING\r\n")
            #expect(wire.read(7) == "+PONG\r\n")
        }
        #expect(
            try TestClient(daemon.socketPath).readToEnd()
                == "-LIMIT limit of 3 connections reached; CONFIG SET connections N changes this limit, and so does the daemon's option --limit connections=N\r\n"
        )
        wires[0].send("CONFIG SET connections 4\r\n")
        #expect(wires[0].read(5) == "+OK\r\n")
        try transcript("> PING\n< +PONG", to: daemon)
        wires = []
    }

    @Test func `Idle connections hold no buffers`() throws {
        let daemon = try RunningDaemon.virtual(["--limit", "connections=1000"])
        let watcher = try TestClient(daemon.socketPath)
        let before = try memory(of: watcher)
        let wires = try (0..<400).map { _ in try TestClient(daemon.socketPath) }
        for wire in wires {
            wire.send(String(repeating: "DESCRIBE game\r\n", count: 8))
            _ = wire.read(8 * 100)
        }
        // Each connection was sent kilobytes. The daemon frees the remaining buffers some seconds later.
        var each = Int.max
        for _ in 0..<150 where each >= 4_000 {
            Thread.sleep(forTimeInterval: 0.1)
            each = (try memory(of: watcher) - before) / wires.count
        }
        #expect(each < 4_000, "a connection at rest holds \(each) bytes")
    }

    private func memory(of wire: TestClient) throws -> Int {
        try info("used_memory", wire)
    }
}

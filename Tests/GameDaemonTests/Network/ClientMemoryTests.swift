// The limit on the memory of all clients together.

import Glibc
import Testing
@testable import Commands
@testable import GameDaemon
@testable import Network

@Suite struct `The memory of all clients` {
    private func info(_ name: String, _ bench: Bench) throws -> Int {
        let reply = try #require(LocalClient(of: bench.daemon.host).run(["INFO"]).last?.text)
        let line = try #require(reply.split(separator: "\r\n").first { $0.hasPrefix(name + ":") })
        return try #require(Int(line.dropFirst(name.utf8.count + 1)))
    }

    @Test func `The memory of all clients is counted while they are connected, and is zero after they disconnect`() throws {
        let bench = try Bench()
        let plugs = try (0..<20).map { _ in try bench.plug() }
        #expect(bench.daemon.connections.bytes == 0)
        for plug in plugs { plug.send("*2\r\n$4\r\nECHO\r\n$50000\r\n" + String(repeating: "x", count: 40_000)) }
        try bench.turn(2)
        #expect(bench.daemon.connections.bytes >= 20 * 40_000)
        #expect(try info("client_memory", bench) == bench.daemon.connections.bytes)
        #expect(try info("client_memory_limit", bench) == 128 << 20)
        for plug in plugs { plug.send(String(repeating: "x", count: 10_002)) }
        try bench.turn(2)
        for plug in plugs { #expect(plug.read()?.utf8.count == 50_000 + 10) }
        try bench.turn(2)
        #expect(bench.daemon.connections.bytes <= 20 * 20_000, "only buffers kept for reuse")
        for plug in plugs { plug.hangUp() }
        try bench.turn(2)
        #expect(bench.daemon.connections.bytes == 0 && bench.daemon.connections.count == 0)
    }

    @Test func `Above the client memory limit, only the client that uses most is disconnected`() throws {
        let bench = try Bench { $0.clientBytes = 1 << 20 }
        let small = try (0..<10).map { _ in try bench.plug() }
        for plug in small { plug.send("*2\r\n$4\r\nECHO\r\n$50000\r\n" + String(repeating: "x", count: 30_000)) }
        let greedy = try bench.plug()
        for _ in 0..<40 where greedy.read() != nil {
            greedy.send("*2\r\n$4\r\nECHO\r\n$5000000\r\n" + String(repeating: "x", count: 30_000))
            try bench.turn()
            #expect(bench.daemon.connections.bytes <= 1 << 20)
        }
        #expect(greedy.read() == nil)
        #expect(try info("cut_off_for_memory", bench) == 1)
        #expect(try info("cut_off_clients", bench) == 1)
        for plug in small { plug.send(String(repeating: "x", count: 20_002)) }
        try bench.turn(3)
        for plug in small { #expect(plug.read()?.utf8.count == 50_000 + 10) }
    }

    @Test func `EXEC executes all its commands even if its client is disconnected for memory meanwhile`() throws {
        let bench = try Bench { $0.clientBytes = 1 << 20 }
        let greedy = try bench.plug()
        // Short requests with long replies. The first message triggers a memory check during EXEC; later commands still take effect.
        let docs = String(repeating: "COMMAND DOCS\r\n", count: 60)
        let passes = String(repeating: "SEND room pass\r\n", count: 5)
        greedy.send("NEW room turns\r\nMULTI\r\n\(docs)SUBSCRIBE session:room\r\n\(passes)EXEC\r\nPING\r\n")
        try bench.turn(4)
        #expect(try info("cut_off_for_memory", bench) == 1)
        #expect(bench.daemon.sessions["room"]?.version == 5, "EXEC had started, so all its commands take effect")
        #expect(bench.daemon.connections.bytes <= 1 << 20)
        let other = try bench.plug()
        other.send("PING\r\n")
        try bench.turn(2)
        #expect(other.read() == "+PONG\r\n")
    }

    @Test func `A client that alone exceeds the client memory limit is disconnected`() throws {
        let bench = try Bench { $0.clientBytes = 100_000 }
        let plug = try bench.plug()
        plug.send("*2\r\n$4\r\nECHO\r\n$5000000\r\n")
        for _ in 0..<20 where plug.read() != nil {
            plug.send(String(repeating: "x", count: 20_000))
            try bench.turn()
        }
        #expect(plug.read() == nil && bench.daemon.connections.bytes == 0)
    }

    @Test func `The memory of all clients stays within its limit with 400 incomplete requests`() throws {
        let bench = try Bench { $0.clientBytes = 4 << 20 }
        var plugs: [Plug] = []
        for _ in 0..<400 {
            let plug = try bench.plug()
            plug.send("*2\r\n$4\r\nECHO\r\n$50000\r\n" + String(repeating: "x", count: 30_000))
            try bench.turn()
            plugs.append(plug)
            #expect(bench.daemon.connections.bytes <= 4 << 20)
        }
        #expect((100...140).contains(bench.daemon.connections.count), "as many as fit: \(bench.daemon.connections.count)")
        try bench.turn()
        #expect(plugs.count { $0.read() != nil } == bench.daemon.connections.count)
    }

    @Test func `The memory of all clients includes the words of an incomplete request`() throws {
        let bench = try Bench()
        let plug = try bench.plug()
        let words = String(repeating: "$1\r\nx\r\n", count: 20_000)
        plug.send("*60000\r\n" + words)
        try bench.turn(4)
        #expect(bench.daemon.connections.bytes >= words.utf8.count + 20_000 * 16)
    }

    @Test(arguments: ["SUBSCRIBE", "PSUBSCRIBE"]) func `The memory of all clients includes subscriptions until they end`(
        word: String
    )
        throws
    {
        let bench = try Bench { $0.subscriptions = 100_000 }
        let plug = try bench.plug()
        let padding = String(repeating: "a", count: 200)
        for number in 0..<2_000 {
            plug.send("\(word) session:\(padding)\(number)\r\n")
            try bench.turn()
            _ = plug.read()
        }
        // Measured: 237 bytes and the name, as often as it is kept.
        #expect(bench.daemon.connections.bytes > 2_000 * 400)
        plug.send("\(word == "SUBSCRIBE" ? "UNSUBSCRIBE" : "PUNSUBSCRIBE")\r\n")
        for _ in 0..<50 {
            try bench.turn()
            _ = plug.read()
        }
        #expect(bench.daemon.connections.bytes < 50_000)
    }

    @Test func `Above the client memory limit, subscribers that do not read are disconnected, not players`() throws {
        let bench = try Bench { $0.clientBytes = 1 << 20 }
        try bench.daemon.begin("a", flow: "turns")
        let deaf = try (0..<5).map { _ in try bench.plug() }
        for plug in deaf { plug.send("HELLO 3\r\nSUBSCRIBE session:a\r\n") }
        let player = try bench.plug()
        try bench.turn(2)
        for _ in 0..<600 {
            player.send(String(repeating: "SEND a pass\r\n", count: 10))
            try bench.turn()
            #expect(player.read()?.hasPrefix("+second\r\n+first\r\n") == true)
            #expect(bench.daemon.connections.bytes <= 1 << 20)
        }
        #expect(bench.daemon.connections.counts.cutOffForMemory > 0)
        #expect(try info("connected_clients", bench) < 6)
    }

    /// One ADVANCE can fire any number of timers within a turn.
    @Test func `The limit on the memory of all clients holds in the middle of a turn`() throws {
        let bench = try Bench {
            $0.clientBytes = 1 << 20
            $0.outputBytes = 1 << 30
        }
        for number in 0..<50 { try bench.daemon.begin("session-\(number)", flow: "turns") }
        let deaf = try (0..<2).map { _ in try bench.plug() }
        for plug in deaf { plug.send("PSUBSCRIBE session:*\r\n") }
        try bench.turn()
        let master = try bench.plug()
        master.send("MULTI\r\nADVANCE 3h\r\nEXEC\r\n")
        try bench.turn()
        #expect(bench.daemon.connections.bytes <= 1 << 20)
        #expect(master.read()?.hasPrefix("+OK\r\n+QUEUED\r\n*1\r\n-LIMIT") == true)
        #expect(bench.daemon.connections.count == 1)
    }

    @Test func `Idle buffers are freed before a client is disconnected for memory`() throws {
        let bench = try Bench { $0.clientBytes = 65_536 }
        let plugs = try (0..<40).map { _ in try bench.plug() }
        for _ in 0..<3 {
            for plug in plugs {
                plug.send("ECHO " + String(repeating: "x", count: 5_000) + "\r\n")
                try bench.turn()
                #expect(plug.read()?.utf8.count == 5_009)
            }
        }
        #expect(bench.daemon.connections.count == 40)
        #expect(bench.daemon.connections.counts.cutOff == 0)
    }

    @Test func `Lowering client-bytes disconnects clients at once until the others fit`() throws {
        let bench = try Bench()
        let plugs = try (0..<20).map { _ in try bench.plug() }
        for plug in plugs { plug.send("*2\r\n$4\r\nECHO\r\n$50000\r\n" + String(repeating: "x", count: 40_000)) }
        try bench.turn(2)
        let master = try bench.plug()
        master.send("CONFIG SET client-bytes 200000\r\n")
        try bench.turn()
        #expect(master.read() == "+OK\r\n")
        #expect(bench.daemon.connections.bytes <= 200_000)
        #expect((3...5).contains(bench.daemon.connections.count))
    }
}

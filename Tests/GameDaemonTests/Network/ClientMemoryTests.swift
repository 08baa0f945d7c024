// The limit on the memory of all clients together.

import Glibc
import Testing
@testable import Commands
@testable import GameDaemon
@testable import Network

@Suite struct `The memory of all clients` {
    private func info(_ name: String, _ stepped: SteppedDaemon) throws -> Int {
        let reply = try #require(LocalClient(of: stepped.daemon.host).run(["INFO"]).last?.text)
        let line = try #require(reply.split(separator: "\r\n").first { $0.hasPrefix(name + ":") })
        return try #require(Int(line.dropFirst(name.utf8.count + 1)))
    }

    @Test func `The memory of all clients is counted while they are connected, and is zero after they disconnect`() throws {
        let stepped = try SteppedDaemon()
        let clients = try (0..<20).map { _ in try stepped.connect() }
        #expect(stepped.daemon.connections.bytes == 0)
        for client in clients { client.send("*2\r\n$4\r\nECHO\r\n$50000\r\n" + String(repeating: "x", count: 40_000)) }
        try stepped.turn(2)
        #expect(stepped.daemon.connections.bytes >= 20 * 40_000)
        #expect(try info("client_memory", stepped) == stepped.daemon.connections.bytes)
        #expect(try info("client_memory_limit", stepped) == 128 << 20)
        for client in clients { client.send(String(repeating: "x", count: 10_002)) }
        try stepped.turn(2)
        for client in clients { #expect(client.read()?.utf8.count == 50_000 + 10) }
        try stepped.turn(2)
        #expect(stepped.daemon.connections.bytes <= 20 * 20_000, "only buffers kept for reuse")
        for client in clients { client.hangUp() }
        try stepped.turn(2)
        #expect(stepped.daemon.connections.bytes == 0 && stepped.daemon.connections.count == 0)
    }

    @Test func `Above the client memory limit, only the client that uses most is disconnected`() throws {
        let stepped = try SteppedDaemon { $0.clientBytes = 1 << 20 }
        let small = try (0..<10).map { _ in try stepped.connect() }
        for client in small { client.send("*2\r\n$4\r\nECHO\r\n$50000\r\n" + String(repeating: "x", count: 30_000)) }
        let greedy = try stepped.connect()
        for _ in 0..<40 where greedy.read() != nil {
            greedy.send("*2\r\n$4\r\nECHO\r\n$5000000\r\n" + String(repeating: "x", count: 30_000))
            try stepped.turn()
            #expect(stepped.daemon.connections.bytes <= 1 << 20)
        }
        #expect(greedy.read() == nil)
        #expect(try info("cut_off_for_memory", stepped) == 1)
        #expect(try info("cut_off_clients", stepped) == 1)
        for client in small { client.send(String(repeating: "x", count: 20_002)) }
        try stepped.turn(3)
        for client in small { #expect(client.read()?.utf8.count == 50_000 + 10) }
    }

    @Test(arguments: ["SUBSCRIBE session:room", "PSUBSCRIBE session:*"])
    func `A message that disconnects some of its subscribers for memory reaches the others`(subscribe: String) throws {
        let stepped = try SteppedDaemon()
        let sender = try stepped.connect()
        sender.send("NEW room turns\r\n")
        // Those with the most memory are disconnected, wherever they are in the order of sending.
        let readers = try (0..<16).map { number in
            let reader = try stepped.connect()
            let more = (0..<8 * number).map { " session:\(number)-\($0)" }.joined()
            reader.send("HELLO 3\r\n\(subscribe)\r\nSUBSCRIBE session:other\(more)\r\n")
            return reader
        }
        try stepped.turn(3)
        for reader in readers { _ = reader.read() }
        stepped.daemon.host.limits.clientBytes = stepped.daemon.connections.bytes + 4_096
        sender.send(String(repeating: "SEND room pass\r\n", count: 200))
        try stepped.turn(10)
        #expect(try info("cut_off_for_memory", stepped) > 0)
        #expect(readers.contains { $0.read()?.contains("\"version\":200,") == true })
        #expect(sender.read()?.hasSuffix("+first\r\n") == true)
    }

    @Test func `EXEC executes all its commands even if its client is disconnected for memory meanwhile`() throws {
        let stepped = try SteppedDaemon { $0.clientBytes = 1 << 17 }
        let greedy = try stepped.connect()
        // Short requests with long replies, as few as EXEC answers however slow the machine is. The first message triggers a memory check during
        // EXEC; later commands still take effect.
        let docs = String(repeating: "COMMAND DOCS\r\n", count: 16)
        let passes = String(repeating: "SEND room pass\r\n", count: 5)
        greedy.send("NEW room turns\r\nMULTI\r\n\(docs)SUBSCRIBE session:room\r\n\(passes)EXEC\r\nPING\r\n")
        try stepped.turn(4)
        #expect(try info("cut_off_for_memory", stepped) == 1)
        #expect(stepped.daemon.sessions["room"]?.version == 5, "EXEC had started, so all its commands take effect")
        #expect(stepped.daemon.connections.bytes <= 1 << 17)
        let other = try stepped.connect()
        other.send("PING\r\n")
        try stepped.turn(2)
        #expect(other.read() == "+PONG\r\n")
    }

    @Test func `A client that alone exceeds the client memory limit is disconnected`() throws {
        let stepped = try SteppedDaemon { $0.clientBytes = 100_000 }
        let client = try stepped.connect()
        client.send("*2\r\n$4\r\nECHO\r\n$5000000\r\n")
        for _ in 0..<20 where client.read() != nil {
            client.send(String(repeating: "x", count: 20_000))
            try stepped.turn()
        }
        #expect(client.read() == nil && stepped.daemon.connections.bytes == 0)
    }

    @Test func `The memory of all clients stays within its limit with 400 incomplete requests`() throws {
        let stepped = try SteppedDaemon { $0.clientBytes = 4 << 20 }
        var clients: [SteppedClient] = []
        for _ in 0..<400 {
            let client = try stepped.connect()
            client.send("*2\r\n$4\r\nECHO\r\n$50000\r\n" + String(repeating: "x", count: 30_000))
            try stepped.turn()
            clients.append(client)
            #expect(stepped.daemon.connections.bytes <= 4 << 20)
        }
        #expect((100...140).contains(stepped.daemon.connections.count), "as many as fit: \(stepped.daemon.connections.count)")
        try stepped.turn()
        #expect(clients.count { $0.read() != nil } == stepped.daemon.connections.count)
    }

    @Test func `The memory of all clients includes the words of an incomplete request`() throws {
        let stepped = try SteppedDaemon()
        let client = try stepped.connect()
        let words = String(repeating: "$1\r\nx\r\n", count: 20_000)
        client.send("*60000\r\n" + words)
        try stepped.turn(4)
        #expect(stepped.daemon.connections.bytes >= words.utf8.count + 20_000 * 16)
    }

    @Test(arguments: ["SUBSCRIBE", "PSUBSCRIBE"]) func `The memory of all clients includes subscriptions until they end`(
        word: String
    )
        throws
    {
        let stepped = try SteppedDaemon { $0.subscriptions = 100_000 }
        let client = try stepped.connect()
        let padding = String(repeating: "a", count: 200)
        for number in 0..<2_000 {
            client.send("\(word) session:\(padding)\(number)\r\n")
            try stepped.turn()
            _ = client.read()
        }
        // Measured: 237 bytes and the name, as often as it is kept.
        #expect(stepped.daemon.connections.bytes > 2_000 * 400)
        client.send("\(word == "SUBSCRIBE" ? "UNSUBSCRIBE" : "PUNSUBSCRIBE")\r\n")
        for _ in 0..<50 {
            try stepped.turn()
            _ = client.read()
        }
        #expect(stepped.daemon.connections.bytes < 50_000)
    }

    @Test func `Above the client memory limit, subscribers that do not read are disconnected, not players`() throws {
        let stepped = try SteppedDaemon { $0.clientBytes = 1 << 20 }
        try stepped.daemon.begin("a", flow: "turns")
        let deaf = try (0..<5).map { _ in try stepped.connect() }
        for client in deaf { client.send("HELLO 3\r\nSUBSCRIBE session:a\r\n") }
        let player = try stepped.connect()
        try stepped.turn(2)
        for _ in 0..<600 {
            player.send(String(repeating: "SEND a pass\r\n", count: 10))
            try stepped.turn()
            #expect(player.read()?.hasPrefix("+second\r\n+first\r\n") == true)
            #expect(stepped.daemon.connections.bytes <= 1 << 20)
        }
        #expect(stepped.daemon.connections.counts.cutOffForMemory > 0)
        #expect(try info("connected_clients", stepped) < 6)
    }

    /// One ADVANCE can fire any number of timers within a turn.
    @Test func `The limit on the memory of all clients holds in the middle of a turn`() throws {
        let stepped = try SteppedDaemon {
            $0.clientBytes = 1 << 20
            $0.outputBytes = 1 << 30
        }
        for number in 0..<50 { try stepped.daemon.begin("session-\(number)", flow: "turns") }
        let deaf = try (0..<2).map { _ in try stepped.connect() }
        for client in deaf { client.send("PSUBSCRIBE session:*\r\n") }
        try stepped.turn()
        let master = try stepped.connect()
        master.send("MULTI\r\nADVANCE 3h\r\nEXEC\r\n")
        try stepped.turn()
        #expect(stepped.daemon.connections.bytes <= 1 << 20)
        #expect(master.read()?.hasPrefix("+OK\r\n+QUEUED\r\n*1\r\n-LIMIT") == true)
        #expect(stepped.daemon.connections.count == 1)
    }

    @Test func `Idle buffers are freed before a client is disconnected for memory`() throws {
        let stepped = try SteppedDaemon { $0.clientBytes = 65_536 }
        let clients = try (0..<40).map { _ in try stepped.connect() }
        for _ in 0..<3 {
            for client in clients {
                client.send("ECHO " + String(repeating: "x", count: 5_000) + "\r\n")
                try stepped.turn()
                #expect(client.read()?.utf8.count == 5_009)
            }
        }
        #expect(stepped.daemon.connections.count == 40)
        #expect(stepped.daemon.connections.counts.cutOff == 0)
    }

    @Test func `Bytes of clients over HTTP count in the same bound, of which sockets keep half`() throws {
        let stepped = try SteppedDaemon()
        let clients = try (0..<20).map { _ in try stepped.connect() }
        for client in clients { client.send("*2\r\n$4\r\nECHO\r\n$50000\r\n" + String(repeating: "x", count: 40_000)) }
        try stepped.turn(2)
        let connections = stepped.daemon.connections
        let before = connections.bytes
        stepped.daemon.host.limits.clientBytes = before + 100_000
        connections.applyLimits()
        connections.share(withHTTP: 100_000)
        #expect(connections.bytes == before && connections.statistics.bytes == before + 100_000)
        connections.share(withHTTP: 200_000)
        #expect(connections.bytes <= before - 100_000 && connections.count > 15)
        connections.share(withHTTP: 1 << 40)
        let half = (before + 100_000) / 2
        #expect((half - 100_000...half).contains(connections.bytes), "\(connections.bytes)")
        var limits = Limits()
        limits.clientBytes = 1_000
        #expect([0, 400, 600, 1 << 40].map(limits.clientBytes(besides:)) == [1_000, 600, 500, 500])
        withExtendedLifetime(clients) {}
    }

    @Test func `Lowering client-bytes disconnects clients at once until the others fit`() throws {
        let stepped = try SteppedDaemon()
        let clients = try (0..<20).map { _ in try stepped.connect() }
        for client in clients { client.send("*2\r\n$4\r\nECHO\r\n$50000\r\n" + String(repeating: "x", count: 40_000)) }
        try stepped.turn(2)
        let master = try stepped.connect()
        master.send("CONFIG SET client-bytes 200000\r\n")
        try stepped.turn()
        #expect(master.read() == "+OK\r\n")
        #expect(stepped.daemon.connections.bytes <= 200_000)
        #expect((3...5).contains(stepped.daemon.connections.count))
    }
}

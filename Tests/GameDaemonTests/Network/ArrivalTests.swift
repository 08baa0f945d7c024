// Input of several connections in one turn, which is answered together.

import Seeds
import Testing
@testable import Commands
@testable import GameDaemon
@testable import Network

@Suite struct `Input of many connections in one turn` {
    @Test func `Requests of 100 connections get one reply each, in order of arrival`() throws {
        let stepped = try SteppedDaemon()
        try stepped.daemon.begin("room", flow: "turns")
        let clients = try (0..<100).map { _ in try stepped.connect() }
        for _ in 0..<3 {
            for client in clients { client.send("SEND room pass\r\n") }
            // libevent asks for 32 descriptors at once, and for more after a turn in which all of them were ready.
            try stepped.turn(4)
            let replies = clients.map { $0.read() ?? "" }
            #expect(replies == (0..<100).map { $0 % 2 == 0 ? "+second\r\n" : "+first\r\n" })
        }
    }

    @Test func `A request that arrives alone goes to the session that it names, whatever came in the turn before`() throws {
        let stepped = try SteppedDaemon()
        for name in ["a", "b", "c"] { try stepped.daemon.begin(name, flow: "turns") }
        let clients = try (0..<3).map { _ in try stepped.connect() }
        for (client, name) in zip(clients, ["a", "b", "c"]) { client.send("SEND \(name) pass\r\n") }
        try stepped.turn()
        #expect(clients.map { $0.read() } == ["+second\r\n", "+second\r\n", "+second\r\n"])
        clients[2].send("SEND c pass\r\n")
        try stepped.turn()
        #expect(clients[2].read() == "+first\r\n")
        let states = try ["a", "b", "c"].map { try #require(stepped.daemon.host.sessions[$0]).stateName }
        #expect(states == ["second", "second", "first"])
        clients[1].send("SEND b pass\r\nSEND c pass\r\n")
        try stepped.turn()
        #expect(clients[1].read() == "+first\r\n+second\r\n")
    }

    /// Each client has a session of its own, so that its replies do not depend on the others.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `Requests that arrive in pieces among those of other connections get the replies that they get alone`(seed: UInt64)
        throws
    {
        var random = SeededGenerator.announced("pieces of requests", seed: seed)
        let stepped = try SteppedDaemon()
        var streams = (0..<40).map { number in
            ClientStream((0..<30).map { _ in Self.request(of: number, &random) }, number)
        }
        let clients = try streams.map { _ in try stepped.connect() }
        var replies = streams.map { _ in "" }
        while streams.contains(where: { !$0.isSent }) {
            // All at once, some, or one.
            let share = [1, 4, 40].randomElement(using: &random) ?? 1
            for (number, client) in clients.enumerated() where Int.random(in: 0..<share, using: &random) == 0 {
                streams[number].sendPiece(to: client, &random)
            }
            try stepped.turn(Int.random(in: 0...2, using: &random))
            for (number, client) in clients.enumerated() { replies[number] += client.read() ?? "closed" }
        }
        try stepped.turn(4)
        for (number, client) in clients.enumerated() { replies[number] += client.read() ?? "closed" }
        #expect(replies == (try streams.map { try $0.repliesAlone() }))
    }

    private static func request(of client: Int, _ random: inout SeededGenerator) -> String {
        let session = "session-\(client)"
        return switch Int.random(in: 0..<8, using: &random) {
        case 0: "ECHO \(String(repeating: "x", count: Int.random(in: 1...900, using: &random)))\r\n"
        case 1: "*1\r\n$4\r\nPING\r\n"
        case 2: "\r\nNONSENSE \(session)\r\n"
        case 3: "DROP \(session)\r\nNEW \(session) turns\r\n"
        case 4: "*3\r\n$4\r\nSEND\r\n$\(session.utf8.count)\r\n\(session)\r\n$4\r\njump\r\n"
        default: "*3\r\n$4\r\nSEND\r\n$\(session.utf8.count)\r\n\(session)\r\n$4\r\npass\r\n"
        }
    }

    @Test func `Requests before the end of a connection are answered, whether it ends in their turn or in the next`() throws {
        let stepped = try SteppedDaemon()
        let (one, two, three) = (try stepped.connect(), try stepped.connect(), try stepped.connect())
        for client in [one, two, three] { client.send("PING\r\n") }
        one.endSending()
        try stepped.turn()
        two.endSending()
        try stepped.turn(2)
        #expect(one.read() == "+PONG\r\n" && one.read() == nil)
        #expect(two.read() == "+PONG\r\n" && two.read() == nil)
        #expect(three.read() == "+PONG\r\n" && three.read() == "")
        #expect(stepped.daemon.connections.count == 1)
    }

    @Test func `Requests that have arrived when the daemon stops are answered`() throws {
        let stepped = try SteppedDaemon()
        let clients = try (0..<3).map { _ in try stepped.connect() }
        for client in clients { client.send("PING\r\n") }
        stepped.daemon.connections.finish()
        try stepped.turn()
        #expect(clients.map { $0.read() } == ["+PONG\r\n", "+PONG\r\n", "+PONG\r\n"])
    }

    @Test func `A connection that a request breaks is closed, and the others of its turn are answered`() throws {
        let stepped = try SteppedDaemon()
        let clients = try (0..<5).map { _ in try stepped.connect() }
        for (number, client) in clients.enumerated() { client.send(number % 2 == 0 ? "PING\r\n" : "POST / HTTP/1.1\r\n") }
        try stepped.turn()
        #expect(clients.map { $0.read() } == ["+PONG\r\n", nil, "+PONG\r\n", nil, "+PONG\r\n"])
    }
}

/// What a client sends.
private struct ClientStream {
    private let bytes: [UInt8]
    private var sent = 0

    init(_ requests: [String], _ number: Int) {
        bytes = Array((["NEW session-\(number) turns\r\n"] + requests).joined().utf8)
    }

    var isSent: Bool { sent == bytes.count }

    mutating func sendPiece(to client: SteppedClient, _ random: inout SeededGenerator) {
        let length = min(Int.random(in: 0...120, using: &random) * Int.random(in: 1...8, using: &random), bytes.count - sent)
        sent += client.send(Array(bytes[sent..<sent + length]))
    }

    /// The replies of a daemon that has no other clients.
    func repliesAlone() throws -> String {
        let stepped = try SteppedDaemon()
        let client = try stepped.connect()
        client.send(bytes)
        try stepped.turn(4)
        return client.read() ?? "closed"
    }
}

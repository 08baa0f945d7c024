// Connections turn by turn: reading, replying and closing.

import Glibc
import Testing
@testable import Commands
@testable import GameDaemon
@testable import Network

@Suite struct `A connection` {
    /// Returns the number of descriptors that this process has open.
    private func count() throws -> Int {
        let folder = try #require(opendir("/proc/self/fd"))
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }

    /// The last one has an argument of one byte more than the default of the limit argument-bytes.
    @Test(arguments: [
        "POST\r\n", "PING\r\nHost: x\r\n", "QUIT\r\n", "*1\r\n+x\r\n", "*1\r\n$999999999\r\n",
        "*2\r\n$4\r\nECHO\r\n$33554433\r\n",
    ])
    func `A connection is closed in the turn in which it ends`(words: String) throws {
        let stepped = try SteppedDaemon()
        let client = try stepped.connect()
        client.send(words)
        try stepped.turn()
        var said = client.read()
        if said != nil { said = client.read() }
        #expect(said == nil, "the other end is closed")
        #expect(stepped.daemon.connections.count == 0)
        #expect(stepped.daemon.connections.bytes == 0)
    }

    @Test func `A connection checked twice in the turn in which it ends is not mistaken for an idle one`() throws {
        let stepped = try SteppedDaemon()
        let (one, two) = (try stepped.connect(), try stepped.connect())
        one.send("SUBSCRIBE session:a\r\n")
        try stepped.turn()
        _ = one.read()
        // The first connection gets messages, the second one sends requests in between, and the first one ends.
        two.send("NEW a turns\r\nSEND a pass\r\n")
        one.send("PING\r\nPOST\r\n")
        try stepped.turn()
        two.send("SEND a pass\r\n")
        try stepped.turn(2)
        while let said = one.read() { #expect(!said.isEmpty, "it is closed") }
        #expect(two.read() == "+first\r\n+second\r\n+first\r\n")
        #expect(stepped.daemon.connections.count == 1)
    }

    @Test func `A connection's slow requests run one per turn, and other clients are served in between`() throws {
        let stepped = try SteppedDaemon()
        for number in 0..<17_000 { try stepped.daemon.begin("session-\(number)", flow: "turns") }
        let (greedy, other) = (try stepped.connect(), try stepped.connect())
        greedy.send(String(repeating: "SESSIONS 0 MATCH *x COUNT 100000\r\n", count: 8))
        try stepped.turn()
        for number in 1..<8 {
            #expect(stepped.daemon.host.requestCount == 2 * number - 1)
            other.send("PING\r\n")
            try stepped.turn()
            #expect(other.read() == "+PONG\r\n")
        }
    }

    @Test func `A connection gets no further replies while its unread output exceeds a limit`() throws {
        let stepped = try SteppedDaemon { $0.pauseBytes = 10_000 }
        for number in 0..<1_000 { try stepped.daemon.begin("session-\(number)", flow: "turns") }
        let client = try stepped.connect()
        client.send(String(repeating: "SESSIONS 0 COUNT 1000\r\n", count: 40))
        try stepped.turn()
        #expect(stepped.daemon.host.requestCount == 1, "one answer is more than that")
        var answers = 0
        for _ in 0..<200 {
            answers += client.read()?.components("*2\r\n") ?? 0
            try stepped.turn()
        }
        #expect(answers == 40)
    }

    @Test func `A connection continues with buffered requests wherever a limit stopped it`() throws {
        let stepped = try SteppedDaemon {
            $0.pauseBytes = 1_024
            $0.turnRequests = 7
        }
        let client = try stepped.connect()
        let words = (0..<200).map { String(repeating: "x", count: $0 * 7 % 400) + "\($0)" }
        let requests = words.map { "*2\r\n$4\r\nECHO\r\n$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
        // The last one comes later.
        client.send(Array(requests.utf8.dropLast(3)))
        var said = ""
        for turn in 0..<400 {
            try stepped.turn()
            said += client.read() ?? ""
            if turn == 300 { client.send(Array(requests.utf8.suffix(3))) }
        }
        #expect(said == words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined())
    }

    @Test func `A turn answers a limited number of requests of one connection`() throws {
        let stepped = try SteppedDaemon { $0.turnRequests = 4 }
        let client = try stepped.connect()
        client.send(String(repeating: "PING\r\n", count: 10))
        for answered in [4, 8, 10] {
            try stepped.turn()
            #expect(stepped.daemon.host.requestCount == answered)
        }
    }

    @Test func `An incomplete request is refused once it is one byte longer than the limit`() throws {
        let stepped = try SteppedDaemon { $0.requestBytes = 64 }
        let client = try stepped.connect()
        let beginning = "*2\r\n$4\r\nECHO\r\n$100\r\n"
        client.send(beginning + String(repeating: "x", count: 64 - beginning.utf8.count))
        try stepped.turn()
        #expect(client.read() == "")
        client.send("x")
        try stepped.turn()
        #expect(client.read()?.hasPrefix("-LIMIT a request is longer than 64 bytes; CONFIG SET request-bytes N") == true)
    }

    @Test func `A connection is closed after its third wrong token`() throws {
        let stepped = try SteppedDaemon(token: "correct-horse-battery")
        let client = try stepped.connect(at: .tcp)
        for guess in 1...3 {
            client.send("AUTH default wrong-horse-battery\r\n")
            try stepped.turn()
            #expect(client.read()?.hasPrefix("-WRONGPASS ") == true)
            #expect(stepped.daemon.connections.count == (guess < 3 ? 1 : 0))
        }
        #expect(client.read() == nil, "the other end is closed")
    }

    @Test func `A connection that does not read its messages is closed`() throws {
        let stepped = try SteppedDaemon { $0.outputBytes = 4_096 }
        let (deaf, player) = (try stepped.connect(), try stepped.connect())
        deaf.send("SUBSCRIBE session:a\r\n")
        player.send("NEW a turns\r\n")
        try stepped.turn()
        for _ in 0..<2_000 where stepped.daemon.connections.count == 2 {
            player.send("SEND a pass\r\n")
            try stepped.turn()
            _ = player.read()
        }
        #expect(stepped.daemon.connections.count == 1)
        withExtendedLifetime(deaf) {}
    }

    @Test func `A connection is closed at a view that is longer than its output may be`() throws {
        let stepped = try SteppedDaemon { $0.outputBytes = 300 }
        let (client, player) = (try stepped.connect(), try stepped.connect())
        try stepped.daemon.begin("a", flow: "turns")
        client.send("SUBSCRIBE view:a\r\n")
        try stepped.turn(2)
        #expect(stepped.daemon.connections.count == 1 && stepped.daemon.host.subscriptions.count == 0)
        player.send("SEND a pass\r\n")
        try stepped.turn()
        #expect(player.read() == "+second\r\n")
        withExtendedLifetime(client) {}
    }

    @Test func `A connection that reads gets all views, however little output may wait for it`() throws {
        let stepped = try SteppedDaemon { $0.outputBytes = 4_096 }
        for number in 0..<50 { try stepped.daemon.begin("s\(number)", flow: "turns") }
        let client = try stepped.connect()
        client.send("PSUBSCRIBE view:*\r\n")
        var text = ""
        for _ in 0..<100 {
            try stepped.turn()
            text += try #require(client.read())
        }
        #expect(text.components("pmessage") == 50)
    }

    @Test func `CLIENT INFO of a local client has one sign between each name and its value, as Redis' clients read them`()
        throws
    {
        let stepped = try SteppedDaemon()
        let client = try stepped.connect()
        client.send("CLIENT INFO\r\n")
        try stepped.turn(2)
        let words = try #require(client.read()?.split(separator: "\r\n").last?.split(separator: " "))
        #expect(words.count > 5 && words.allSatisfy { word in word.count(where: { $0 == "=" }) == 1 }, "\(words)")
    }

    @Test func `The oldest unauthenticated connection makes room for a new one, even after RESET`() throws {
        let stepped = try SteppedDaemon({ $0.strangers = 2 }, token: "correct-horse-battery")
        let old = try stepped.connect(at: .tcp)
        let young = try stepped.connect(at: .tcp)
        for _ in 0..<3 {
            old.send("RESET\r\n")
            try stepped.turn()
        }
        let third = try stepped.connect(at: .tcp)
        try stepped.turn(2)
        #expect(
            old.read() == "+RESET\r\n+RESET\r\n+RESET\r\n"
                + "-NOAUTH a newer connection has replaced this one: at most 2 can be open without a token\r\n")
        #expect(old.read() == nil)
        #expect(young.read() == "" && third.read() == "")
    }

    @Test func `A shorter stranger-ms holds for new connections while older ones have more time`() throws {
        let stepped = try SteppedDaemon({ $0.strangerMilliseconds = 3_600_000 }, token: "correct-horse-battery")
        let old = try stepped.connect(at: .tcp)
        stepped.daemon.host.limits.strangerMilliseconds = 20
        let young = try stepped.connect(at: .tcp)
        var (text, isOver) = ("", false)
        let bound = stepped.loop.schedule(after: 5_000) { isOver = true }
        while !isOver, text.isEmpty {
            try stepped.loop.turn()
            text += young.read() ?? ""
        }
        #expect(text == "-NOAUTH no token was sent within 20 ms\r\n")
        #expect(!isOver && old.read() == "")
        withExtendedLifetime(bound) {}
    }

    @Test func `A connection gets the place of the oldest unauthenticated one if all connections are in use`() throws {
        let stepped = try SteppedDaemon({ $0.connections = 3 }, token: "correct-horse-battery")
        let strangers = try (0..<3).map { _ in try stepped.connect(at: .tcp) }
        let local = try stepped.connect()
        local.send("PING\r\n")
        let last = try stepped.connect(at: .tcp)
        try stepped.turn(2)
        #expect(local.read() == "+PONG\r\n" && last.read() == "" && strangers[2].read() == "")
        for stranger in strangers[..<2] {
            #expect(
                stranger.read()
                    == "-NOAUTH a newer connection has replaced this one, which has sent no token: at most 3 can be open\r\n")
            #expect(stranger.read() == nil)
        }
        #expect(stepped.daemon.connections.count == 3)
    }

    @Test
    func `A connection that makes room in the turn of its RESET is closed without replies to changes that may not be durable`()
        throws
    {
        let stepped = try SteppedDaemon({ $0.connections = 2 }, token: "correct-horse-battery")
        try stepped.daemon.begin("room", flow: "turns")
        let (local, remote) = (try stepped.connect(), try stepped.connect(at: .tcp))
        remote.send("AUTH correct-horse-battery\r\n")
        try stepped.turn(2)
        #expect(remote.read() == "+OK\r\n")
        remote.send("SEND room pass\r\nRESET\r\n")
        var (newcomer, said): (SteppedClient?, String?) = (nil, "")
        stepped.loop.schedule {
            newcomer = try? stepped.connect(at: .tcp)
            said = remote.read()
        }
        try stepped.turn()
        #expect(stepped.daemon.sessions["room"]?.version == 1)
        #expect(said == nil, "the connection is closed")
        #expect(newcomer?.read() == "" && local.read() == "")
    }

    @Test func `A connection that makes room for another is closed at once, even if it does not read`() throws {
        let stepped = try SteppedDaemon({ $0.strangers = 1 }, token: "correct-horse-battery")
        let deaf = try stepped.connect(at: .tcp)
        for _ in 0..<200 {
            deaf.send(String(repeating: "PING\r\n", count: 1_000))
            try stepped.turn()
        }
        let other = try stepped.connect(at: .tcp)
        try stepped.turn()
        #expect(stepped.daemon.connections.count == 1)
        #expect(other.read() == "")
        withExtendedLifetime(deaf) {}
    }
}

extension String {
    fileprivate func components(_ separator: String) -> Int {
        var (count, rest) = (0, self[...])
        while let found = rest.firstRange(of: separator) {
            count += 1
            rest = rest[found.upperBound...]
        }
        return count
    }
}

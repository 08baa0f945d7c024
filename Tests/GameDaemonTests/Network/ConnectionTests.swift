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

    @Test(arguments: ["POST\r\n", "PING\r\nHost: x\r\n", "QUIT\r\n", "*1\r\n+x\r\n", "*1\r\n$999999999\r\n"])
    func `A connection is closed in the turn in which it ends`(words: String) throws {
        let bench = try Bench()
        let plug = try bench.plug()
        plug.send(words)
        try bench.turn()
        var said = plug.read()
        if said != nil { said = plug.read() }
        #expect(said == nil, "the other end is closed")
        #expect(bench.daemon.connections.count == 0)
        #expect(bench.daemon.connections.bytes == 0)
    }

    @Test func `A connection checked twice in the turn in which it ends is not mistaken for an idle one`() throws {
        let bench = try Bench()
        let (one, two) = (try bench.plug(), try bench.plug())
        one.send("SUBSCRIBE session:a\r\n")
        try bench.turn()
        _ = one.read()
        // The first connection gets messages, the second one sends requests in between, and the first one ends.
        two.send("NEW a turns\r\nSEND a pass\r\n")
        one.send("PING\r\nPOST\r\n")
        try bench.turn()
        two.send("SEND a pass\r\n")
        try bench.turn(2)
        while let said = one.read() { #expect(!said.isEmpty, "it is closed") }
        #expect(two.read() == "+first\r\n+second\r\n+first\r\n")
        #expect(bench.daemon.connections.count == 1)
    }

    @Test func `A connection's slow requests run one per turn, and other clients are served in between`() throws {
        let bench = try Bench()
        for number in 0..<17_000 { try bench.daemon.begin("session-\(number)", flow: "turns") }
        let (greedy, other) = (try bench.plug(), try bench.plug())
        greedy.send(String(repeating: "SESSIONS 0 MATCH *x COUNT 100000\r\n", count: 8))
        try bench.turn()
        for number in 1..<8 {
            #expect(bench.daemon.host.requestCount == 2 * number - 1)
            other.send("PING\r\n")
            try bench.turn()
            #expect(other.read() == "+PONG\r\n")
        }
    }

    @Test func `A connection gets no further replies while its unread output exceeds a limit`() throws {
        let bench = try Bench { $0.pauseBytes = 10_000 }
        for number in 0..<1_000 { try bench.daemon.begin("session-\(number)", flow: "turns") }
        let plug = try bench.plug()
        plug.send(String(repeating: "SESSIONS 0 COUNT 1000\r\n", count: 40))
        try bench.turn()
        #expect(bench.daemon.host.requestCount == 1, "one answer is more than that")
        var answers = 0
        for _ in 0..<200 {
            answers += plug.read()?.components("*2\r\n") ?? 0
            try bench.turn()
        }
        #expect(answers == 40)
    }

    @Test func `A connection continues with buffered requests wherever a limit stopped it`() throws {
        let bench = try Bench {
            $0.pauseBytes = 1_024
            $0.turnRequests = 7
        }
        let plug = try bench.plug()
        let words = (0..<200).map { String(repeating: "x", count: $0 * 7 % 400) + "\($0)" }
        let requests = words.map { "*2\r\n$4\r\nECHO\r\n$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
        // The last one comes later.
        plug.send(Array(requests.utf8.dropLast(3)))
        var said = ""
        for turn in 0..<400 {
            try bench.turn()
            said += plug.read() ?? ""
            if turn == 300 { plug.send(Array(requests.utf8.suffix(3))) }
        }
        #expect(said == words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined())
    }

    @Test func `A turn answers a limited number of requests of one connection`() throws {
        let bench = try Bench { $0.turnRequests = 4 }
        let plug = try bench.plug()
        plug.send(String(repeating: "PING\r\n", count: 10))
        for answered in [4, 8, 10] {
            try bench.turn()
            #expect(bench.daemon.host.requestCount == answered)
        }
    }

    @Test func `An incomplete request is refused once it is one byte longer than the limit`() throws {
        let bench = try Bench { $0.requestBytes = 64 }
        let plug = try bench.plug()
        let beginning = "*2\r\n$4\r\nECHO\r\n$100\r\n"
        plug.send(beginning + String(repeating: "x", count: 64 - beginning.utf8.count))
        try bench.turn()
        #expect(plug.read() == "")
        plug.send("x")
        try bench.turn()
        #expect(plug.read()?.hasPrefix("-LIMIT a request is longer than 64 bytes") == true)
    }

    @Test func `A connection is closed after its third wrong token`() throws {
        let bench = try Bench(token: "correct-horse-battery")
        let plug = try bench.plug(at: .tcp)
        for guess in 1...3 {
            plug.send("AUTH default wrong-horse-battery\r\n")
            try bench.turn()
            #expect(plug.read()?.hasPrefix("-WRONGPASS ") == true)
            #expect(bench.daemon.connections.count == (guess < 3 ? 1 : 0))
        }
    }

    @Test func `A connection that does not read its messages is closed`() throws {
        let bench = try Bench { $0.outputBytes = 4_096 }
        let (deaf, player) = (try bench.plug(), try bench.plug())
        deaf.send("SUBSCRIBE session:a\r\n")
        player.send("NEW a turns\r\n")
        try bench.turn()
        for _ in 0..<2_000 where bench.daemon.connections.count == 2 {
            player.send("SEND a pass\r\n")
            try bench.turn()
            _ = player.read()
        }
        #expect(bench.daemon.connections.count == 1)
        withExtendedLifetime(deaf) {}
    }

    @Test func `The oldest unauthenticated connection makes room for a new one, even after RESET`() throws {
        let bench = try Bench({ $0.strangers = 2 }, token: "correct-horse-battery")
        let old = try bench.plug(at: .tcp)
        let young = try bench.plug(at: .tcp)
        for _ in 0..<3 {
            old.send("RESET\r\n")
            try bench.turn()
        }
        let third = try bench.plug(at: .tcp)
        try bench.turn(2)
        #expect(
            old.read() == "+RESET\r\n+RESET\r\n+RESET\r\n"
                + "-NOAUTH another connection needed the room: at most 2 may be here without a token\r\n")
        #expect(old.read() == nil)
        #expect(young.read() == "" && third.read() == "")
    }

    @Test func `A connection that makes room for another is closed at once, even if it does not read`() throws {
        let bench = try Bench({ $0.strangers = 1 }, token: "correct-horse-battery")
        let deaf = try bench.plug(at: .tcp)
        for _ in 0..<200 {
            deaf.send(String(repeating: "PING\r\n", count: 1_000))
            try bench.turn()
        }
        let other = try bench.plug(at: .tcp)
        try bench.turn()
        #expect(bench.daemon.connections.count == 1)
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

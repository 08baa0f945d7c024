// Quotas and rates of tokens.

import Memory
import Testing
import Timers
@testable import Commands
@testable import GameDaemon
@testable import Sessions

@Suite struct `A quota of sessions` {
    @Test func `A quota of sessions refuses NEW until one of the token's sessions is dropped`() throws {
        let door = try DaemonWithTokens("room7 master quota-sessions=2", "boss master")
        let answers = try door.answers(
            "room7", "NEW a turns", "NEW b turns", "NEW c turns", "NEW a turns", "DROP a", "NEW c turns", "NEW d turns")
        #expect(answers[0...1] == ["+first\r\n", "+first\r\n"])
        #expect(
            answers[2]
                == "-QUOTA limit of 2 sessions created by the token 'room7' reached (quota-sessions)\r\n")
        #expect(answers[3].hasPrefix("-QUOTA") && answers[4] == ":1\r\n" && answers[5] == "+first\r\n")
        #expect(answers[6].hasPrefix("-QUOTA"))
        // The quota applies to every client with the token and to no other. Sessions that others created do not count.
        #expect(try door.answers("room7", "NEW e turns")[0].hasPrefix("-QUOTA"))
        #expect(try door.answers("boss", "NEW e turns", "DROP b", "NEW b turns")[2] == "+first\r\n")
        #expect(try door.answers("room7", "NEW f turns")[0] == "+first\r\n")
    }

    @Test func `A quota of thousands of sessions looks at a part of them for each NEW, and has room once one is dropped`()
        throws
    {
        let door = try DaemonWithTokens("room7 master quota-sessions=3000", "boss master")
        let (host, sessions) = (door.stepped.daemon.host, door.stepped.daemon.sessions)
        let usage = try #require(host.access.tokens["room7"]).usage
        for number in 0..<3_000 {
            try host.begin("s\(number)", flow: "turns")
            usage.countSession(try #require(sessions.find(ByteString("s\(number)"))))
        }
        for _ in 0..<4 {
            let (isFull, work) = usage.pruneAndCheckLimit(3_000, in: sessions)
            #expect(isFull && work == 1_000)
        }
        for number in [2_999, 0, 1_500, 2_998] {
            #expect(try door.answers("boss", "DROP s\(number)") == [":1\r\n"])
            let answers = try door.answers("room7", "NEW s\(number) turns", "NEW more turns")
            #expect(answers[0] == "+first\r\n" && answers[1].hasPrefix("-QUOTA"), "\(answers)")
        }
        sessions.evict(try #require(sessions.find("s7")).slot)
        #expect(try door.answers("room7", "NEW s7 turns", "NEW more turns")[1].hasPrefix("-QUOTA"))
        #expect(sessions["s7"] != nil)
    }

    @Test func `A quota of sessions is recounted from the history after a restart`() throws {
        let door = try DaemonWithTokens("room7 master quota-sessions=1")
        #expect(try door.answers("room7", "NEW a turns")[0] == "+first\r\n")
        let access = door.stepped.daemon.host.access
        // A new process has the same tokens and no counts.
        access.replace(.none)
        access.replace(TokenTable([try DaemonWithTokens.line("room7 master quota-sessions=1")]))
        door.stepped.daemon.host.countSessionsOfTokens()
        #expect(try door.answers("room7", "NEW b turns")[0].hasPrefix("-QUOTA"))
    }

    @Test func `A quota that a reload gives to a token counts the sessions that the token has already`() throws {
        let door = try DaemonWithTokens("room7 master", "boss master")
        _ = try door.answers("boss", "NEW other turns")
        for number in 0..<600 { try door.stepped.daemon.begin("s\(number)", flow: "turns") }
        #expect(try door.answers("room7", "NEW a turns", "NEW b turns") == ["+first\r\n", "+first\r\n"])
        let lines = ["room7 master quota-sessions=2", "boss master"]
        door.stepped.daemon.host.replaceTokens(TokenTable(try lines.map(DaemonWithTokens.line)))
        try door.stepped.turn(4)
        let answers = try door.answers("room7", "NEW c turns", "DROP a", "NEW c turns", "NEW d turns")
        #expect(answers[0].hasPrefix("-QUOTA") && answers[2] == "+first\r\n" && answers[3].hasPrefix("-QUOTA"), "\(answers)")
    }

    @Test func `A restarted session still counts against the quota of the token that created it`() throws {
        let door = try DaemonWithTokens("room7 master quota-sessions=2", "boss master quota-sessions=1")
        let own = try door.answers(
            "room7", "NEW a turns", "NEW b turns", "RESTART a", "NEW c turns", "RESTART a", "RESTART b", "NEW c turns")
        #expect(own[2] == "+first\r\n" && own[3].hasPrefix("-QUOTA") && own[6].hasPrefix("-QUOTA"))
        let boss = try door.answers("boss", "RESTART a", "NEW d turns", "NEW e turns")
        #expect(boss[0...1] == ["+first\r\n", "+first\r\n"] && boss[2].hasPrefix("-QUOTA"))
        let more = try door.answers("room7", "NEW c turns", "DROP a", "NEW c turns", "NEW f turns")
        #expect(more[0].hasPrefix("-QUOTA") && more[2] == "+first\r\n" && more[3].hasPrefix("-QUOTA"))
    }

    @Test func `A session that UNDROP restores counts against its creator's quota, also after a start`() throws {
        let lines = ["room7 master quota-sessions=2", "boss master"]
        let door = try DaemonWithTokens(lines[0], lines[1])
        #expect(try door.answers("room7", "NEW a turns", "NEW b turns") == ["+first\r\n", "+first\r\n"])
        #expect(try door.answers("boss", "DROP b", "UNDROP b") == [":1\r\n", "+first\r\n"])
        #expect(try door.answers("room7", "NEW c turns")[0].hasPrefix("-QUOTA"))
        let access = door.stepped.daemon.host.access
        access.replace(.none)
        access.replace(TokenTable(try lines.map(DaemonWithTokens.line)))
        door.stepped.daemon.host.countSessionsOfTokens()
        #expect(try door.answers("room7", "NEW c turns")[0].hasPrefix("-QUOTA"))
    }

    @Test func `A session that --expire restarts counts against the quota of the token that created it`() throws {
        let door = try DaemonWithTokens("room7 master quota-sessions=1", "boss master")
        let sessions = door.stepped.daemon.sessions
        sessions.expire(by: [ExpiryRule(flow: "turns", length: .seconds(10), action: .restart)])
        #expect(try door.answers("room7", "NEW a turns")[0] == "+first\r\n")
        let life = try #require(sessions.find("a")).life
        let advanced = try door.answers("boss", "ADVANCE 10s")
        try door.stepped.turn(2)
        #expect(try #require(sessions.find("a")).life != life, "\(advanced)")
        #expect(try door.answers("room7", "NEW b turns")[0].hasPrefix("-QUOTA"))
    }

    @Test func `After a start, a restarted session counts against the quota of the token that created it`() throws {
        let lines = ["room7 master quota-sessions=1", "boss master quota-sessions=1"]
        let door = try DaemonWithTokens(lines[0], lines[1])
        #expect(try door.answers("room7", "NEW a turns")[0] == "+first\r\n")
        #expect(try door.answers("boss", "RESTART a", "RESTART a") == ["+first\r\n", "+first\r\n"])
        let access = door.stepped.daemon.host.access
        access.replace(.none)
        access.replace(TokenTable(try lines.map(DaemonWithTokens.line)))
        door.stepped.daemon.host.countSessionsOfTokens()
        #expect(try door.answers("room7", "NEW b turns")[0].hasPrefix("-QUOTA"))
        #expect(try door.answers("boss", "NEW b turns")[0] == "+first\r\n")
    }
}

@Suite struct `A rate of changes` {
    @Test func `A rate accepts one second's worth of changes, refuses more, and does not limit reads`() throws {
        let answers = try DaemonWithTokens("who play rate=3/s").answers(
            "who", "SEND lobby pass", "SEND lobby pass", "SEND lobby pass", "SEND lobby pass", "STATE lobby", "BLUETOOTH LIST",
            "BLUETOOTH LIST")
        #expect(answers[0...2].allSatisfy { $0.hasPrefix("+") })
        // A slow machine may have taken a third of a second for it.
        #expect(
            answers[3].hasPrefix("+")
                || answers[3] == "-QUOTA the token 'who' is limited to 3 changes a second (its rate); try again in a moment\r\n"
        )
        #expect(answers[4...6].allSatisfy { $0.hasPrefix("*") }, "\(answers)")
    }

    @Test func `A rate's allowance refills with time, up to one second's worth`() {
        let usage = TokenUsage()
        var now = Instant.zero.advanced(by: .seconds(100))
        func taken(_ count: Int) -> Int { (0..<count).count { _ in usage.consumeAllowance(10, at: now) } }
        #expect(taken(50) == 10)
        now = now.advanced(by: .milliseconds(500))
        #expect(taken(50) == 5)
        now = now.advanced(by: .seconds(60))
        #expect(taken(50) == 10)
        now = now.advanced(by: .milliseconds(99))
        #expect(taken(50) == 0)
    }

    @Test func `A rate counts a transaction's commands at EXEC, not when they are queued`() throws {
        let answers = try DaemonWithTokens("who play rate=1/s").answers(
            "who", "MULTI", "SEND lobby pass", "SEND lobby pass", "EXEC")
        #expect(answers[1...2] == ["+QUEUED\r\n", "+QUEUED\r\n"])
        #expect(answers[3].hasPrefix("*2\r\n+") && answers[3].contains("-QUOTA"), "\(answers[3])")
    }
}

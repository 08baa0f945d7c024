// Tokens that may access some sessions only.

import Testing
@testable import Commands
@testable import GameDaemon
@testable import RESP

@Suite struct `A token for some sessions` {
    private static let token = "room7 master sessions=room-7-*"

    @Test(arguments: [
        "SEND lobby pass", "STATE lobby", "VIEW lobby", "HISTORY lobby", "EVENTS lobby", "TIMERS lobby", "PAUSE lobby",
        "DROP lobby",
        "FORCE lobby second", "RESTART lobby", "RETRY lobby", "UNDROP lobby", "NEW room-8 turns", "STATE nowhere",
        "SUBSCRIBE session:lobby", "SUBSCRIBE view:lobby",
    ])
    func `A token for some sessions is denied every other session, whether the session exists or not`(line: String) throws {
        let answer = try DaemonWithTokens(Self.token).answers("room7", line)[0]
        #expect(answer.contains("-NOPERM User 'room7' has no permissions to access the session '"), "\(answer)")
        #expect(answer.contains("the user's are room-7-*"), "\(answer)")
    }

    @Test(arguments: [
        "CONFIG SET log debug", "RELOAD", "PAGE", "BACKUP", "ADVANCE 1s", "BLUETOOTH LIST", "BLUETOOTH CONNECT x",
    ])
    func `A token for some sessions is denied commands that concern all sessions`(line: String) throws {
        let answer = try DaemonWithTokens(Self.token).answers("room7", line)[0]
        #expect(answer.hasPrefix("-NOPERM User 'room7' has no permissions to run the '"), "\(answer)")
        #expect(answer.contains("it concerns all sessions; the user's are room-7-*"), "\(answer)")
    }

    @Test(arguments: [
        "SEND room-7-a pass", "STATE room-7-a", "PAUSE room-7-b", "DROP room-7-a", "NEW room-7-c turns", "FLOWS", "INFO",
        "SUBSCRIBE view:room-7-a",
    ])
    func `A token for some sessions runs its role's commands on those sessions`(line: String) throws {
        #expect(try DaemonWithTokens(Self.token).answers("room7", line)[0].hasPrefix("-") == false)
    }

    @Test func `SESSIONS and NEXT list only the sessions that the token may access`() throws {
        let answers = try DaemonWithTokens(Self.token).answers(
            "room7", "SESSIONS 0 COUNT 100", "NEXT COUNT 100", "SESSIONS 0 MATCH lobby")
        #expect(answers[0].contains("room-7-a") && answers[0].contains("room-7-b"))
        for answer in answers { #expect(!answer.contains("lobby") && !answer.contains("room-70"), "\(answer)") }
        #expect(answers[1].hasPrefix("*2\r\n"))
    }

    @Test(arguments: ["session:*", "view:*"])
    func `A pattern subscription delivers only the sessions that the token may access`(pattern: String) throws {
        let door = try DaemonWithTokens("room7 read sessions=room-7-*", "boss master")
        let client = try door.stepped.connect(at: .tcp)
        client.send("AUTH room7 \(DaemonWithTokens.secret("room7"))\r\nPSUBSCRIBE \(pattern)\r\n")
        try door.stepped.turn(3)
        var heard = client.read() ?? ""
        _ = try door.answers("boss", "SEND lobby pass", "SEND room-70 pass", "SEND room-7-b pass", "DROP lobby")
        try door.stepped.turn(3)
        heard += client.read() ?? ""
        #expect(heard.contains("room-7-b") && !heard.contains("lobby") && !heard.contains("room-70"), "\(heard)")
    }

    @Test(arguments: ["", " SINCE 0"])
    func `AUTH with a token for other sessions sends a pattern the views of all of them`(since: String) throws {
        let door = try DaemonWithTokens("room7 read sessions=room-7-*", "boss master")
        let client = try door.stepped.connect(at: .tcp)
        client.send("HELLO 3 AUTH room7 \(DaemonWithTokens.secret("room7"))\r\nPSUBSCRIBE view:*\(since)\r\n")
        try door.stepped.turn(3)
        #expect(client.read()?.contains("view:room-7-a") == true)
        client.send("AUTH boss \(DaemonWithTokens.secret("boss"))\r\n")
        try door.stepped.turn(3)
        let heard = client.read() ?? ""
        for name in ["lobby", "room-70", "room-7-a"] { #expect(heard.contains("view:\(name)"), "\(heard)") }
        // Sessions of the former scope may be gone from the new one.
        #expect(heard.contains(#""what":"gap""#) == !since.isEmpty)
    }

    @Test(arguments: [("room7", "room7", false), ("room7", "boss", true), ("boss", "room7", true), ("boss", "boss", false)])
    func `A position of a client with other sessions is unknown, and all views are sent`(
        first: String, second: String, isUnknown: Bool
    ) throws {
        let door = try DaemonWithTokens("room7 read sessions=room-7-*", "boss master")
        let before = try Self.read("view:* SINCE 0", by: first, door)
        let position = try #require(before.firstMatch(of: /"since":"([^"]+)"/)).1
        let after = try Self.read("view:* SINCE \(position)", by: second, door)
        #expect(after.contains(#""what":"gap""#) == isUnknown && after.contains(#""what":"position""#), "\(after)")
        #expect(after.contains("view:room-7-a") == isUnknown, "\(after)")
        #expect(after.contains("view:lobby") == (isUnknown && second == "boss"), "\(after)")
    }

    /// Returns what a client with this token is sent that subscribes to the pattern and leaves.
    private static func read(_ pattern: String, by id: String, _ door: DaemonWithTokens) throws -> String {
        let client = try door.stepped.connect(at: .tcp)
        client.send("AUTH \(id).\(DaemonWithTokens.secret(id))\r\nPSUBSCRIBE \(pattern)\r\n")
        try door.stepped.turn(4)
        defer { client.send("QUIT\r\n") }
        return client.read() ?? ""
    }

    @Test func `A token for some sessions is denied the others within a transaction, and EXEC is aborted`() throws {
        let answers = try DaemonWithTokens(Self.token).answers("room7", "MULTI", "SEND lobby pass", "EXEC")
        #expect(answers[1].hasPrefix("-NOPERM") && answers[2].hasPrefix("-EXECABORT"))
    }
}

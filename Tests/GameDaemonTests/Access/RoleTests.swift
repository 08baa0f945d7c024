// Rights of each role. The table lists every command, so that a new command must be added here with its right.

import Memory
import Testing
@testable import Commands
@testable import GameDaemon
@testable import RESP
@testable import Sessions

@Suite struct `Every command` {
    private static let needs: [(Right, String)] = [
        (
            .nothing,
            "ACL ASKING AUTH CLIENT COMMAND DISCARD ECHO EXEC HELLO MULTI PING PUNSUBSCRIBE QUIT READONLY READWRITE RESET "
                + "SELECT SUNSUBSCRIBE UNSUBSCRIBE UNWATCH WATCH"
        ),
        (
            .read,
            "BACKUP CLOCK CLUSTER CONFIG DESCRIBE DIAGRAM EVENTS FLOWS HISTORY INFO NEXT PSUBSCRIBE SESSIONS SSUBSCRIBE STATE "
                + "SUBSCRIBE TIMERS VIEW"
        ),
        (.play, "BLUETOOTH SEND WITHDRAW"),
        (.master, "ADVANCE DROP EXTEND FORCE NEW PAUSE RESTART RESUME RETRY UNDROP"), (.administer, "PAGE RELOAD"),
    ]

    @Test func `Every command is in this table and requires the right listed for it`() {
        for (right, names) in Self.needs {
            let found = CommandTable.all.commands.filter { $0.needs.right == right }.map(\.name)
            #expect(found == names.split(separator: " ").map(String.init).sorted(), "\(right)")
        }
        let forms = CommandTable.all.commands.flatMap { command in
            command.forms.compactMap { form in
                form.needs.map { "\(command.name) \(form.word?.description ?? "…"): \($0.right)" }
            }
        }
        #expect(
            forms == [
                "BACKUP …: administer", "BLUETOOTH LIST: read", "CLIENT SOURCE: orchestrate", "CONFIG SET: administer",
                "CONFIG RESETSTAT: administer", "CONFIG SHOW: administer",
            ])
    }

    @Test func `A command whose first argument is a session is limited to the token's sessions`() {
        for command in CommandTable.all.commands where command.syntax.contains(" session") && command.needs.right != .nothing {
            let isFirst = command.syntax.hasPrefix("\(command.name) session ") || command.syntax == "\(command.name) session"
            #expect(command.needs.reach == (isFirst ? .session : .ownSessions), "\(command.name)")
        }
    }

    @Test(arguments: [
        (Role.read, [Right.nothing, .read]), (.play, [.nothing, .read, .play]),
        (.orchestrator, [.nothing, .read, .play, .orchestrate]), (.master, Right.allCases),
        (.guest, [.nothing, .read, .play, .master]),
    ])
    func `Each role has exactly the rights that are listed for it`(role: Role, rights: [Right]) {
        #expect(Right.allCases.filter(role.has) == rights)
    }
}

@Suite struct `A role` {
    @Test(
        arguments: [
            ("read", "STATE lobby", nil), ("read", "SUBSCRIBE view:lobby", nil),
            ("read", "SEND lobby pass", "the role is read; required: play"),
            ("read", "FORCE lobby second", "required: master"),
            ("read", "CLIENT SOURCE ui", "required: orchestrator"), ("play", "SEND lobby pass", nil),
            ("play", "send lobby pass", nil), ("play", "PAUSE lobby", "the role is play; required: master"),
            ("play", "NEW b turns", "required: master"), ("orchestrator", "CLIENT SOURCE orchestrator", nil),
            ("orchestrator", "DROP lobby", "required: master"), ("master", "DROP lobby", nil),
            ("master", "CONFIG SET log debug", nil),
            ("play", "CONFIG SET log debug", "'CONFIG SET' command: the role is play; required: master"),
            ("play", "BACKUP", nil), ("play", "BACKUP /tmp/never", "required: master"),
        ] as [(String, String, String?)])
    func `A role runs the commands it has rights for, and a denial names the role that is needed`(
        role: String, line: String, refusal: String?
    ) throws {
        let door = try DaemonWithTokens("who \(role)")
        let answer = try door.answers("who", line)[0]
        guard let refusal else { return #expect(!answer.hasPrefix("-NOPERM"), "\(answer)") }
        #expect(answer.hasPrefix("-NOPERM User 'who' has no permissions to run the '"), "\(answer)")
        #expect(answer.contains(refusal), "\(answer)")
    }

    @Test(arguments: [("read", false), ("play", false), ("orchestrator", false), ("master", true)])
    func `The error for a missing session suggests NEW only to a role that may create sessions`(role: String, isTold: Bool)
        throws
    {
        for line in ["STATE nowhere", "RETRY nowhere"] where line == "STATE nowhere" || isTold {
            let answer = try DaemonWithTokens("who \(role)").answers("who", line)[0]
            #expect(
                answer == "-NOSESSION there is no session 'nowhere'\(isTold ? "; NEW nowhere FLOW creates one" : "")\r\n",
                "\(answer)")
        }
    }

    @Test(arguments: [("play", false), ("master sessions=room-7-*", false), ("master", true)])
    func `A limit error suggests CONFIG SET only to a token that may run it`(role: String, isTold: Bool) throws {
        let door = try DaemonWithTokens("who \(role)")
        door.stepped.daemon.host.limits.payloadBytes = 16
        let answer = try door.answers("who", "SEND room-7-a pass 12345678901234567")[0]
        #expect(answer.hasPrefix("-LIMIT a payload has at most 16 bytes, not 17"), "\(answer)")
        #expect(answer.contains("CONFIG SET payload-bytes") == isTold, "\(answer)")
    }

    @Test(arguments: [("play", false), ("master", true)])
    func `The error for a set-aside session suggests DROP only to a role that may drop it`(role: String, isTold: Bool)
        throws
    {
        let door = try DaemonWithTokens("who \(role)")
        for (name, isQuarantined) in [("old", false), ("ill", true)] {
            let bytes = ByteString(name)
            door.stepped.daemon.sessions.setAsideSessions[bytes] = SetAsideSession(
                name: bytes, id: -1, flow: "gone", problem: "it is so", isQuarantined: isQuarantined)
            let answer = try door.answers("who", "STATE \(name)")[0]
            #expect(answer.hasPrefix("-ASIDE '\(name)' ") && answer.contains(": it is so"), "\(answer)")
            #expect(answer.contains("DROP \(name)") == isTold, "\(answer)")
        }
    }

    @Test func `A command denied to a role within a transaction aborts EXEC`() throws {
        let answers = try DaemonWithTokens("who play").answers("who", "MULTI", "SEND lobby pass", "DROP lobby", "EXEC")
        #expect(answers[1] == "+QUEUED\r\n" && answers[2].hasPrefix("-NOPERM") && answers[3].hasPrefix("-EXECABORT"))
    }

    @Test func `AUTH with another token changes the role, and RESET ends it`() throws {
        let door = try DaemonWithTokens("who play", "boss master")
        let answers = try door.answers(
            "who", "DROP lobby", "AUTH boss \(DaemonWithTokens.secret("boss"))", "DROP lobby", "ACL WHOAMI", "RESET", "PING")
        #expect(answers[0].hasPrefix("-NOPERM"))
        #expect(answers[1...3] == ["+OK\r\n", ":1\r\n", "$4\r\nboss\r\n"])
        #expect(answers[4...] == ["+RESET\r\n", "-NOAUTH Authentication required: AUTH token\r\n"])
    }

    @Test(arguments: [("play", "network"), ("read", "network"), ("orchestrator", "orchestrator"), ("master", "orchestrator")])
    func `AUTH with a token that may not send as an orchestrator ends CLIENT SOURCE`(role: String, source: String) throws {
        let door = try DaemonWithTokens("robot orchestrator", "other \(role)")
        let answers = try door.answers(
            "robot", "CLIENT SOURCE orchestrator", "AUTH other \(DaemonWithTokens.secret("other"))", "CLIENT INFO")
        #expect(answers[0...1] == ["+OK\r\n", "+OK\r\n"])
        #expect(answers[2].contains("role=\(role) source=\(source)\n"), "\(answers)")
    }

    @Test func `CLIENT INFO shows the patterns of a token that may access only some sessions`() throws {
        let door = try DaemonWithTokens("who play sessions=lobby,room-*", "all play")
        #expect(try door.answers("who", "CLIENT INFO")[0].contains(" role=play source=network sessions=lobby,room-*\n"))
        #expect(try !door.answers("all", "CLIENT INFO")[0].contains("sessions="))
    }

    @Test func `The history shows the token's name as the actor of an operator action`() throws {
        let door = try DaemonWithTokens("ann master")
        let history = try door.answers("ann", "PAUSE lobby", "HISTORY lobby COUNT 1")[1]
        #expect(history.contains("$5\r\nactor\r\n$3\r\nann\r\n"), "\(history)")
    }

    @Test func `A command denied to a role is logged once, with the user and the command`() throws {
        let door = try DaemonWithTokens("who read")
        for _ in 0..<20 { _ = try door.answers("who", "DROP lobby", "DROP room-70") }
        let lines = door.logged.filter { $0.contains("refused DROP to who") }
        #expect(lines.count == 1, "\(door.logged)")
        #expect(lines.first?.contains("NOPERM User 'who' has no permissions to run the 'DROP' command") == true)
        _ = try door.answers("who", "FORCE lobby second")
        #expect(door.logged.contains { $0.contains("refused FORCE to who") })
    }
}

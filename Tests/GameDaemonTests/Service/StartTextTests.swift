import Posix
import Testing
@testable import Commands
@testable import GameDaemon
@testable import Posix

@Suite struct `The start text` {
    @Test func `The start text of a program with flows of its own names the program and one of its flows`() throws {
        let options = try Options(parsing: ["--data", "none"], of: "venue")
        let lines = StartText(
            options: options, addresses: ["/tmp/a"], hasToken: false, flow: "escapeRoom", suggests: true, gamectl: nil
        ).lines
        #expect(lines[0] == "venue (gamed \(gamedVersion)) listens at /tmp/a")
        #expect(lines.contains("kept: nothing; sessions end with venue"))
        #expect(lines.last == "try: redis-cli -s \(options.socketPath) NEW main escapeRoom")
    }

    private func lines(
        _ words: [String], addresses: [String] = ["/tmp/a"], token: Bool = false, restored: StartText.Restored = .init(),
        suggests: Bool = true, gamectl: String? = nil
    ) throws -> [String] {
        StartText(
            options: try Options(parsing: ["--socket", addresses[0]] + words), addresses: addresses, hasToken: token,
            flow: "game", restored: restored, suggests: suggests, gamectl: gamectl
        ).lines
    }

    @Test func `The start text lists the addresses, clock and sessions, and ends with lines to copy`() throws {
        #expect(
            try lines(["--session", "main=game", "--limit", "connections=5"], gamectl: "gamectl") == [
                "gamed \(gamedVersion) listens at /tmp/a", "time: system clock",
                "kept: in \(DefaultPaths.data), everysec: a crash may lose the last second",
                "sessions: main (game)", "limits: connections=5", "socket: /tmp/a", "try: gamectl --socket /tmp/a events main",
            ])
    }

    @Test func `The start text shows the flow of a restored session, and not the one that an option names`() throws {
        let restored = StartText.Restored(count: 1, flows: ["main": "turns"])
        #expect(
            try lines(["--session", "main=game", "--session", "side=game"], restored: restored)
                .contains("sessions: main (turns), side (game)"))
    }

    @Test func `The start text says where sessions are kept, and that acknowledged changes are on disk`() throws {
        #expect(
            try lines(["--data", "/var/x", "--durability", "always"])
                .contains("kept: in /var/x, always: acknowledged changes are on disk"))
    }

    @Test func `The start text gives the number of sessions that were set aside`() throws {
        #expect(
            try lines([], restored: .init(count: 2, aside: 1))
                .contains("restored: 2 sessions; 1 is set aside (gamectl --socket /tmp/a sessions --state '!')"))
        #expect(
            try lines([], restored: .init(aside: 2))
                .contains("restored: 0 sessions; 2 are set aside (gamectl --socket /tmp/a sessions --state '!')"))
    }

    @Test func `The start text suggests creating a session if there is none, and gives the rule for TCP`() throws {
        #expect(
            try lines(["--time", "virtual"], addresses: ["/tmp/a b", "127.0.0.1:7"]) == [
                "gamed \(gamedVersion) listens at /tmp/a b, 127.0.0.1:7", "over TCP, every local user may connect",
                "time: virtual; only ADVANCE moves it",
                "kept: nothing; sessions end with gamed", "socket: /tmp/a b", "try: redis-cli -s '/tmp/a b' NEW main game",
            ])
        #expect(
            try lines([], addresses: ["/a", "[::]:7"], token: true)[1]
                == "over TCP, clients must send a token first (AUTH token)")
    }

    @Test func `The start text gives no rule for TCP where only UNIX sockets listen`() throws {
        #expect(try !lines([], addresses: ["/a", "/b"]).contains { $0.contains("over TCP") })
    }

    @Test func `The start text gives the number of restored sessions, and suggests a command for them`() throws {
        let several = try lines([], restored: .init(count: 12, example: "room 7"), gamectl: "gamectl")
        #expect(several.suffix(3) == ["restored: 12 sessions", "socket: /tmp/a", "try: gamectl --socket /tmp/a sessions"])
        #expect(
            try lines([], restored: .init(count: 1, example: "main")).suffix(3) == [
                "restored: 1 session", "socket: /tmp/a", "try: redis-cli -s /tmp/a EVENTS main",
            ])
        #expect(
            try lines(["--session", "main=game"], restored: .init(quarantined: "main")).last
                == "try: redis-cli -s /tmp/a RETRY main")
    }

    @Test func `The start text in a log suggests no command`() throws {
        let lines = try lines(["--session", "main=game"], suggests: false)
        #expect(lines.last == "sessions: main (game)")
    }
}

// The gamectl program against a real gamed.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct `gamectl` {
    @Test func `gamectl commands print readable replies and exit with status 0`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "main=turns"])
        for (words, output) in [
            (["new", "room", "game"], "introduction\n"), (["send", "room", "startPlaying"], "choosingEpisode\n"),
            (["events", "room"], "chooseEpisode\nreturnHome\n"),
            (
                ["timers", "room"],
                "TIMER            LEFT  KIND       PERIOD  EVENT\nchoosingEpisode  30s   countdown  -       timeIsUp\n"
            ),
            (["advance", "12.5s"], "0 timers fired\n"), (["pause", "room"], "the clock is paused\n"),
            (["resume", "room"], "the clock is running\n"),
            (["extend", "room", "choosingEpisode", "1m30s"], "added 1m30s; 1m47.5s left\n"),
            (["send", "room", "chooseEpisode", "3"], "choosingLevel\n"),
            (["next", "--count", "1"], "IN     SESSION  TIMER  EVENT\n17.5s  main     turn   pass\n"),
            (["sessions"], "main\nroom\n"),
            (["sessions", "--flow", "game", "--match", "r*", "--state", "choosingLevel", "--count", "1"], "room\n"),
            (["clock"], "virtual time, 12.5s since the clock began\n"), (["raw", "ping"], "PONG\n"),
            (["force", "room", "introduction"], "introduction\n"), (["drop", "room"], "dropped\n"),
            (["flows"], "game\nstartup\nregistration\nonboarding\npermissions\nturns\n"),
        ] {
            let result = try Program(gamectlPath, words + ["--socket", daemon.socketPath])
            #expect(result.output == output, "\(words)")
            #expect(result.errors == "")
            #expect(result.status == 0)
        }
        #expect(
            try daemon.gamectl("state", "main").output.hasPrefix(
                "session  main\nflow     turns\nstate    first\nfor      12.5s\n"))
        #expect(
            try daemon.gamectl("describe", "turns").output.contains("\nevents\n  pass    from ui, network, bluetooth, timer\n"))
        #expect(try daemon.gamectl("diagram", "turns").output.hasPrefix("digraph"))
        #expect(try daemon.gamectl("info").output.contains("\nsessions:1\n"))
    }

    @Test func `gamectl extend says that the timer fires now if it takes all remaining time, or more`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "main=turns"])
        #expect(try daemon.gamectl("extend", "main", "turn", "-10s").output == "removed 10s; 20s left\n")
        #expect(
            try daemon.gamectl("extend", "main", "turn", "-1h").output == "removed all remaining time: the timer fires now\n")
        #expect(try daemon.gamectl("state", "main").output.contains("\nstate    second\n"))
    }

    @Test func `gamectl prints each reply as one line of JSON with --json`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        for (words, part) in [
            (["state", "room"], #""state":"first","data":{"turn":{"timer":"turn""#), (["events", "room"], #"["pass"]"#),
            (["timers", "room"], #"[{"name":"turn","kind":"countdown","remaining_ms":30000,"#),
            (["history", "room"], #""event":"NEW","payload":null,"timer":null,"from":"first","to":"first","version":0,"#),
            (["next"], #"[{"session":"room","timer":"turn","event":"pass","remaining_ms":30000}]"#),
            (["sessions"], #"["room"]"#), (["new", "a", "turns"], #""first""#), (["send", "room", "pass"], #""second""#),
            (["pause", "room"], #""OK""#), (["resume", "room"], #""OK""#), (["extend", "room", "turn", "1s"], "31000"),
            (["force", "room", "second"], #""second""#), (["flows"], #"["game","#),
            (["describe", "turns"], #"{"flow":"turns","states":["first","second"]"#),
            (["diagram", "turns", "MERMAID"], #""stateDiagram"#), (["clock"], #"{"clock":"virtual","now_ms":0}"#),
            (["advance", "30s"], "2"), (["info"], #"{"server":{"gamed_version":"#), (["raw", "PING"], #""PONG""#),
        ] {
            let result = try Program(gamectlPath, ["--json"] + words, environment: ["GAMED_SOCKET": daemon.socketPath])
            #expect(result.output.contains(part), "\(words): \(result.output)")
            #expect(result.output.hasSuffix("\n") && !result.output.dropLast().contains("\n"), "\(words)")
            #expect(throws: Never.self, "\(words)") {
                try JSONSerialization.jsonObject(with: Data(result.output.utf8), options: .fragmentsAllowed)
            }
            #expect(result.status == 0, "\(words)")
        }
    }

    @Test(arguments: [
        (["send", "room", "pass", "1", "more"], "'more' does not fit there; usage: gamectl send session event"),
        (["history", "room", "COUNT", "0"], "'0' is not a whole number from 1 on; usage: gamectl history session [COUNT n]"),
        (["diagram", "turns", "PNG"], "'PNG' is not DOT, MERMAID or SVG; usage: gamectl diagram flow [DOT|MERMAID|SVG]"),
    ])
    func `Words that do not fit a command are refused with gamectl's own syntax`(words: [String], sentence: String) throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        let result = try Program(gamectlPath, words, environment: ["GAMED_SOCKET": daemon.socketPath])
        #expect(result.status == 64 && result.errors.hasPrefix("gamectl: \(sentence)"), "\(result)")
    }

    @Test func `The cluster of a daemon without a database is refused with what is missing and what to do`() throws {
        let daemon = try RunningDaemon.virtual()
        let result = try daemon.gamectl("cluster")
        #expect(result.status == 1 && result.output.isEmpty, "\(result)")
        #expect(
            result.errors
                == "gamectl: ERR the daemon at \(daemon.socketPath) is not a node of a cluster, because it runs without "
                + "--store; start each node with the same database: gamed --store postgres://gamed@db/gamed (docs/CLUSTER.md)\n"
        )
    }

    @Test(arguments: [["--tls"], ["--tls-ca", "ca.pem"]])
    func `An option for TLS without a TCP address is refused where the daemon is not in a cluster, a variable is not`(
        words: [String]
    ) throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        let result = try Program(gamectlPath, words + ["sessions"], environment: ["GAMED_SOCKET": daemon.socketPath])
        let problem = "\(words[0]) has no effect over the UNIX socket \(daemon.socketPath)"
        #expect(result.status == 64 && result.output.isEmpty, "\(result)")
        #expect(result.errors == "gamectl: \(problem): give the daemon's TCP address, --connect HOST:PORT\n")
        let variables = ["GAMED_SOCKET": daemon.socketPath, "GAMED_TLS": "1"]
        #expect(try Program(gamectlPath, ["sessions"], environment: variables).status == 0)
    }

    @Test func `A missing session that is to be dropped is the same error in JSON as in text`() throws {
        let daemon = try RunningDaemon.virtual()
        let plain = try daemon.gamectl("drop", "nope")
        #expect(plain.status == 1 && plain.errors == "gamectl: NOSESSION there is no session 'nope'\n")
        let json = try daemon.gamectl("--json", "drop", "nope")
        let error = #"{"error":{"code":"NOSESSION","message":"there is no session 'nope'"}}"#
        #expect(json.status == 1 && json.output == error + "\n" && json.errors.isEmpty, "\(json)")
    }

    @Test func `A refused command exits with status 1 and the daemon's error message`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=game"])
        let plain = try daemon.gamectl("send", "room", "chooseLevel", "1")
        #expect(plain.status == 1)
        #expect(plain.output == "")
        #expect(
            plain.errors
                == "gamectl: NOTRANSITION 'chooseLevel' is not valid in 'introduction'; it accepts displayHelp, startPlaying\n")
        let json = try daemon.gamectl("--json", "state", "nobody")
        #expect(json.status == 1)
        #expect(
            json.output
                == #"{"error":{"code":"NOSESSION","message":"there is no session 'nobody'; NEW nobody FLOW creates one"}}"#
                + "\n")
    }

    @Test func `A command without a daemon exits with status 2, naming the address and how to start one`() throws {
        let path = "/tmp/nowhere-\(UUID().uuidString.prefix(8)).sock"
        let plain = try Program(gamectlPath, ["flows"], environment: ["GAMED_SOCKET": path])
        #expect(plain.status == 2)
        #expect(
            plain.errors == """
                gamectl: no daemon listens at \(path) (No such file or directory); start one with: gamed --session main=game --socket \(path)

                """)
        let json = try Program(gamectlPath, ["--json", "flows", "--socket", path])
        #expect(json.status == 2)
        #expect(json.output.hasPrefix(#"{"error":{"code":"NODAEMON","message":"no daemon listens at"#))
        let elsewhere = try Program(gamectlPath, ["flows", "--connect", "127.0.0.1:1"])
        #expect(elsewhere.status == 2)
        #expect(elsewhere.errors.hasPrefix("gamectl: no daemon listens at 127.0.0.1:1 (Connection refused)"))
    }

    @Test(arguments: [["snd"], ["--json", "snd"]])
    func `An invalid command line exits with status 64`(words: [String]) throws {
        let result = try Program(gamectlPath, words)
        #expect(result.status == 64)
        #expect(words.contains("--json") ? result.output.contains(#""code":"USAGE""#) : result.errors.hasPrefix("gamectl: "))
    }

    @Test func `Help and version are printed without a daemon`() throws {
        #expect(try Program(gamectlPath, ["--version"]).output.hasPrefix("gamectl 0."))
        #expect(try Program(gamectlPath, ["help"]).output.hasPrefix("usage: gamectl [options] [command …]"))
        #expect(
            try Program(gamectlPath, ["extend", "--help"]).output.hasPrefix("usage: gamectl extend session timer duration"))
    }

    @Test func `The sessions command lists all 2,500 sessions, or those that match a pattern`() throws {
        let daemon = try RunningDaemon.virtual()
        let begin = (1...2_500).map { "new room-\($0) turns" }.joined(separator: "\n")
        #expect(try daemon.gamectl(input: begin).status == 0)
        #expect(try daemon.gamectl("sessions").output.split(separator: "\n").count == 2_500)
        #expect(try daemon.gamectl("sessions", "--match", "room-?").output.split(separator: "\n").count == 9)
    }

    @Test func `gamectl runs each line of a pipe, and exits with status 1 if one was refused`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        let good = try daemon.gamectl(input: "# a comment\n\nsend room pass   # the other one\nCOMMAND COUNT\nquit\nsnd\n")
        #expect(good.status == 0)
        #expect(good.output.hasPrefix("second\n"))
        #expect(good.errors == "")
        let bad = try daemon.gamectl(input: "snd\nsend room jump\nsend room 'pass\nsend room pass\n")
        #expect(bad.status == 1)
        #expect(bad.output == "first\n")
        #expect(
            bad.errors == """
                gamectl: line 1: unknown command 'snd'; did you mean 'send'?
                gamectl: line 2: BADEVENT 'turns' has no event 'jump'; available: pass
                gamectl: line 3: unbalanced quotes in request: close each quote, add a blank after it, and put JSON in single quotes, '{"a":1}'

                """)
    }

    @Test func `A script continues with RESP3 after RESET, and refuses HELLO 2 and SUBSCRIBE`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        let result = try daemon.gamectl(input: "RESET\nHELLO 2\nSUBSCRIBE session:room\ntimers room\n")
        #expect(result.output.hasPrefix("RESET\nTIMER  LEFT") && result.output.contains("\nturn   30s"), "\(result)")
        #expect(
            result.errors
                == """
                gamectl: line 2: gamectl reads RESP3; redis-cli shows replies as RESP2 has them
                gamectl: line 3: gamectl prints no messages; 'watch' shows sessions live, and redis-cli prints messages

                """)
        #expect(result.status == 1)
    }

    @Test func `Errors of a script have their line number in JSON as well`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        let result = try daemon.gamectl("--json", input: "send room pass\n\nstate nobody\nextend room turn 1m 30s\n")
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 3 && lines[0] == #""second""#)
        #expect(lines[1].hasPrefix(#"{"error":{"code":"NOSESSION","message":"there is no session"#))
        #expect(lines[1].hasSuffix(#","line":3}}"#))
        #expect(lines[2].hasPrefix(#"{"error":{"code":"USAGE","message":"a duration is one word: 1m30s; usage: "#))
        #expect(lines[2].hasSuffix(#","line":4}}"#))
        #expect(result.status == 1)
    }

    @Test func `An unknown session name is answered with the most similar name`() throws {
        let daemon = try RunningDaemon.virtual()
        #expect(try daemon.gamectl("new", "vault", "turns").status == 0)
        #expect(
            try daemon.gamectl("state", "valt").errors
                == "gamectl: NOSESSION there is no session 'valt'; did you mean 'vault'?\n")
        #expect(
            try daemon.gamectl("state", "xyzzy").errors
                == "gamectl: NOSESSION there is no session 'xyzzy'; NEW xyzzy FLOW creates one\n")
    }

    @Test func `The drop command exits with status 1 if the session does not exist`() throws {
        let daemon = try RunningDaemon.virtual()
        let plain = try daemon.gamectl("drop", "nobody")
        #expect((plain.status, plain.output) == (1, ""))
        #expect(plain.errors == "gamectl: NOSESSION there is no session 'nobody'\n")
        let json = try daemon.gamectl("--json", "drop", "nobody")
        let error = #"{"error":{"code":"NOSESSION","message":"there is no session 'nobody'"}}"#
        #expect((json.status, json.output) == (1, error + "\n"))
        #expect(
            try daemon.gamectl(input: "new room turns\ndrop rom\ndrop room\n").errors.hasPrefix("gamectl: line 2: NOSESSION "))
    }

    @Test(arguments: [
        (["sessions"], "there are no sessions; create one with: gamectl new room game\n"),
        (["sessions", "--flow", "game"], "no session matches\n"),
        (["sessions", "--flow", "gam"], "no session matches: there is no flow 'gam'; did you mean 'game'?\n"),
        (["sessions", "--state", "!"], "no session is set aside\n"),
    ])
    func `An empty list is reported on standard error, and is an empty array in JSON`(words: [String], sentence: String) throws
    {
        let daemon = try RunningDaemon.virtual()
        let result = try Program(gamectlPath, words, environment: ["GAMED_SOCKET": daemon.socketPath])
        #expect((result.output, result.errors, result.status) == ("", sentence, 0))
        let json = try Program(gamectlPath, ["--json"] + words, environment: ["GAMED_SOCKET": daemon.socketPath])
        #expect((json.output, json.errors, json.status) == ("[]\n", "", 0))
        let terminal = try Terminal(gamectlPath, ["--socket", daemon.socketPath] + words, home: daemon.folder)
        try terminal.wait(for: String(sentence.dropLast()))
        #expect(terminal.waitForEnd() == 0)
    }

    @Test func `Sessions are listed in natural order, and as a table at a terminal`() throws {
        let daemon = try RunningDaemon.virtual()
        let begin =
            "new room-10 turns\nnew room-2 game\nnew room-1 permissions\nadvance 1.5s\nnew room-x turns\npause room-10\n"
        #expect(try daemon.gamectl(input: begin).status == 0)
        #expect(try daemon.gamectl("sessions").output == "room-1\nroom-2\nroom-10\nroom-x\n")
        #expect(try daemon.gamectl("--json", "sessions").output.hasPrefix(#"["room-1","room-2","room-10","room-x"#))
        let terminal = try Terminal(gamectlPath, ["--socket", daemon.socketPath, "sessions"], home: daemon.folder)
        for text in [
            "SESSION ", "FLOW ", "STATE ", "FOR ", "NEXT", "room-1 ", "permissions", "initial", "1.5s", "room-2 ", "game",
            "introduction", "1.5s", "room-10 ", "turns", "first", "1.5s", "paused", "room-x ", "turns", "first", "0.0s",
            "turn in 30.0s",
        ] { try terminal.wait(for: text) }
        #expect(terminal.waitForEnd() == 0)
    }

    @Test func `A token that the daemon does not require is ignored`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        let result = try daemon.gamectl("--token", "s3cret", "send", "room", "pass")
        #expect(result.output == "second\n")
        #expect(result.status == 0)
    }

    @Test func `A server other than gamed is reported as not a game daemon`() throws {
        let folder = try Folder()
        let path = folder.socket
        let input = Pipe()
        let server = try RunningProgram("nc", ["-l", "-N", "-U", path], input: input)
        defer { server.stop() }
        try input.fileHandleForWriting.write(contentsOf: Data("HTTP/1.1 400 Bad Request\r\n".utf8))
        while !FileManager.default.fileExists(atPath: path) { sched_yield() }
        let result = try Program(gamectlPath, ["flows", "--socket", path])
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("gamectl: the server at \(path) is not a game daemon"), "\(result.errors)")
    }

    @Test(arguments: ["console", "letters", "watch", "lines"])
    func `The console, in any locale, the watch and piped commands pass the script for terminals and pipes`(what: String) throws
    {
        let python = packageRoot.appending(path: ".build/clients/bin/python").path
        try #require(FileManager.default.isExecutableFile(atPath: python), "make deps-test installs it")
        let daemon = try RunningDaemon(nil)
        _ = daemon.readLine()
        #expect(try daemon.gamectl("new", "room", "turns").status == 0)
        let script = packageRoot.appending(path: "Tests/Clients/gamectl_live.py").path
        let result = try Program(
            python,
            [script, what, gamectlPath, daemon.socketPath, daemon.folder.path, "\(daemon.processID)"])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output == "content\n")
    }
}

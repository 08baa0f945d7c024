// The standard streams of the real programs: closed, full, or without a reader.

import Foundation
import TestSupport
import Testing

/// Runs the program with redirections by the shell, such as `>&-` or `2>/dev/full`.
private func run(_ program: String, _ words: [String], _ streams: String, socket: String = "/nowhere") throws -> Program {
    try Program(
        "/bin/sh", ["-c", "exec \"$0\" \"$@\" \(streams)", program] + words, environment: ["GAMED_SOCKET": socket])
}

private let scenario = packageRoot.appending(path: "Examples/Scenarios/game.scenario").path

@Suite struct `Standard streams of gamectl` {
    @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
    func `Closed standard streams do not turn printed session names into commands`(streams: String) throws {
        let daemon = try RunningDaemon.virtual(["--session", "victim=turns"])
        #expect(try daemon.gamectl("new", "DROP victim", "turns").status == 0)
        let result = try run(gamectlPath, ["sessions"], streams, socket: daemon.socketPath)
        #expect(try daemon.gamectl("sessions").output.split(separator: "\n").sorted() == ["DROP victim", "victim"])
        #expect(result.status == (streams.contains(/(^| )>&-/) ? 74 : 0))
    }

    @Test func `A byte order mark at the beginning of piped commands and of a token file is ignored`() throws {
        let folder = try Folder()
        let file = folder.path + "/token"
        try Data("\u{FEFF}a-secret-of-a-screen\n".utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let daemon = try RunningDaemon.virtual(["--session", "room=turns", "--token-file", file])
        let environment = ["GAMED_SOCKET": daemon.socketPath]
        let sent = try Program(
            gamectlPath, ["--token-file", file], input: "\u{FEFF}send room pass\nsend room pass\n", environment: environment)
        #expect(sent.status == 0, "\(sent.errors)")
        let wrong = try Program(gamectlPath, [], input: "send room pass\n\u{FEFF}send room pass\n", environment: environment)
        #expect(wrong.errors.contains("line 2"), "\(wrong.errors)")
        #expect(wrong.status != 0)
    }

    static let sayings = [
        ["sessions"], ["--json", "sessions"], ["state", "room"], ["--json", "state", "room"], ["history", "room"],
        ["raw", "PING"], ["replay", "room"], ["--json", "replay", "room"], ["test", scenario], ["--json", "test", scenario],
        ["help"], ["help", "send"], ["--version"],
    ]

    @Test(arguments: [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")])
    func `A full or closed standard output ends every command with status 74`(streams: String, reason: String) throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        #expect(try daemon.gamectl("send", "room", "pass").status == 0)
        for words in Self.sayings {
            let result = try run(gamectlPath, words, streams, socket: daemon.socketPath)
            #expect(result.errors == "gamectl: cannot write to standard output: \(reason)\n", "\(words)")
            #expect(result.status == 74, "\(words)")
        }
        // JSON errors go to standard output; if that fails, gamectl reports the failure on standard error.
        let refused = try run(gamectlPath, ["--json", "state", "nobody"], streams, socket: daemon.socketPath)
        #expect(refused.errors == "gamectl: cannot write to standard output: \(reason)\n")
        #expect(refused.status == 74)
    }

    @Test func `A full standard output ends a watch with an error`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        let watch = try RunningProgram(
            gamectlPath, ["watch", "--socket", daemon.socketPath], output: FileHandle(forWritingAtPath: "/dev/full"))
        // The watch may not have subscribed yet, so events are sent until it ends.
        while watch.isRunning { #expect(try daemon.gamectl("send", "room", "pass").status == 0) }
        #expect(watch.waitForStatus() == 74)
        #expect(watch.errors.hasSuffix("\ngamectl: cannot write to standard output: No space left on device\n"))
    }

    @Test func `A full standard output or an unreadable standard input ends a script with an error`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        let script = daemon.folder.appending(path: "script")
        try "send room pass\nsend room pass\n".write(to: script, atomically: true, encoding: .utf8)
        let full = try run(gamectlPath, [], "<\(script.path) >/dev/full", socket: daemon.socketPath)
        #expect(full.errors == "gamectl: cannot write to standard output: No space left on device\n")
        #expect(full.status == 74)
        // The second line was not executed.
        #expect(try daemon.gamectl("state", "room").output.contains("second"))
        let closed = try run(gamectlPath, [], "<&-", socket: daemon.socketPath)
        #expect(closed.errors == "gamectl: cannot read standard input: Bad file descriptor\n")
        #expect(closed.status == 74)
        let folder = try run(gamectlPath, [], "</tmp", socket: daemon.socketPath)
        #expect(folder.errors == "gamectl: cannot read standard input: Is a directory\n")
        #expect(folder.status == 74)
    }

    @Test func `A standard output without a reader ends gamectl by SIGPIPE, without an error message`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        for words in [["sessions"], ["--json", "state", "nobody"], ["test", scenario], ["help"]] {
            let result = try Program(
                gamectlPath, words, into: pipeWithoutReader(), environment: ["GAMED_SOCKET": daemon.socketPath])
            #expect(result.status == -SIGPIPE, "\(words)")
            #expect(result.errors == "")
        }
    }
}

@Suite struct `Standard streams of gamed` {
    @Test(arguments: [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")])
    func `A full or closed standard output ends commands of gamed that print with status 74`(streams: String, reason: String)
        throws
    {
        let folder = try Folder()
        let serve = ["--data", "none", "--socket", folder.socket]
        for words in [["--help"], ["--version"], ["--manual", "gamed"], serve + ["--check"]] {
            let result = try run(gamedPath, words, streams)
            #expect(result.errors == "gamed: cannot write to standard output: \(reason)\n", "\(words)")
            #expect(result.status == 74, "\(words)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func `A standard output without a reader ends commands that print, but not a listening daemon`() throws {
        for words in [["--help"], ["--version"], ["--manual", "gamed"]] {
            let result = try Program(gamedPath, words, into: pipeWithoutReader())
            #expect(result.status == -SIGPIPE, "\(words)")
            #expect(result.errors == "")
        }
        let folder = try Folder()
        let daemon = try RunningProgram(
            gamedPath, ["--data", "none", "--socket", folder.socket], output: pipeWithoutReader())
        while daemon.isRunning, try Program(gamectlPath, ["flows", "--socket", folder.socket]).status != 0 {}
        #expect(daemon.stop() == 0)
    }

    @Test func `A standard output that fills up ends a console with an error`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "console-\(UUID().uuidString.prefix(8))").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        // A file size limit of two blocks simulates a disk that fills up after the first lines.
        let limited = "trap '' XFSZ; ulimit -f 2; exec \"$0\" \"$@\" >\(file)"
        let words = ["--data", "none", "--socket", file + ".sock", "--session", "a=turns", "--console"]
        let result = try Program(
            "/bin/sh", ["-c", limited, gamedPath] + words, input: String(repeating: "pass\n", count: 1_000))
        #expect(result.errors == "gamed: cannot write to standard output: File too large\n")
        #expect(result.status == 74)
    }

    @Test(arguments: ["<&-", "2>&-", "<&- 2>&-"])
    func `Closed standard streams are never used for a connection`(streams: String) throws {
        let folder = try Folder()
        let words = [gamedPath, "--data", "none", "--socket", folder.socket]
        let daemon = try RunningProgram("/bin/sh", ["-c", "exec \"$0\" \"$@\" \(streams)"] + words)
        #expect(daemon.says("gamed"))
        let closed = [("<&-", 0), ("2>&-", 2)].filter { streams.contains($0.0) }.map(\.1)
        for descriptor in closed {
            let place = "/proc/\(daemon.processID)/fd/\(descriptor)"
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place) == "/dev/null")
        }
        #expect(daemon.stop() == 0)
    }
}

// The console in a terminal, and through pipes.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct `The console of a daemon` {
    private let daemon = productsDirectory.appending(path: "gamed").path

    private func inFolder<Result>(_ body: (_ socket: String) throws -> Result) throws -> Result {
        let folder = try Folder()
        return try withExtendedLifetime(folder) { try body(folder.socket) }
    }

    @Test(arguments: ["q", "ctrl-c", "ctrl-d", "SIGTERM", "crash"])
    func `A console restores the terminal's settings, however it ends`(end: String) throws {
        let python = packageRoot.appending(path: ".build/clients/bin/python").path
        try #require(FileManager.default.isExecutableFile(atPath: python), "make deps-test makes it")
        let script = packageRoot.appending(path: "Tests/Clients/console_pty.py").path
        try inFolder { socket in
            let result = try run(python, [script, daemon, socket, end])
            #expect(result.output == "played\n")
            #expect(result.status == 0)
        }
    }

    @Test func `A trap of a flow while the console reads keys quarantines the session`() throws {
        let folder = try Folder()
        let program = productsDirectory.appending(path: "trap-probe").path
        let terminal = try Terminal(
            "SWIFT_BACKTRACE=enable=no",
            [program, "--socket", folder.socket, "--data", folder.data, "--durability", "always", "--console"],
            home: URL(fileURLWithPath: folder.path))
        try terminal.wait(for: "There is no session.")
        #expect(try !TestClient(folder.socket).ask("NEW a trapper").isError)
        terminal.type("@a\rtrap illegal\r")
        _ = terminal.waitForEnd()

        let next = try RunningDaemon(keepingIn: folder, program: "trap-probe")
        try #require(next.waitUntilUp(), "\(next.errors)")
        let problem = "'a' is quarantined: the daemon died while 'a' handled 'trap'; "
        #expect(try next.ask("STATE", "a").sentence?.hasPrefix(problem) == true)
        #expect(next.stop() == 0)
    }

    @Test func `Lines from a pipe are sent as events, and every change is printed`() throws {
        try inFolder { socket in
            let result = try run(
                daemon, ["--socket", socket, "--data", "none", "--session", "main=game", "--time", "virtual", "--console"],
                input: "startPlaying\nchooseLevel 1\n\n# a comment\nchooseEpisode {\"episode\": 3}\n@nobody\nchooseLevel 2")
            #expect(result.status == 0)
            let expected = """
                main: introduction: Welcome: Four episodes of five levels are waiting.
                  may displayHelp
                  may startPlaying
                main: choosingEpisode: Choose an episode: There are four.
                  may chooseEpisode (episode: 1 to 4)
                  may returnHome
                  choosingEpisode in 30.0 s
                refused: 'chooseLevel' is not valid in 'choosingEpisode'; it accepts chooseEpisode, returnHome
                main: choosingLevel: Episode 3: Choose one of five levels.
                  may chooseLevel (level: 1 to 5)
                  may returnHome
                  choosingLevel in 30.0 s
                refused: there is no session 'nobody'; NEW nobody FLOW creates it
                main: playingLevel: Episode 3, level 2: 0 seconds played.

                """
            #expect(result.output.contains(expected), "\(result.output)")
        }
    }

    @Test func `A console on a dumb terminal reads lines and prints changes without control sequences`() throws {
        let folder = try Folder()
        let words = ["--data", "none", "--session", "room=turns", "--time", "virtual", "--console"]
        let terminal = try Terminal(
            daemon, ["--socket", folder.socket] + words, home: URL(fileURLWithPath: folder.path), kind: "dumb")
        terminal.type("pass\n")
        let printed = try terminal.wait(for: #/(?s)^(.*)room: second: /#)
        #expect(printed.contains("room: first: "))
        #expect(!printed.contains("\u{1b}"))
        terminal.type("\u{4}")
        #expect(terminal.waitForEnd() == 0)
    }

    @Test func `The NEW command that the console suggests creates a session through a pipe`() throws {
        try inFolder { socket in
            let result = try run(
                daemon, ["--socket", socket, "--data", "none", "--time", "virtual", "--console"], input: "NEW main game\nquit\n"
            )
            #expect(result.status == 0)
            #expect(
                result.output.contains(
                    """
                    there is no session; NEW main game creates one
                    main: introduction: Welcome: Four episodes of five levels are waiting.

                    """), "\(result.output)")
        }
    }

    @Test func `A console reads events from a file and prints each state`() throws {
        try inFolder { socket in
            let script = socket + ".txt"
            try "pass\npass\n".write(toFile: script, atomically: true, encoding: .utf8)
            let result = try run(
                "/bin/sh",
                [
                    "-c", "exec \"$0\" --socket \"$1\" --data none --session room=turns --console room <\"$2\"", daemon,
                    socket, script,
                ])
            #expect(result.status == 0)
            let states = result.output.split(separator: "\n").filter { $0.hasPrefix("room: ") }.map {
                $0.split(separator: ":")[1]
            }
            #expect(states == [" first", " second", " first"])
        }
    }

    @Test func `A line that is too long or is not UTF-8 is refused as a whole, and the next line is handled`() throws {
        try inFolder { socket in
            let line = { (words: String, count: Int) in Array((words + String(repeating: "x", count: count)).utf8) }
            let (longest, newline) = (65_536, UInt8(ascii: "\n"))
            let input = [
                line("#", longest - 1), line("#", longest), line("pass ", 200_000), line("pass ", 0) + [0xFF], line("pass", 0),
                line("", 200_000),
            ].joined(separator: [newline])
            let file = socket + ".txt"
            try Data(input).write(to: URL(fileURLWithPath: file))
            let result = try run(
                "/bin/sh",
                [
                    "-c", "cat \"$2\" | \"$0\" --socket \"$1\" --data none --session room=turns --time virtual --console room",
                    daemon, socket, file,
                ])
            #expect(result.status == 0)
            let tooLong = "refused: the line has more than 65536 bytes"
            let lines = result.output.split(separator: "\n").filter { $0.hasPrefix("refused: ") || $0.hasPrefix("room: ") }.map(
                String.init)
            #expect(
                lines == [
                    "room: first: First player's turn: Pass when you are done.", tooLong, tooLong,
                    "refused: the line is not text in UTF-8", "room: second: Second player's turn: Pass when you are done.",
                    tooLong,
                ])
        }
    }

    @Test(arguments: ["quit\npass\nnonsense\nquit\n", "quit\npass\nnonsense", "pass\nquit"])
    func `A console does nothing with the lines behind quit`(input: String) throws {
        try inFolder { socket in
            let result = try run(
                daemon, ["--socket", socket, "--data", "none", "--session", "room=turns", "--time", "virtual", "--console"],
                input: input)
            #expect(result.status == 0)
            #expect(!result.output.contains("refused"), "\(result.output)")
        }
    }

    @Test func `A console whose output had to wait prints its refusals and the newest picture once it is read`() throws {
        let (input, output) = (Pipe(), Pipe())
        try inFolder { socket in
            let daemon = try RunningProgram(
                daemon,
                [
                    "--socket", socket, "--data", "none", "--session", "hall=turns", "--session", "room=turns", "--time",
                    "virtual", "--console", "room",
                ], input: input, output: output)
            let (count, name) = (25_000, String(repeating: "n", count: 500))
            let lines = String(repeating: "pass\n", count: count) + String(repeating: "@\(name)\n", count: 3) + "@hall\npass\n"
            try input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
            let state = { try Program(gamectlPath, ["--socket", socket, "--json", "state", $0]).output }
            #expect(try eventually { try state("hall").contains(#""version":1"#) })
            #expect(try state("room").contains(#""version":\#(count)"#))
            let descriptor = output.fileHandleForReading.fileDescriptor
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            var (text, part) = ([UInt8](), [UInt8](repeating: 0, count: 64 << 10))
            let isPrinted = eventually {
                let count = read(descriptor, &part, part.count)
                if count > 0 { text += part[..<count] }
                return String(decoding: text.suffix(1_000), as: UTF8.self).contains("hall: second")
            }
            #expect(isPrinted)
            let last = "there is no session '\(name)'; NEW \(name) FLOW creates it"
            #expect(
                String(decoding: text.suffix(3_000), as: UTF8.self).contains(
                    "\nrefused: 3 lines; the last: \(last)\nhall: second"))
            #expect(daemon.stop() == 0)
        }
    }

    @Test(arguments: ["", "quit\n"])
    func `A console whose input has ended prints all that its output has no room for before the daemon ends`(end: String) throws
    {
        let output = Pipe()
        try inFolder { socket in
            let (script, count) = (socket + ".txt", 5_000)
            try (String(repeating: "pass\n", count: count) + end).write(toFile: script, atomically: true, encoding: .utf8)
            let daemon = try RunningProgram(
                daemon, ["--socket", socket, "--data", "none", "--session", "room=turns", "--time", "virtual", "--console"],
                input: FileHandle(forReadingAtPath: script), output: output)
            let state = { try Program(gamectlPath, ["--socket", socket, "--json", "state", "room"]).output }
            #expect(try eventually { try state().contains(#""version":\#(count)"#) })
            let descriptor = output.fileHandleForReading.fileDescriptor
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            var (text, part) = ([UInt8](), [UInt8](repeating: 0, count: 64 << 10))
            let isPrinted = eventually {
                let hasEnded = !daemon.isRunning
                let count = read(descriptor, &part, part.count)
                if count > 0 { text += part[..<count] }
                return hasEnded && count <= 0
            }
            #expect(isPrinted)
            let states = String(decoding: text, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("room: ") }
            #expect(states.count == 1 + count)
            #expect(daemon.waitForStatus() == 0)
        }
    }

    @Test func `A console for a session that does not exist is refused with status 64`() throws {
        try inFolder { socket in
            let result = try run(daemon, ["--socket", socket, "--data", "none", "--console", "nobody"])
            #expect(result.status == 64)
            #expect(
                result.output.contains(
                    "--console shows an existing session, not 'nobody'; --session nobody=FLOW creates it"))
            #expect(!FileManager.default.fileExists(atPath: socket))
        }
    }
}

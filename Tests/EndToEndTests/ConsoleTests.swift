// The console as somebody uses it: in a terminal, and through pipes.

import Foundation
import Testing

@Suite(.serialized) struct `At the console` {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func run(_ program: URL, _ arguments: [String], input: String = "") throws -> (output: String, status: Int32) {
        let (process, output, standardInput) = (Process(), Pipe(), Pipe())
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        process.standardInput = standardInput
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (text, process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
    }

    private func inFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gamed-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.path + "/gamed.sock")
    }

    private let daemon = productsDirectory.appending(path: "gamed")

    @Test(arguments: ["ctrl-c", "ctrl-d", "SIGTERM", "crash"])
    func `a game is played on a terminal, which is as it was afterwards`(end: String) throws {
        let python = Self.root.appending(path: ".build/clients/bin/python")
        try #require(FileManager.default.isExecutableFile(atPath: python.path), "make deps-test makes it")
        let script = Self.root.appending(path: "Tests/Clients/console_pty.py").path
        try inFolder { socket in
            let result = try run(python, [script, daemon.path, socket, end])
            #expect(result.output == "played\n")
            #expect(result.status == 0)
        }
    }

    @Test func `lines through a pipe are events, and every change is told`() throws {
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
                  choosingEpisode in 30.0 s
                refused: 'chooseLevel' is not valid in 'choosingEpisode'; it accepts chooseEpisode
                main: choosingLevel: Episode 3: Choose one of five levels.
                  may chooseLevel (level: 1 to 5)
                  choosingLevel in 30.0 s
                refused: there is no session 'nobody'
                main: playingLevel: Episode 3, level 2: 0 seconds played.

                """
            #expect(result.output.contains(expected), "\(result.output)")
        }
    }

    @Test func `a file can be played from, and what happens elsewhere is seen too`() throws {
        try inFolder { socket in
            let script = socket + ".txt"
            try "pass\npass\n".write(toFile: script, atomically: true, encoding: .utf8)
            let shell = URL(fileURLWithPath: "/bin/sh")
            let result = try run(
                shell,
                [
                    "-c", "exec \"$0\" --socket \"$1\" --data none --session room=turns --console room <\"$2\"", daemon.path,
                    socket, script,
                ])
            #expect(result.status == 0)
            let states = result.output.split(separator: "\n").filter { $0.hasPrefix("room: ") }.map {
                $0.split(separator: ":")[1]
            }
            #expect(states == [" first", " second", " first"])
        }
    }

    @Test func `a session that there is not cannot be shown`() throws {
        try inFolder { socket in
            let result = try run(daemon, ["--socket", socket, "--data", "none", "--console", "nobody"])
            #expect(result.status == 64)
            #expect(
                result.output.contains(
                    "--console shows a session that there is, and not 'nobody'; --session nobody=FLOW begins it"))
            #expect(!FileManager.default.fileExists(atPath: socket))
        }
    }
}

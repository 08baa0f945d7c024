// Hostile command lines and input.

import Foundation
import TestSupport
import Testing

@Suite struct `Hostile words of a command line` {
    private let gamed = productsDirectory.appending(path: "gamed").path

    /// A shell passes bytes that a Swift string cannot hold.
    private func run(_ program: String, _ words: String, socket: String = "/nowhere") throws -> Program {
        try Program("/bin/sh", ["-c", "exec \"$0\" \(words)", program], environment: ["GAMED_SOCKET": socket])
    }

    @Test func `A word that is not UTF-8 is refused instead of repaired into another name`() throws {
        let daemon = try RunningDaemon.virtual()
        #expect(try daemon.gamectl("new", "\u{FFFD}", "turns").status == 0)
        let drop = try run(gamectlPath, "drop \"$(printf '\\377')\"", socket: daemon.socketPath)
        #expect(drop.errors == "gamectl: word 2 of the command line is not text in UTF-8\n")
        #expect(drop.status == 64)
        #expect(try daemon.gamectl("sessions").output == "\u{FFFD}\n")
        let start = try run(gamed, "--check --data \"$(printf '/tmp/caf\\351')\"")
        #expect(start.errors == "gamed: word 3 of the command line is not text in UTF-8\n")
        #expect(start.status == 64)
    }

    @Test func `A line of a script that is not UTF-8 is refused instead of repaired, and the script continues`() throws {
        let daemon = try RunningDaemon.virtual()
        #expect(try daemon.gamectl("new", "\u{FFFD}", "turns").status == 0)
        let lines = "printf 'drop \\377\\nsessions\\n'"
        let result = try Program(
            "/bin/sh", ["-c", "\(lines) | \"$0\"", gamectlPath], environment: ["GAMED_SOCKET": daemon.socketPath])
        #expect(result.errors == "gamectl: line 1: the line is not text in UTF-8\n")
        #expect(result.output == "\u{FFFD}\n")
        #expect(result.status == 1)
    }

    @Test(.timeLimit(.minutes(1))) func `Very long words are refused quickly, and shortened in the error`() throws {
        let long = String(repeating: "sen", count: 40_000)
        for (program, words) in [
            (gamectlPath, [long]), (gamectlPath, ["help", long]), (gamectlPath, ["--" + long]), (gamed, [long]),
        ] {
            let result = try Program(program, words)
            #expect(result.status == 64)
            #expect(result.errors.utf8.count < 1_000, "\(result.errors.prefix(200))")
        }
    }

    @Test func `Control characters in a command line are escaped when a check prints them`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "words-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let result = try Program(gamed, ["--check", "--data", "none", "--socket", folder.path + "/a\n\u{1b}[31mb"])
        #expect(result.status == 0)
        #expect(result.output.hasPrefix(#"would print: gamed 0.1.0 listens at \#(folder.path)/a\n\u{1b}[31mb"# + "\n"))
        #expect(!result.output.contains("\u{1b}"))
    }

    @Test(.timeLimit(.minutes(1))) func `Endless standard input and an endless scenario file are refused at 64 MB`() throws {
        let daemon = try RunningDaemon.virtual()
        let result = try run(gamectlPath, "</dev/zero", socket: daemon.socketPath)
        #expect(result.errors == "gamectl: standard input has a line of more than 64 MB, which is too long for a command\n")
        #expect(result.status == 64)
        let scenario = try run(gamectlPath, "test /dev/zero")
        #expect(scenario.errors == "/dev/zero: it cannot be read: it is larger than 64 MB\n")
        #expect(scenario.status == 74)
    }
}

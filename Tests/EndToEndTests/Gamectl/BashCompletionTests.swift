// Completion in a real bash, as the package installs it.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct `The TAB key in bash` {
    private let daemon: RunningDaemon

    init() throws {
        daemon = try RunningDaemon.virtual(["--session", "room-1=turns", "--session", "hall:a=game"])
    }

    /// Starts a shell that has loaded the completions of both programs.
    private func shell(socket: String? = nil) throws -> Terminal {
        let path = productsDirectory.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        let words = ["PATH=" + path, "INPUTRC=/dev/null", "PS1=ready> ", "bash", "--norc", "--noprofile", "-i"]
        let terminal = try Terminal("GAMED_SOCKET=\(socket ?? daemon.socketPath)", words, home: daemon.folder)
        try terminal.wait(for: "ready> ")
        terminal.type(
            "eval \"$(gamectl completions bash)\" && eval \"$(gamed --completions bash)\"; bind 'set enable-bracketed-paste off'\r"
        )
        try terminal.wait(for: "off'")
        try terminal.wait(for: "ready> ")
        return terminal
    }

    @Test func `The TAB key completes gamectl's commands, and the daemon's sessions, events and flows`() throws {
        let terminal = try shell()
        for (typed, completed) in [
            ("gamectl undr", "gamectl undrop "), ("gamectl state roo", "gamectl state room-1 "),
            ("gamectl send room-1 ", "gamectl send room-1 pass "),
            ("gamectl state hal", "gamectl state hall:a "),
            ("gamectl send hall:a sta", "gamectl send hall:a startPlaying "),
            ("gamectl --json diagram tur", "gamectl --json diagram turns "),
            ("gamectl sessions --fl", "gamectl sessions --flow "), ("gamectl completions z", "gamectl completions zsh "),
            ("gamectl --socket \(daemon.folder.path)/gamed.so", "gamectl --socket \(daemon.folder.path)/gamed.sock "),
        ] {
            terminal.type("\(typed)\t#\u{01}echo '\u{05}'\r")
            try terminal.wait(for: "\r\n\(completed)#\r\n")
            try terminal.wait(for: "ready> ")
        }
    }

    @Test func `The TAB key completes gamed's options and their values`() throws {
        let terminal = try shell()
        for (typed, completed) in [
            ("gamed --dur", "gamed --durability "), ("gamed --durability al", "gamed --durability always "),
            ("gamed --durability=ev", "gamed --durability=everysec "), ("gamed --durability=", "gamed --durability="),
            ("gamed rep", "gamed replay "), ("gamed test --ver", "gamed test --verbose "),
            ("gamed --data no", "gamed --data none "),
            ("gamed --flows=\(daemon.folder.path)/error", "gamed --flows=\(daemon.folder.path)/errors.txt "),
            ("gamed --flows \(daemon.folder.path)/error", "gamed --flows \(daemon.folder.path)/errors.txt "),
        ] {
            terminal.type("\(typed)\t#\u{01}echo '\u{05}'\r")
            try terminal.wait(for: "\r\n\(completed)#\r\n")
            try terminal.wait(for: "ready> ")
        }
    }

    @Test func `The TAB key offers every option that gamed's help shows, and no other`() throws {
        let (help, _) = try run(productsDirectory.appending(path: "gamed").path, ["--help"])
        let shown = help.split(separator: "\n").filter { $0.hasPrefix("  --") }.map { $0.dropFirst(2).prefix { $0 != " " } }
        #expect(shown.count > 30)
        let (offered, _) = try run(productsDirectory.appending(path: "gamed").path, ["complete", "--", "--"])
        #expect(
            offered.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }.sorted() == shown.map(String.init).sorted())
    }

    /// Words as typed, the words that fit next, and the exit status.
    private static let fitting: [(String, String, Int32)] = [
        ("--durability _", "always everysec none", 0), ("--log _", "error warning notice info debug", 0), ("--store _", "", 0),
        ("--tls-cert _", "", 1),
        ("--data _", "", 1), ("--data=n", "--data=none", 0), ("--manual", "", 0), ("check _", "", 1),
        ("check --same", "--same-as", 0), ("nonsense _", "", 1), ("--time=virtual --durability n", "none", 0),
    ]

    @Test(arguments: fitting)
    func `The output and exit status of gamed complete give the words that fit next`(
        _ typed: String, _ words: String, _ status: Int32
    ) throws {
        let typed = typed.split(separator: " ").map { $0 == "_" ? "" : String($0) }
        let (output, actual) = try run(productsDirectory.appending(path: "gamed").path, ["complete", "--"] + typed)
        #expect(output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }.joined(separator: " ") == words)
        #expect(actual == status)
    }

    @Test func `The TAB key prints no error without a daemon`() throws {
        let terminal = try shell(socket: "/nonexistent/socket")
        terminal.type("gamectl state ro\t#\u{01}echo '\u{05}'\r")
        try terminal.wait(for: "\r\ngamectl state ro#\r\n")
    }

    /// Clients choose session names, and the shell runs the completed line.
    @Test(arguments: [
        "a;reboot", "a$(id)", "a`id`", "a|b", "a&b", "a>b", "a*", "a!b", "~a", "a{b,c}", "-rf", "a#b", "a\\b", "a(b)",
    ])
    func `The TAB key offers no session name with characters that are special to a shell`(name: String) throws {
        #expect(try daemon.gamectl("--", "new", name, "turns").status == 0)
        let prefix = String(name.prefix(1))
        #expect(try !daemon.gamectl("complete", "--", "state", prefix).output.contains(name))
    }

    @Test func `A completion ends within 5 seconds without output if the daemon does not reply`() throws {
        daemon.signal(SIGSTOP)
        defer { daemon.signal(SIGCONT) }
        let length = try again(while: { (length: Duration) in length >= .seconds(5) }) {
            let began = ContinuousClock.now
            let result = try daemon.gamectl("complete", "--", "state", "ro")
            #expect(result.output == "" && result.errors == "")
            return ContinuousClock.now - began
        }
        #expect(length < .seconds(5))
    }
}

// The command line: how it is parsed, and its errors.

import Foundation
import Posix
import TLS
import Testing
@testable import Commands
@testable import Client
@testable import GameControl
@testable import Simulation

@Suite struct `gamectl's command line` {
    private func parse(_ words: [String]) throws(ControlError) -> Invocation {
        var call = Invocation(address: .socket("/run/it.sock"))
        try call.parse(words, with: subcommands)
        return call
    }

    private func sentence(_ words: [String]) -> String {
        let error = #expect(throws: ControlError.self) { try parse(words) }
        #expect(error?.status == .usage)
        return error?.sentence ?? ""
    }

    @Test func `A command line without a command opens the console`() throws {
        #expect(try parse([]).task == .console)
        #expect(try parse(["--json"]).task == .console)
    }

    @Test(arguments: [
        ["send", "room", "chooseEpisode", "3", "--socket", "/a", "--json"],
        ["--socket=/a", "--json", "send", "room", "chooseEpisode", "3"],
        ["--json", "SEND", "--socket", "/a", "room", "--", "chooseEpisode", "3"],
    ])
    func `Options are accepted anywhere in a command line`(words: [String]) throws {
        let call = try parse(words)
        #expect(call.task == .command(name: "send"))
        #expect(call.words == ["room", "chooseEpisode", "3"])
        #expect(call.address == .socket("/a"))
        #expect(call.isJSON)
    }

    @Test func `A negative duration is not an option, and neither is a word after two dashes`() throws {
        #expect(try parse(["extend", "room", "lobby", "-10s"]).words == ["room", "lobby", "-10s"])
        #expect(try parse(["send", "room", "say", "--", "--json"]).words == ["room", "say", "--json"])
        #expect(try parse(["--", "state", "room"]).task == .command(name: "state"))
    }

    @Test func `A command accepts its own options and refuses those of other commands`() throws {
        let call = try parse(["sessions", "--match", "room-*", "--flow=game"])
        #expect(call.options == ["--match": "room-*", "--flow": "game"])
        #expect(try parse(["test", "a", "--verbose", "b"]).words == ["a", "b"])
        #expect(sentence(["send", "--match", "x"]).hasPrefix("unknown option '--match'; available: --"))
        #expect(sentence(["send", "--match", "x"]).hasSuffix("; gamectl send --help explains them"))
        #expect(sentence(["sessions", "--stat", "x"]) == "unknown option '--stat'; did you mean '--state'?")
    }

    @Test(arguments: [
        ("localhost:7777", ServerAddress.tcp(HostAndPort(host: "localhost", port: 7_777))),
        ("[::1]:80", .tcp(HostAndPort(host: "::1", port: 80))),
    ])
    func `The --connect option sets the daemon's host and port`(text: String, address: ServerAddress) throws {
        #expect(try parse(["flows", "--connect", text, "--token", "s3cret"]).address == address)
        #expect("\(address)" == text)
    }

    @Test(arguments: ["localhost", ":80", "host:", "host:0", "host:99999", "::1:80", "host:http"])
    func `An invalid address is refused`(text: String) {
        #expect(sentence(["flows", "--connect", text]).hasPrefix("--connect is HOST:PORT, like localhost:7777"))
    }

    @Test(arguments: [("/nowhere/token", "there is no such file"), ("/", "Is a directory")])
    func `A token file that cannot be read is an error of a file, with its exit status`(path: String, reason: String) {
        let error = #expect(throws: ControlError.self) { try parse(["--token-file", path, "flows"]) }
        #expect(error == ControlError.file(FileError("read", path, reason: reason)))
        #expect(error?.status == .inputOutput)
    }

    /// Its first line is a word on every machine.
    private static let tokenFile = "/proc/sys/kernel/ostype"

    @Test func `A token file without a token is an error of the file`() {
        let error = #expect(throws: ControlError.self) { try parse(["--token-file", "/dev/null", "flows"]) }
        #expect(error?.status == .badInput)
        #expect(error?.sentence == "/dev/null: its first line is empty; it must be the token")
    }

    @Test func `The daemon's token file is not sent as a token`() throws {
        let file = FileManager.default.temporaryDirectory.path + "/tokens-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: file) }
        for line in ["# gamed's tokens: NAME ROLE", "ann master sha256=\(String(repeating: "0", count: 64))"] {
            try line.write(toFile: file, atomically: true, encoding: .utf8)
            let error = #expect(throws: ControlError.self) { try parse(["--token-file", file, "flows"]) }
            #expect(error?.status == .badInput)
            #expect(error?.sentence.hasPrefix("\(file): its first line is not a token, which is one word; ") == true)
        }
        try "ann.s3cret\r\nmore words\n".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try parse(["--token-file", file, "flows"]).token?.secret == "ann.s3cret")
    }

    @Test(arguments: [
        (ControlError.refused(code: .noSession, sentence: ""), ControlStatus.refused), (.noDaemon(""), .noDaemon),
        (.usage(""), .usage), (.badFlow(""), .badInput), (.badFile(""), .badInput), (.unreadable(""), .inputOutput),
        (.noConnection(because: .badFile("")), .badInput),
        (.file(FileError("read", "/a", reason: "no")), .inputOutput),
    ])
    func `An error of each kind has the exit status that help and manual explain`(error: ControlError, status: ControlStatus) {
        #expect(error.status == status)
        #expect(subcommands.overview.replacing("\n", with: " ").contains("\(status.rawValue) if \(status.meaning)"))
        #expect(subcommands.manual.contains(status.meaning))
    }

    @Test(arguments: [
        (["--help"], nil), (["-h"], nil), (["help"], nil), (["help", "send"], "send"), (["send", "--help"], "send"),
        (["--help", "send"], "send"), (["send", "room", "--help"], "send"),
    ])
    func `Help is requested by a word or an option, before or after a command's name`(words: [String], about: String?) throws {
        #expect(try parse(words).task == .help(about: about))
    }

    @Test(arguments: [
        (["snd"], "unknown command 'snd'; did you mean 'send'?"), (["xyzzy"], "unknown command 'xyzzy'; available: new, send"),
        (["send", "room"], "too few words; usage: gamectl send session event [payload] [IF version] [ID id]"),
        (["flows", "all"], "too many words; usage: gamectl flows"),
        (["help", "send", "new"], "too many words; usage: gamectl help [command]"),
        (["--socket"], "--socket needs a value: --socket PATH"),
        (["history", "room", "--count", "0"], "--count is a positive whole number, not '0'"),
        (["--json=yes"], "--json takes no value"), (["--sokcet", "x"], "unknown option '--sokcet'; did you mean '--socket'?"),
        (
            ["extend", "room", "lobby", "1m", "30s"],
            "a duration is one word: 1m30s; usage: gamectl extend session timer duration"
        ),
        (["advance", "1h", "soon"], "too many words; usage: gamectl advance duration"),
        (["test"], "too few words; usage: gamectl test [--flows DIR] [--verbose] FILE …"),
    ])
    func `An invalid command line is refused with an error message of one line`(words: [String], beginning: String) {
        #expect(sentence(words).hasPrefix(beginning), "\(sentence(words))")
        #expect(!sentence(words).contains("\n"))
    }

    @Test(arguments: [
        (["token", "list", "--role", "read"], "--role has no effect on 'token list'; it is an option of 'token new'"),
        (["token", "--comment", "x", "revoke", "ann"], "--comment has no effect on 'token revoke'; it is an option of"),
        (["--connect", "a:1", "--tls-cert", "a.pem", "flows"], "--tls-cert has no effect without --tls-key: a certificate"),
        (["--socket", "/a", "flows", "--connect", "a:1"], "--socket has no effect beside --connect: "),
        (["--token", "t", "flows", "--token-file", Self.tokenFile], "--token has no effect beside --token-file: "),
        (["test", "a", "--json", "--verbose"], "--verbose has no effect beside --json: "),
        (["replay", "room", "--verbose", "--json"], "--verbose has no effect beside --json: "),
        (["check", "a.json5", "--flows", "other"], "--flows has no effect without --same-as: "),
        (
            ["check", "a.json5", "--flows", "other", "--same-as", "b.json5"],
            "--flows has no effect beside --same-as b.json5: that is a file, which needs no other flows"
        ),
        (["sessions", "--match", "a", "--match=b"], "--match is given twice, and takes one value"),
    ])
    func `An option that would do nothing beside the others is refused with the reason`(words: [String], reason: String) {
        #expect(sentence(words).hasPrefix(reason), "\(sentence(words))")
    }

    @Test(arguments: [
        ["token", "new", "ann", "--role", "read"], ["--tls", "state", "room", "--connect", "a:1"],
        ["--connect", "a:1", "--tls-key", "a.key", "--tls-cert", "a.pem", "flows"],
        ["check", "a", "--same-as", "b", "--flows", "c", "--flows", "d"], ["check", "a", "--verbose", "--json"],
        ["--connect", "a:1", "new-flow", "lamp"], ["--token", "t", "flows"], ["test", "a", "--verbose"],
        ["check", "--tls", "--help"],
    ])
    func `An option that does something is accepted`(words: [String]) throws {
        _ = try parse(words)
    }

    @Test(arguments: [
        ["check", "f.json5"], ["token", "list"], ["test", "a.scenario"], ["completions", "bash"], ["state", "room"], [],
    ])
    func `The options of the connection are accepted with every command, for aliases and wrappers`(words: [String]) throws {
        let options = [
            ["--socket", "/a"], ["--connect", "a:1"], ["--token", "t"], ["--token-file", Self.tokenFile], ["--tls"],
            ["--tls-ca", "ca.pem"], ["--tls-cert", "a.pem", "--tls-key", "a.key"],
        ]
        for option in options { _ = try parse(option + words) }
    }

    @Test(arguments: [
        ([:], [], nil), (["GAMED_TLS": "yes"], [], TLSFiles()), (["GAMED_TLS": "no"], ["--tls"], TLSFiles()),
        (["GAMED_TLS_CA": "ca.pem"], [], TLSFiles(authority: "ca.pem")),
        (["GAMED_TLS": "no", "GAMED_TLS_CA": "ca.pem"], [], nil),
        (["GAMED_TLS": "no", "GAMED_TLS_CA": "ca.pem"], ["--tls"], TLSFiles(authority: "ca.pem")),
        (["GAMED_TLS": "0", "GAMED_TLS_CA": "ca.pem"], ["--tls-ca", "own.pem"], TLSFiles(authority: "own.pem")),
    ])
    func `The variable GAMED_TLS turns TLS off also beside the variables of its files, and an option turns it on again`(
        variables: [String: String], words: [String], files: TLSFiles?
    ) throws {
        var call = Invocation(address: .socket("/run/it.sock"))
        try call.takeTLS { variables[$0] }
        try call.parse(["flows", "--connect", "a:1"] + words, with: subcommands)
        #expect(call.tls == files)
    }

    @Test func `The options of TLS are accepted beside a UNIX socket, for the other nodes of its cluster`() throws {
        let call = try parse(["--socket", "/a", "--tls-ca", "ca.pem", "health"])
        #expect(call.address == .socket("/a") && call.tls != nil)
    }
}

@Suite struct `A line of a console or a script` {
    @Test(arguments: [
        ["--socket", "/other"], ["--connect", "localhost:7777"], ["--token", "t"], ["--tls"], ["--tls-ca", "ca.pem"],
        ["--tls-cert=own.pem"], ["--tls-key", "own.key"], ["--json"],
    ])
    func `An option of gamectl itself is refused in a line, by name`(words: [String]) {
        let context = CommandContext(
            daemon: DaemonClient(at: .socket("/nowhere/it.sock")),
            output: Output(of: "gamectl", isJSON: false, style: .plain, isTerminal: false), subcommands: subcommands)
        let error = #expect(throws: ControlError.self) { try context.runLine(["help"] + words) }
        #expect(error?.status == .usage)
        let name = words[0].prefix { $0 != "=" }
        #expect(error?.sentence == "\(name) is an option of gamectl itself; give it when you start gamectl")
    }
}

@Suite struct `gamectl's help` {
    @Test func `The help lists every command and every global option`() {
        #expect(subcommands.all.count > 20)
        for command in subcommands.all { #expect(subcommands.overview.contains("  \(command.syntax)")) }
        for option in GlobalOption.options { #expect(subcommands.overview.contains("  \(option.usage)")) }
    }

    @Test(arguments: subcommands.all.map(\.name))
    func `The help for each command has its usage and an example`(name: String) throws {
        let command = try #require(subcommands.find(name))
        let text = subcommands.help(about: command)
        #expect(text.hasPrefix("usage: gamectl \(name)"))
        #expect(text.contains("\nexamples:\n  gamectl \(name)"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 128 })
    }

    @Test func `The help for a command of the daemon is the daemon's own`() throws {
        let command = try #require(CommandTable.all["EXTEND"])
        let text = subcommands.help(about: try #require(subcommands.find("extend")))
        #expect(text.contains(command.summary))
        #expect(text.contains("gamectl extend room lobby -10s"))
    }

    @Test func `The examples in the help quote characters that are special to a shell`() throws {
        #expect(try #require(subcommands.find("send")).examples.contains(#"gamectl send room chooseEpisode '{"episode":3}'"#))
    }

    @Test func `The help for scenarios names every step`() throws {
        let text = subcommands.help(about: try #require(subcommands.find("test")))
        for word in StepWord.all { #expect(text.contains("  \(word.syntax)")) }
    }
}

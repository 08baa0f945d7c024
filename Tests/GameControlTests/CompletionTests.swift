// Completion, without a terminal and without a daemon.

import Posix
import TLS
import Testing

@testable import Client
@testable import GameControl

/// A daemon's names.
private struct Names: CompletionSource {
    func sessions(beginningWith prefix: String) -> [String] {
        ["room-1", "room-2", "hall", "two words", "it's", "evil\u{1B}[2J"].filter { $0.hasPrefix(prefix) }
    }

    func unrestoredSessions(beginningWith prefix: String) -> [String] { ["hall-2", "lost"].filter { $0.hasPrefix(prefix) } }
    func flows() -> [String] { ["game", "turns"] }
    func states(ofSession session: String) -> [String] { session == "room-1" ? ["introduction", "help"] : [] }
    func events(ofSession session: String) -> [String] { session == "room-1" ? ["startPlaying", "displayHelp"] : [] }
    func timers(ofSession session: String) -> [String] { session == "room-1" ? ["tick", "timeLimit"] : [] }
    func tokens(inFile file: String?) -> [String] { file == "tokens" ? ["desk"] : file == nil ? ["ann", "screen-7"] : [] }
}

@Suite struct `The TAB key` {
    @Test(arguments: [
        ("se", ["send", "sessions"]), ("state r", ["room-1", "room-2"]), ("STATE h", ["hall"]),
        ("send room-1 ", ["displayHelp", "startPlaying"]), ("send room-1 s", ["startPlaying"]), ("send hall ", []),
        ("send room-1 startPlaying ", ["ID", "IF"]), ("send room-1 startPlaying 1 ID 7 ", ["IF"]),
        ("send room-1 startPlaying IF ", []), ("send room-1 startPlaying IF 17 ID 7 ", []),
        ("extend room-1 ti", ["tick", "timeLimit"]), ("extend room-1 tick ", []),
        ("pause room-1 ", ["tick", "timeLimit"]), ("resume room-1 tim", ["timeLimit"]),
        ("force room-1 ", ["help", "introduction"]), ("new ro", []), ("retry ", ["hall-2", "lost"]), ("retry lo", ["lost"]),
        ("new room-9 ", ["game", "turns"]),
        ("describe g", ["game"]), ("diagram game ", ["DOT", "MERMAID", "SVG"]), ("history room-1 ", ["COUNT"]),
        ("history room-1 COUNT ", []),
        ("sessions --", ["--count", "--flow", "--match", "--state"]), ("sessions --flow t", ["turns"]),
        ("sessions --match roo", ["room-1", "room-2"]), ("test --v", ["--verbose"]), ("help des", ["describe"]),
        ("help send ", []),
        ("raw CONFIG ", ["GET", "RESETSTAT", "SET", "SHOW"]), ("raw COMMAND D", ["DOCS"]),
        ("bluetooth ", ["ADVERTISE", "CONNECT", "DISCONNECT", "LIST", "NOTIFY"]),
        ("raw CLIENT S", ["SETINFO", "SETNAME", "SOURCE"]), ("raw DIS", ["DISCARD"]), ("raw COMM", ["COMMAND"]),
        ("raw SEND room-1 d", ["displayHelp"]), ("psubscribe x", []),
        ("q", ["quit"]), ("watch r", ["room-1", "room-2"]), ("backup ", []), ("completions ", ["bash", "fish", "zsh"]),
        ("token ", ["list", "new", "revoke"]), ("token new ", []), ("token list ", []), ("token revoke ", ["ann", "screen-7"]),
        ("token revoke --file tokens ", ["desk"]), ("token --file=tokens revoke d", ["desk"]), ("token revoke ann ", []),
        ("token new ann --role ", ["master", "orchestrator", "play", "read"]),
        ("diagram --", []), ("check --same-as game ", []),
        ("send 'room-1' ", ["displayHelp", "startPlaying"]), ("send 'room", []), ("nonsense ", []),
    ])
    func `The TAB key offers the words that the command's syntax allows next`(line: String, words: [String]) {
        #expect(Completion(of: subcommands, from: Names()).candidates(for: line) == words)
    }

    @Test func `The TAB key offers no names that need quotes or contain control characters`() {
        #expect(Completion(of: subcommands, from: Names()).candidates(for: "state ") == ["hall", "room-1", "room-2"])
    }

    @Test(arguments: [
        ("backup", true), ("backup a", false), ("token revoke", false), ("token list --file", true), ("test", true),
        ("test a --verbose", true), ("test --flows", true),
        ("check --same-as", false),
        ("check --same-as game", true), ("new-flow", false), ("new-flow lamp", true), ("send", false), ("state room-1", false),
        ("nonsense", false),
    ])
    func `The TAB key completes file names only where the command takes a file`(line: String, takesFile: Bool) {
        let completion = Completion(of: subcommands, from: Names())
        #expect(completion.takesFile(after: line.split(separator: " ").map(String.init)) == takesFile)
    }

    @Test func `The words before the cursor and the environment's settings say how names are asked for`() throws {
        let usual = DaemonClient(
            at: .socket("/run/it.sock"), token: GivenToken("s3cret", from: .variable),
            tls: TLSFiles(authority: "usual.pem"))
        let same = try GlobalWords(of: ["state"], of: usual)
        #expect(same.daemon.address == usual.address && same.daemon.token == usual.token && same.daemon.tls == usual.tls)
        let words = ["--connect", "localhost:7777", "--tls-cert=own.pem", "state", "--tls-key", "own.key", "--token", "t"]
        let other = try GlobalWords(of: words, of: usual)
        #expect(other.rest == ["state"] && other.daemon.token == GivenToken("t", from: .option))
        #expect(other.daemon.address == .tcp(HostAndPort(host: "localhost", port: 7_777)))
        #expect(other.daemon.tls == TLSFiles(certificate: "own.pem", key: "own.key", authority: "usual.pem"))
        #expect(try GlobalWords(of: ["--tls-ca"], of: usual).waiting == .tlsCA)
    }
}

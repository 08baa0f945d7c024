// Daemons that host a flow that traps: Tests/TrapProbe.

import Foundation
import TestSupport
import Testing

extension Folder {
    static let always = ["--durability", "always"]
    /// Unless the environment disables it, a trap prints a long backtrace.
    static let quiet = [
        "SWIFT_BACKTRACE": "enable=no",
        "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0",
    ]

    /// Starts such a daemon and waits until it is up.
    func probe(
        _ words: [String] = always, environment: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RunningDaemon {
        let daemon = try startProbe(words, environment: environment)
        try #require(daemon.waitUntilUp(), "\(daemon.errors)", sourceLocation: sourceLocation)
        return daemon
    }

    func startProbe(_ words: [String] = always, environment: [String: String] = [:]) throws -> RunningDaemon {
        try RunningDaemon(keepingIn: self, words, environment: Self.quiet.merging(environment) { $1 }, program: "trap-probe")
    }

    var flight: String { data + "/gamed.flight" }
}

extension RunningDaemon {
    /// Makes it trap with these requests. All but the last are answered.
    func trap(_ lines: String..., by signal: Int32 = trapSignal, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let client = try client()
        for line in lines.dropLast() {
            let answer = try client.ask(line)
            #expect(!answer.isError, "\(line): \(answer)", sourceLocation: sourceLocation)
        }
        if let last = lines.last {
            #expect(throws: NoAnswer.self, "\(last) was answered", sourceLocation: sourceLocation) { try client.ask(last) }
        }
        #expect(waitForStatus() == -signal, "\(errors.prefix(2_000))", sourceLocation: sourceLocation)
    }

    /// Whether the session is quarantined, for this reason.
    func quarantines(_ name: String, _ problem: String) throws -> Bool {
        let answer = try ask("STATE", name)
        return answer.code == .setAside && answer.sentence?.hasPrefix("'\(name)' is quarantined: \(problem); ") == true
    }

    /// The names of the sessions that are set aside.
    func setAsideNames() throws -> [String] { try ask("SESSIONS", "0", "STATE", "!").list.last?.list.compactMap(\.text) ?? [] }

    /// The newest event first, without operator actions.
    func events(of name: String) throws -> [String?] {
        try ask("HISTORY", name, "COUNT", "100").list.filter {
            !SessionSnapshot.operatorActions.contains($0["what"]?.text ?? "")
        }.map {
            $0["event"]?.text
        }
    }
}

/// How Swift's own traps end a process.
#if arch(x86_64)
    let trapSignal = SIGILL
#else
    let trapSignal = SIGTRAP
#endif

import BuiltInFlows
import GameFlow
import Testing
import Timers
@testable import Commands
@testable import Console
@testable import EventLoop
@testable import GameDaemon
@testable import Logging
@testable import Posix
@testable import Sessions

@Suite struct `The limits` {
    @Test(arguments: [("connections=5", 5), ("connections=1k", 1_024), ("connections=1M", 1_000_000 + 48_576)])
    func `A limit is set by its name, in plain digits or with a unit, within its range`(text: String, value: Int) throws {
        guard value <= 1_000_000 else {
            #expect(throws: UsageError.self) { try Options(parsing: ["--limit", text]) }
            return
        }
        #expect(try Options(parsing: ["--limit", text]).limits.connections == value)
    }

    @Test(arguments: [
        ("connections", "--limit is NAME=VALUE, like connections=100, not 'connections'"),
        ("connections=0", "connections is a whole number from 1 to 1000000, not '0'"),
        ("connections=-1", "connections is a whole number from 1 to 1000000, not '-1'"),
        ("connections=many", "connections is a whole number from 1 to 1000000, not 'many'"),
        ("connections=9999999999999999999", "connections is a whole number from 1 to 1000000"),
        ("request-bytes=9223372036854775807g", "request-bytes is a whole number from"),
        ("friends=3", "there is no limit 'friends'; available: sessions, "),
    ])
    func `The error for an invalid --limit gives the valid form, range or names`(text: String, sentence: String) {
        let error = #expect(throws: UsageError.self) { try Options(parsing: ["--limit", text]) }
        #expect(error?.description.hasPrefix(sentence) == true, "\(error?.description ?? "")")
    }

    @Test func `Limits have defaults within their ranges, and unique names and key paths`() {
        for limit in Limit.all { #expect(limit.range.contains(limit.standard), "\(limit.name)") }
        #expect(Set(Limit.all.map(\.name)).count == Limit.all.count)
        #expect(Set(Limit.all.map { $0.path as AnyKeyPath }).count == Limit.all.count)
        #expect(Limits().changed.isEmpty)
    }

    /// The error that a client gets at a limit.
    private func reply(_ words: [String], _ change: (inout Limits) -> Void) throws -> String {
        var limits = Limits()
        change(&limits)
        let flows: [FlowKind] = [.flow(Turns.self)]
        let daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: flows, limits: limits)
        try daemon.begin("a", flow: "turns")
        guard case .error(let code, let text)? = LocalClient(of: daemon.host).run(words).last else { return "no error" }
        return "\(code) \(text)"
    }

    @Test func `The error for reaching a limit names the limit`() throws {
        #expect(
            try reply(["NEW", "b", "turns"]) { $0.sessions = 1 }
                == "LIMIT limit of 1 sessions reached; CONFIG SET sessions N changes this limit, and so does the daemon's option --limit sessions=N"
        )
        #expect(try reply(["NEW", "long", "turns"]) { $0.nameLength = 3 }.hasPrefix("LIMIT a session's name has 1 to 3 bytes"))
        #expect(
            try reply(["SUBSCRIBE", "session:a", "session:b"]) { $0.subscriptions = 1 }.contains("CONFIG SET subscriptions N"))
        #expect(
            try reply(["PSUBSCRIBE", String(repeating: "*", count: 99)]) { $0.nameLength = 3 }.hasPrefix(
                "LIMIT a channel or pattern has"))
        #expect(
            try reply(["CLIENT", "SETNAME", "long"]) { $0.nameLength = 3 }.hasPrefix(
                "LIMIT a client's name has at most 3 bytes"))
    }

    @Test(arguments: Limit.notSettable.keys.sorted())
    func `Setting a fixed limit is refused with advice about that limit`(name: String) throws {
        let advice = try #require(Limit.notSettable[name])
        let conversation = try Conversation()
        #expect(try conversation.ask("CONFIG SET \(name) 5").sentence == "the limit '\(name)' cannot be set: \(advice)")
        var options = Options()
        #expect(throws: UsageError.self) { try options.setLimit("\(name.uppercased())=5") }
        #expect(Limit.named(name) == nil)
    }

    @Test func `CONFIG SET changes the limits of a running daemon, all at once or none`() throws {
        let daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [])
        let client = LocalClient(of: daemon.host)
        #expect(client.run(["CONFIG", "SET", "sessions", "7", "log", "debug"]) == [.simple("OK")])
        #expect(daemon.limits.sessions == 7)
        #expect(daemon.sessions.limits.sessions == 7)
        #expect(daemon.log.level == .debug)
        guard case .error? = client.run(["CONFIG", "SET", "sessions", "8", "connections", "none"]).last else {
            Issue.record("it was accepted")
            return
        }
        #expect(daemon.limits.sessions == 7)
        guard
            case .error(_, "history can only be set when the daemon starts: --limit history=N")? =
                client.run(["CONFIG", "SET", "history", "5"]).last
        else {
            Issue.record("it was accepted")
            return
        }
        let found = client.run(["CONFIG", "GET", "sessions"]).last
        #expect(found == .map([.init(key: .bulk(text: "sessions"), value: .bulk(text: "7"))]))
    }
}

// Limits: their defaults, the errors that name them, and CONFIG SET.

import BuiltInFlows
import GameFlow
import Testing
import Timers
@testable import Commands
@testable import Logging
@testable import Sessions

@Suite struct `The limits` {
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
        let host = Host(on: Timekeeper(VirtualClock()), flows: flows, commands: .all, limits: limits)
        try host.begin("a", flow: "turns")
        guard case .error(let code, let text)? = LocalClient(of: host).run(words).last else { return "no error" }
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

    @Test func `The error for a limit that was lowered has the limit, and not the number that exists`() throws {
        let sessions = Conversation()
        for name in ["one", "two", "three", "four"] { try #require(try !sessions.ask("NEW \(name) turns").isError) }
        #expect(try !sessions.ask("CONFIG SET sessions 2").isError)
        #expect(try sessions.ask("NEW five turns").sentence?.hasPrefix("limit of 2 sessions reached; ") == true)
        #expect(try sessions.ask("DROP one").integer == 1)
        #expect(try sessions.ask("UNDROP one").sentence?.hasPrefix("limit of 2 sessions reached; ") == true)
        let channels = Conversation()
        for name in ["one", "two"] { try #require(try !channels.ask("SUBSCRIBE session:\(name)").isError) }
        channels.host.limits.subscriptions = 1
        let refusal = try channels.ask("SUBSCRIBE session:three").sentence
        #expect(refusal?.hasPrefix("limit of 1 subscriptions of this connection reached; ") == true)
    }

    @Test func `CONFIG SET of an unknown name lists the settings that can be changed, or the closest one`() throws {
        let unknown = try Conversation().ask("CONFIG SET moon 5").sentence
        #expect(unknown?.hasPrefix("there is no setting 'moon' that can be changed; available: log, sessions, ") == true)
        #expect(
            try Conversation().ask("CONFIG SET conections 5").sentence
                == "there is no setting 'conections' that can be changed; did you mean 'connections'?")
    }

    @Test(arguments: Limit.notSettable.keys.sorted())
    func `CONFIG SET of a fixed limit is refused with advice about that limit`(name: String) throws {
        let advice = try #require(Limit.notSettable[name])
        #expect(try Conversation().ask("CONFIG SET \(name) 5").sentence == "the limit '\(name)' cannot be set: \(advice)")
        #expect(Limit.named(name) == nil)
    }

    @Test func `No help names a fixed limit as if it could be set`() {
        let fixed = Limit.notSettable.keys.filter { $0.contains("-") }
        for command in CommandTable.all.commands {
            for name in fixed { #expect(!command.details.contains(name), "\(command.name): \(name)") }
        }
        #expect(Command.multi.details.contains("At most \(Limits().transactionCommands) commands"))
    }

    @Test func `CONFIG SET changes the limits of a running host, all at once or none`() {
        let host = Host(on: Timekeeper(VirtualClock()), flows: [], commands: .all)
        let client = LocalClient(of: host)
        #expect(client.run(["CONFIG", "SET", "sessions", "7", "log", "debug"]) == [.simple("OK")])
        #expect(host.limits.sessions == 7)
        #expect(host.sessions.limits.sessions == 7)
        #expect(host.log.level == .debug)
        guard case .error? = client.run(["CONFIG", "SET", "sessions", "8", "connections", "none"]).last else {
            Issue.record("it was accepted")
            return
        }
        #expect(host.limits.sessions == 7)
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

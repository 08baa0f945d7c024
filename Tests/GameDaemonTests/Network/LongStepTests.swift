// Long steps of flow files, and long chains of messages: a turn ends, so that other clients are served.

import BuiltInFlows
import GameFlow
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Sessions

@Suite struct `Steps that take long` {
    /// Moves the turn's clock by 2 ms for each history entry.
    private final class Slow: SessionObserver {
        let clock = VirtualClock()
        override func session(_ session: Session, didRecord entry: borrowing HistoryEntry) -> ObserverInterest {
            clock.move(to: clock.now.advanced(by: .milliseconds(2)))
            return .stays
        }
    }

    private static func kind() throws -> FlowKind {
        try .chart(
            text: """
                { id: "work", initial: "a", context: { n: 0 }, states: { a: { on: {
                    hard: { actions: { assign: { n: "math.max(n, 1) + 1" } } }, easy: {} } } } }
                """)
    }

    @Test func `Many slow steps from one client end the turn, and fast steps do not`() throws {
        let stepped = try SteppedDaemon(flows: [Self.kind()])
        let slow = Slow()
        stepped.loop.watch = slow.clock
        try stepped.daemon.begin("s", flow: "work")
        stepped.daemon.sessions.add(slow)
        let client = try stepped.connect()
        func answersInOneTurn(_ event: String) throws -> Int {
            try stepped.turn(2)
            _ = client.read()
            client.send(String(repeating: "SEND s \(event)\r\n", count: 12))
            try stepped.turn()
            let answers = client.read()?.split(separator: "\r\n").count ?? 0
            try stepped.turn(6)
            return answers
        }
        #expect(try answersInOneTurn("easy") == 12)
        #expect(try answersInOneTurn("hard") == 2, "the 4 ms of the turn have passed then")
    }
}

/// A clock that only the test moves; to the loop it is real time.
private final class HandClock: TimeSource {
    var now = Instant.zero
}

@Suite struct `Timers that are due together and take long` {
    /// Moves the clock by 1 ms for each history entry.
    private final class Slow: SessionObserver {
        let clock: HandClock
        init(_ clock: HandClock) { self.clock = clock }
        override func session(_ session: Session, didRecord entry: borrowing HistoryEntry) -> ObserverInterest {
            clock.now = clock.now.advanced(by: .milliseconds(1))
            return .stays
        }
    }

    private let clock = HandClock()
    private let stepped: SteppedDaemon
    private let client: SteppedClient
    private let names = (0..<100).map { "s\($0)" }

    init() throws {
        stepped = try SteppedDaemon(tokens: .none, on: clock)
        stepped.loop.watch = clock
        for name in names { try stepped.daemon.begin(name, flow: "turns") }
        client = try stepped.connect()
        try stepped.turn(2)
        stepped.daemon.sessions.add(Slow(clock))
        clock.now = clock.now.advanced(by: .seconds(30))
    }

    private func states() -> [String?] { names.map { stepped.daemon.sessions[$0]?.stateName } }

    @Test func `A client is answered while many timers are due, and all of them fire in the next turns`() throws {
        client.send("PING\r\n")
        try stepped.turn()
        #expect(client.read() == "+PONG\r\n")
        #expect(Set(states()) == ["first", "second"])
        try stepped.turn(20)
        #expect(Set(states()) == ["second"])
    }

    @Test func `A request about a session with a due timer is handled after that timer, though others have not fired yet`()
        throws
    {
        client.send("SEND s99 pass\r\nSEND s98 pass IF 1\r\n")
        try stepped.turn()
        #expect(client.read() == "+first\r\n+first\r\n")
        #expect(Set(states().dropLast(2)) == ["first", "second"])
        try stepped.turn(20)
        #expect(Set(states().dropLast(2)) == ["second"] && states().suffix(2) == ["first", "first"])
    }

    @Test func `All due timers that are left fire at once where RELOAD needs that, to move sessions`() throws {
        try stepped.turn()
        #expect(Set(states()) == ["first", "second"])
        #expect(stepped.daemon.host.advances.finishInstant())
        #expect(Set(states()) == ["second"])
    }
}

@Suite struct `Reads that take long` {
    /// `hard` has a guard that takes all the steps of a view, as does the text of `shown`.
    private static func kinds() throws -> [FlowKind] {
        let endless = "(function() while true do end end)()"
        return try [
            #"{ id: "easy", states: { a: { on: { go: { guard: "1 > 0" } } } } }"#,
            #"{ id: "hard", states: { a: { on: { go: { guard: "\#(endless)" } } } } }"#,
            #"{ id: "shown", states: { a: { on: { go: {} }, view: { text: "{{ \#(endless) }}" } } } }"#,
        ].map { try .chart(text: $0) }
    }

    @Test(arguments: [("EVENTS easy", 12), ("EVENTS hard", 2), ("VIEW shown", 2)])
    func `Requests whose expressions take long end the turn, and others do not`(_ line: String, _ count: Int) throws {
        let stepped = try SteppedDaemon(flows: Self.kinds())
        for flow in ["easy", "hard", "shown"] { try stepped.daemon.begin(flow, flow: flow) }
        let client = try stepped.connect()
        try stepped.turn(2)
        stepped.loop.watch = Ticking(.milliseconds(2))
        client.send(String(repeating: line + "\r\n", count: 12))
        try stepped.turn()
        let answers = client.read()?.ranges(of: line.hasPrefix("VIEW") ? "at_ms" : "*1").count ?? 0
        #expect(count == 12 ? answers == 12 : answers > 0 && answers <= count, "\(answers)")
        try stepped.turn(24)
    }

    /// A million steps for each view: half of them for its text, and half for the guards of its events.
    private static func heavyKind() throws -> FlowKind {
        let guards = (0..<5).map { #"e\#($0): { guard: "(function() while true do end end)()" }"# }.joined(separator: ", ")
        let text = String(repeating: "{{ (function() for i = 1, 45000 do end return 1 end)() }}", count: 10)
        return try .chart(text: #"{ id: "heavy", states: { a: { on: { \#(guards) }, view: { text: "\#(text)" } } } }"#)
    }

    @Test
    func `EXEC refuses views and lists of events once long expressions have taken 10 ms, and makes the changes behind them`()
        throws
    {
        let stepped = try SteppedDaemon(flows: [Self.heavyKind(), .flow(Turns.self)])
        try stepped.daemon.begin("s", flow: "heavy")
        let client = try stepped.connect()
        let reads = String(repeating: "VIEW s\r\nEVENTS s\r\n", count: 7)
        client.send("MULTI\r\n\(reads)NEW hall turns\r\nEXEC\r\n")
        try stepped.turn(3)
        let said = client.read() ?? ""
        #expect(said.contains("*15\r\n$") && said.contains("-LIMIT the time budget of this EXEC is exhausted"), "\(said)")
        #expect(said.hasSuffix("+first\r\n"), "\(said)")
    }

    @Test(arguments: ["PSUBSCRIBE view:s*", "SUBSCRIBE " + (0..<12).map { "view:s\($0)" }.joined(separator: " ")])
    func `Views whose expressions take long are sent over several turns, each once`(_ line: String) throws {
        let stepped = try SteppedDaemon(flows: [Self.heavyKind()])
        for number in 0..<12 { try stepped.daemon.begin("s\(number)", flow: "heavy") }
        let client = try stepped.connect()
        client.send(line + "\r\n")
        try stepped.turn()
        var text = client.read() ?? ""
        #expect((1...6).contains(text.ranges(of: "at_ms").count), "\(text)")
        for _ in 0..<24 {
            try stepped.turn()
            text += client.read() ?? ""
        }
        for number in 0..<12 { #expect(text.ranges(of: "\"session\":\"s\(number)\"").count == 1) }
    }

    @Test func `A view whose expressions take long is written once for all its subscribers`() throws {
        let stepped = try SteppedDaemon(flows: [Self.heavyKind()])
        try stepped.daemon.begin("s", flow: "heavy")
        let clients = try (0..<20).map { _ in try stepped.connect() }
        for client in clients { client.send("SUBSCRIBE view:s\r\n") }
        try stepped.turn()
        for client in clients { #expect(client.read()?.ranges(of: "at_ms").count == 1) }
    }
}

@Suite struct `NEXT among many timers` {
    private let door: DaemonWithTokens
    private var stepped: SteppedDaemon { door.stepped }

    init() throws {
        door = try DaemonWithTokens("few read sessions=s1*")
        for number in 0..<4_096 { try door.stepped.daemon.begin("s\(number)", flow: "turns") }
    }

    @Test func `NEXT lists 4,000 timers at most, since more take longer than 20 ms`() throws {
        let client = LocalClient(of: stepped.daemon.host)
        for (count, found) in [(3_999, 3_999), (4_096, 4_000), (10_000, 4_000)] {
            guard case .array(let timers)? = client.run(["NEXT", "COUNT", "\(count)"]).last else {
                Issue.record("no list")
                continue
            }
            #expect(timers.count == found)
        }
    }

    @Test func `NEXT counts as several requests for the timers that it scans`() throws {
        let (loop, client) = (stepped.loop, LocalClient(of: stepped.daemon.host))
        var pieces = 0
        loop.schedule {
            let before = loop.pieces
            _ = client.run(["NEXT", "COUNT", "1"])
            pieces = loop.pieces - before
        }
        try loop.turn()
        #expect(pieces >= 4)
    }

    @Test func `Many NEXT from a client that sees some sessions end the turn, since each sorts the timers of all`() throws {
        let client = try stepped.connect(at: .tcp)
        client.send("AUTH few.\(DaemonWithTokens.secret("few"))\r\n")
        try stepped.turn(2)
        #expect(client.read() == "+OK\r\n")
        client.send(String(repeating: "NEXT COUNT 1\r\n", count: 12))
        try stepped.turn()
        let answers = try #require(client.read()).ranges(of: "remaining_ms").count
        #expect(answers > 0 && answers <= 2, "\(answers)")
        try stepped.turn(12)
        #expect(try #require(client.read()).ranges(of: "remaining_ms").count == 12 - answers)
    }
}

@Suite struct `Chains of messages that take long` {
    @Test func `A long chain of messages is spread over several turns, and clients are served meanwhile`() throws {
        let loop = try Loop(Timekeeper(VirtualClock()))
        let daemon = try Daemon(on: loop, flows: [.flow(EffectFlow.self)])
        let client = LocalClient(of: daemon.host, from: .network)
        for name in ["ann", "bob"] { _ = client.run(["NEW", name, "effects"]) }
        func hits() throws -> Int {
            try ["ann", "bob"].reduce(0) { sum, name in
                sum + (try #require(try daemon.sessions[name]?.stateData()["record"]?["hits"]?.integer))
            }
        }
        loop.schedule { _ = client.run(["SEND", "ann", "bounce", "bob"]) }
        try loop.turn()
        #expect(daemon.timekeeper.needsFollowUp)
        #expect(try hits() > 0 && hits() < Sessions.maxMessages)
        #expect(client.run(["NEW", "eve", "effects"]).last == .simple("working"))
        var turns = 0
        while daemon.timekeeper.needsFollowUp, turns < 10_000 {
            try loop.turn()
            turns += 1
        }
        #expect(try hits() == Sessions.maxMessages + 1)
    }
}

/// A clock of which each reading is later than the one before.
private final class Ticking: TimeSource {
    private var time = Instant.zero
    private let step: Duration

    init(_ step: Duration) { self.step = step }

    var now: Instant {
        time = time.advanced(by: step)
        return time
    }
}

@Suite struct `CLIENT LIST with many clients` {
    @Test func `CLIENT LIST is written over several turns, and other clients are served meanwhile`() throws {
        let stepped = try SteppedDaemon()
        let others = try (0..<100).map { _ in try stepped.connect() }
        let (client, other) = (try stepped.connect(), try stepped.connect())
        try stepped.turn(2)
        stepped.loop.watch = Ticking(.microseconds(500))
        client.send("CLIENT LIST\r\nECHO after\r\n")
        var (turns, waited, text) = (0, 0, "")
        while !text.hasSuffix("after\r\n"), turns < 1_000 {
            if waited == 0 { other.send("PING\r\n") }
            try stepped.turn()
            turns += 1
            waited = other.read() == "+PONG\r\n" ? 0 : waited + 1
            #expect(waited <= 2)
            text += client.read() ?? ""
            // It has left before its line is written.
            if turns == 1 { others[99].hangUp() }
        }
        #expect(turns > 2)
        let ids = text.split(whereSeparator: \.isNewline).compactMap { line in
            line.hasPrefix("id=") ? Int(line.dropFirst(3).prefix { $0 != " " }) : nil
        }
        #expect(ids == Array(1...99) + [101, 102], "\(text.prefix(300))")
    }
}

@Suite struct `Clients with many subscriptions` {
    private static func names(_ prefix: String, _ count: Int) -> String {
        (0..<count).map { "session:\(prefix)\($0)" }.joined(separator: " ")
    }

    @Test func `Clients with many subscriptions that leave together are closed over several turns`() throws {
        let stepped = try SteppedDaemon()
        let clients = try (0..<4).map { _ in try stepped.connect() }
        for client in clients {
            client.send("SUBSCRIBE \(Self.names("s", 1_500))\r\n")
            try stepped.turn(4)
            _ = client.read()
        }
        #expect(stepped.daemon.host.subscriptions.count == 6_000)
        for client in clients { client.hangUp() }
        try stepped.turn()
        #expect((1...3).contains(stepped.daemon.connections.count))
        try stepped.turn(8)
        #expect(stepped.daemon.connections.count == 0 && stepped.daemon.host.subscriptions.count == 0)
    }

    @Test func `EXEC refuses further subscriptions after some thousand, and makes the changes behind them`() throws {
        let stepped = try SteppedDaemon()
        let client = try stepped.connect()
        let subscribes = ["a", "b", "c"].map { "SUBSCRIBE \(Self.names($0, 3_000))\r\n" }.joined()
        client.send("MULTI\r\n")
        var (rest, said) = (Array("\(subscribes)NEW hall turns\r\nEXEC\r\n".utf8)[...], "")
        for _ in 0..<100 where !said.hasSuffix("+first\r\n") {
            rest = rest.dropFirst(client.send(Array(rest)))
            try stepped.turn()
            said += client.read() ?? ""
        }
        #expect(said.hasSuffix("send this command outside of MULTI, or in another one\r\n+first\r\n"), "\(said.suffix(300))")
        #expect(stepped.daemon.host.subscriptions.count == 6_000)
    }
}

@Suite struct `Clients with many slow requests` {
    /// Forty clients send 1,000 requests each, and another one these, after half of them. Returns the turns until it has all replies.
    private func turns(untilReplyTo requests: String) throws -> Int {
        let stepped = try SteppedDaemon()
        let clients = try (0..<40).map { _ in try stepped.connect() }
        let other = try stepped.connect()
        try stepped.turn(2)
        stepped.loop.watch = Ticking(.microseconds(100))
        for (number, client) in clients.enumerated() {
            if number == clients.count / 2 { other.send(requests) }
            client.send(String(repeating: "DESCRIBE turns\r\n", count: 1_000))
        }
        var (turns, text) = (0, "")
        while !text.hasSuffix("+PONG\r\n"), turns < 200 {
            try stepped.turn()
            turns += 1
            text += other.read() ?? ""
        }
        return turns
    }

    @Test func `A client is served though each of forty others has requests for a whole turn`() throws {
        let turns = try turns(untilReplyTo: "PING\r\n")
        #expect(turns <= 3)
    }

    @Test func `A client that has to yield continues after a share of each of forty others`() throws {
        let turns = try turns(untilReplyTo: String(repeating: "DESCRIBE turns\r\n", count: 80) + "PING\r\n")
        #expect(turns <= 6)
    }
}

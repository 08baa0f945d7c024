// ADVANCE over several turns: other clients are served meanwhile, and see a consistent time.

import BuiltInFlows
import GameFlow
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Sessions

@Suite struct `A long ADVANCE` {
    private static let count = 3_000
    private let stepped: SteppedDaemon
    private let (one, other): (SteppedClient, SteppedClient)

    init() throws {
        stepped = try SteppedDaemon()
        (one, other) = (try stepped.connect(), try stepped.connect())
        for number in 0..<Self.count { try stepped.daemon.begin("s\(number)", flow: "turns") }
    }

    /// Runs turns until the client has received something. Returns their number and the text.
    private func wait(for client: SteppedClient, atMost most: Int = 1_000) throws -> (turns: Int, said: String) {
        var turns = 0
        while turns < most {
            try stepped.turn()
            turns += 1
            if let said = client.read(), !said.isEmpty { return (turns, said) }
        }
        return (turns, "")
    }

    @Test func `A long ADVANCE spans turns that serve other clients, and delays its own client's requests`() throws {
        one.send("ADVANCE 30s\r\nPING\r\n")
        try stepped.turn(2)
        var answered = 0
        while one.read() == "" {
            other.send("PING\r\n")
            try stepped.turn()
            #expect(other.read() == "+PONG\r\n")
            answered += 1
            try #require(answered < 1_000)
            one.send("CLOCK\r\n")
        }
        #expect(answered >= Self.count / 1_024, "\(answered)")
    }

    @Test func `A long ADVANCE replies with the number of fired timers, before later requests are answered`() throws {
        one.send("ADVANCE 30s\r\nPING\r\n")
        let (turns, said) = try wait(for: one)
        #expect(said == ":\(Self.count)\r\n" || said == ":\(Self.count)\r\n+PONG\r\n")
        #expect(turns > 2)
        if !said.hasSuffix("+PONG\r\n") { #expect(try wait(for: one).said == "+PONG\r\n") }
    }

    @Test func `During a long ADVANCE, other clients see the reached instant, with its timers already fired`() throws {
        one.send("ADVANCE 45s\r\n")
        try stepped.turn(2)
        #expect(one.read() == "")
        #expect(stepped.daemon.timekeeper.hasDue, "in the middle of an instant")
        // The last one to fire by itself.
        let last = "s\(Self.count - 1)"
        other.send(
            "SEND \(last) pass\r\nSEND \(last) pass IF 2\r\nEXTEND \(last) turn -1h\r\nSEND \(last) pass IF 4\r\nCLOCK\r\n")
        let said = try wait(for: other).said
        #expect(said.hasPrefix("+first\r\n+second\r\n:0\r\n+second\r\n"), "\(said)")
        #expect(said.hasSuffix("$6\r\nnow_ms\r\n:30000\r\n"), "\(said)")
        #expect(try wait(for: one).said == ":\(Self.count + 1)\r\n")
        #expect(stepped.daemon.sessions["s0"]?.version == 1 && stepped.daemon.sessions[last]?.version == 5)
        #expect(stepped.daemon.timekeeper.now == .zero.advanced(by: .seconds(45)))
    }

    @Test func `A session dropped during a long ADVANCE fires its due timers first`() throws {
        one.send("ADVANCE 30s\r\n")
        try stepped.turn(2)
        #expect(stepped.daemon.timekeeper.hasDue, "in the middle of an instant")
        let last = "s\(Self.count - 1)"
        other.send("DROP \(last)\r\nUNDROP \(last)\r\n")
        #expect(try wait(for: other).said == ":1\r\n+second\r\n")
        #expect(try wait(for: one).said == ":\(Self.count)\r\n")
    }

    @Test func `ADVANCE is refused while a thousand others wait for a long one`() throws {
        let host = stepped.daemon.host
        let client = Client(id: 0, from: .network, awaitsAnswers: true, of: host)
        let clock = try #require(stepped.daemon.timekeeper.source as? VirtualClock)
        for _ in 0...1_000 { _ = try host.advances.begin(clock, by: .seconds(30), for: client) }
        let error = #expect(throws: CommandError.self) { _ = try host.advances.begin(clock, by: .seconds(30), for: client) }
        #expect(error?.code == .busy)
    }

    @Test func `A second ADVANCE waits for the first one, and both durations pass`() throws {
        one.send("ADVANCE 30s\r\n")
        try stepped.turn(2)
        other.send("ADVANCE 30s\r\n")
        #expect(try wait(for: one).said == ":\(Self.count)\r\n")
        #expect(try wait(for: other).said == ":\(Self.count)\r\n")
        #expect(stepped.daemon.timekeeper.now == .zero.advanced(by: .seconds(60)))
    }

    @Test func `A long ADVANCE completes after its client has disconnected`() throws {
        one.send("ADVANCE 30s\r\n")
        try stepped.turn(2)
        one.hangUp()
        try stepped.turn(50)
        #expect(stepped.daemon.sessions.all.allSatisfy { $0.machine.version == 1 })
        other.send("ADVANCE 1s\r\n")
        #expect(try wait(for: other).said == ":0\r\n")
    }

    @Test func `A long ADVANCE stops at its limit between two instants, and reports the time left`() throws {
        stepped.daemon.limits.advanceFirings = 100
        one.send("ADVANCE 60s\r\n")
        #expect(
            try wait(for: one).said
                == "-LIMIT \(Self.count) timers have fired and 30000 ms remain; ADVANCE 30000 continues\r\n")
        #expect(stepped.daemon.sessions.all.allSatisfy { $0.machine.version == 1 })
    }

    @Test func `ADVANCEs of one EXEC run in one turn, and stop between two instants once they have fired 8,192 timers`() throws
    {
        one.send("MULTI\r\nADVANCE 60s\r\nADVANCE 60s\r\nADVANCE 1s\r\nADVANCE 60s\r\nEXEC\r\n")
        let (turns, said) = try wait(for: one)
        #expect(turns <= 2)
        let left = "timers have fired and 30000 ms remain; ADVANCE 30000 continues"
        let replies = [
            ":\(2 * Self.count)", "-LIMIT \(Self.count) \(left)", ":0", "-LIMIT 0 timers have fired and 60000 ms remain",
        ]
        #expect(said.contains("*4\r\n" + replies.joined(separator: "\r\n")), "\(said)")
    }
}

@Suite struct `The budget of a turn` {
    @Test(arguments: [(1, 1_024), (50, 80), (100, 40), (400, 10), (10_000, 1)])
    func `The budget of a turn is 4 ms, or 1,024 pieces, however long one piece takes`(_ microseconds: Int, _ most: Int) throws
    {
        let (clock, loop) = (VirtualClock(), try Loop(Timekeeper(VirtualClock())))
        loop.watch = clock
        var pieces = [Int]()
        for _ in 0..<3 {
            loop.schedule {
                var done = 0
                while !loop.isBudgetExhausted {
                    clock.move(to: clock.now.advanced(by: .microseconds(microseconds)))
                    loop.charge(pieces: 1)
                    done += 1
                }
                pieces.append(done)
            }
            try loop.turn()
        }
        #expect(pieces[0] <= max(16, most), "the loop does not know yet how long they are")
        #expect(pieces[1] == most && pieces[2] == most)
    }

    @Test func `The budget of a turn is exhausted by 1 MiB of bytes, too`() throws {
        let loop = try Loop(Timekeeper(VirtualClock()))
        loop.schedule {
            loop.charge(bytes: 1_023 << 10)
            #expect(!loop.isBudgetExhausted)
            loop.charge(bytes: 1 << 10)
            #expect(loop.isBudgetExhausted)
        }
        try loop.turn()
    }

    @Test func `An exhausted budget refuses commands of an EXEC that only read, and not changes`() throws {
        let stepped = try SteppedDaemon { ($0.pauseBytes, $0.outputBytes) = (1 << 30, 1 << 30) }
        try stepped.daemon.begin("a", flow: "turns")
        let client = try stepped.connect()
        client.send("MULTI\r\n" + String(repeating: "COMMAND DOCS\r\n", count: 300) + "SEND a pass\r\nPING\r\nEXEC\r\n")
        var said = ""
        for _ in 0..<200 where !said.hasSuffix("MULTI\r\n") {
            try stepped.turn()
            said += client.read() ?? ""
        }
        let end = "-LIMIT the time budget of this EXEC is exhausted; send this command outside of MULTI, or in another one\r\n"
        #expect(said.contains("*302\r\n*"))
        #expect(said.hasSuffix(end + "+second\r\n" + end), "\(said.suffix(300))")
    }

    @Test func `An EXEC whose steps with expressions take too long refuses the rest of its commands, changes too`() throws {
        let flow = try FlowKind.chart(
            text: """
                { id: "slow", context: { n: 0 }, states: { a: { on: {
                  boom: { assign: { n: "(function() while true do end end)()" } }, rest: { assign: { n: "n + 1" } } } } } }
                """)
        let stepped = try SteppedDaemon(flows: [flow])
        try stepped.daemon.begin("a", flow: "slow")
        let client = try stepped.connect()
        client.send("MULTI\r\n" + String(repeating: "SEND a boom\r\n", count: 900) + "SEND a rest\r\nEXEC\r\nSEND a rest\r\n")
        var said = ""
        for _ in 0..<200 where !said.hasSuffix("+a\r\n") {
            try stepped.turn()
            said += client.read() ?? ""
        }
        let refused =
            "-LIMIT the time budget of this EXEC is exhausted; send this command outside of MULTI, or in another one\r\n"
        #expect(said.contains("*901\r\n-BADEVENT"))
        #expect(said.hasSuffix(refused + refused + "+a\r\n"), "\(said.suffix(300))")
        #expect(stepped.daemon.sessions.find("a")?.machine.version == 1)
    }

    /// Its steps take some 40 microseconds.
    private static func flowOfShortSteps() throws -> FlowKind {
        let sum = "(function() local s = 0 for i = 1, 5000 do s = s + i end return s end)()"
        return try FlowKind.chart(
            text: """
                { id: "sums", context: { n: 0 }, states: { a: {
                  on: { sum: { actions: { assign: { n: "\(sum)" } } } }, every: { "1s": { actions: { assign: { n: "\(sum)" } } } } } } }
                """)
    }

    @Test
    func `An EXEC of a thousand short steps with expressions refuses those after 10 ms, and one without expressions none`()
        throws
    {
        let stepped = try SteppedDaemon(flows: [Self.flowOfShortSteps(), .flow(Turns.self)])
        try stepped.daemon.begin("a", flow: "sums")
        try stepped.daemon.begin("b", flow: "turns")
        let client = try stepped.connect()
        func replies(_ request: String) throws -> String {
            client.send("MULTI\r\n" + String(repeating: "\(request)\r\n", count: 1_000) + "EXEC\r\nPING\r\n")
            var said = ""
            for _ in 0..<200 where !said.hasSuffix("+PONG\r\n") {
                try stepped.turn()
                said += client.read() ?? ""
            }
            return said
        }
        let said = try replies("SEND a sum")
        #expect(said.contains("*1000\r\n+a\r\n"))
        #expect(said.hasSuffix("send this command outside of MULTI, or in another one\r\n+PONG\r\n"), "\(said.suffix(300))")
        #expect(try replies("SEND b pass").hasSuffix("+second\r\n+first\r\n+PONG\r\n"))
        #expect(stepped.daemon.sessions.find("b")?.machine.version == 1_000)
    }

    @Test func `An ADVANCE in EXEC stops between two instants once short timers with expressions have taken 10 ms`() throws {
        let stepped = try SteppedDaemon(flows: [Self.flowOfShortSteps()])
        try stepped.daemon.begin("a", flow: "sums")
        let client = try stepped.connect()
        client.send("MULTI\r\nADVANCE 1000s\r\nEXEC\r\n")
        try stepped.turn(3)
        let said = client.read() ?? ""
        #expect(said.contains("*1\r\n-LIMIT ") && said.contains(" timers have fired and "), "\(said)")
    }

    @Test func `An ADVANCE in EXEC stops once the turn has no time for the messages of its timers, and loses none of them`()
        throws
    {
        let caller = try FlowKind.chart(
            text: """
                { id: "caller", states: { a: { every: { "1s": { actions: { send: { session: "bell", event: "ring" } } } } } } }
                """)
        let bell = try FlowKind.chart(text: #"{ id: "bell", states: { a: { on: { ring: "a" } } } }"#)
        let stepped = try SteppedDaemon(flows: [caller, bell])
        for flow in ["caller", "bell"] { try stepped.daemon.begin(flow, flow: flow) }
        let client = try stepped.connect()
        client.send("MULTI\r\nADVANCE 1h\r\nEXEC\r\nPING\r\n")
        var said = ""
        for _ in 0..<20 where !said.hasSuffix("+PONG\r\n") {
            try stepped.turn()
            said += client.read() ?? ""
        }
        #expect(said.contains("*1\r\n-LIMIT ") && said.hasSuffix(" continues\r\n+PONG\r\n"), "\(said)")
        let versions = ["caller", "bell"].map { stepped.daemon.sessions.find($0)?.machine.version ?? 0 }
        #expect(versions[0] > 100 && versions[0] == versions[1], "\(versions)")
    }

    @Test func `An EXEC whose commands make slow timers due refuses the rest of its commands`() throws {
        let flow = try FlowKind.chart(
            text: """
                { id: "slow", context: { n: 0 }, states: { a: { after: { "1h": {
                  name: "t", target: "b", actions: { assign: { n: "(function() while true do end end)()" } } } } }, b: {} } }
                """)
        let stepped = try SteppedDaemon(flows: [flow])
        for number in 0..<300 { try stepped.daemon.begin("s\(number)", flow: "slow") }
        let client = try stepped.connect()
        let requests = (0..<300).map { "EXTEND s\($0) t -2h\r\n" }.joined()
        client.send("MULTI\r\n\(requests)EXEC\r\nPING\r\n")
        var said = ""
        for _ in 0..<200 where !said.hasSuffix("+PONG\r\n") {
            try stepped.turn()
            said += client.read() ?? ""
        }
        #expect(said.contains("*300\r\n:0\r\n"), "\(said.prefix(300))")
        #expect(said.hasSuffix("send this command outside of MULTI, or in another one\r\n+PONG\r\n"), "\(said.suffix(300))")
    }

    @Test func `The budget of a turn lets another client be served between long replies`() throws {
        let stepped = try SteppedDaemon { ($0.pauseBytes, $0.outputBytes) = (1 << 30, 1 << 30) }
        let (one, other) = (try stepped.connect(), try stepped.connect())
        let long = String(repeating: "x", count: 16_000)
        one.send(
            "MULTI\r\n" + String(repeating: "ECHO \(long)\r\n", count: 3) + "DISCARD\r\n"
                + String(repeating: "COMMAND DOCS\r\n", count: 400))
        other.send("PING\r\n")
        try stepped.turn(2)
        #expect(other.read() == "+PONG\r\n")
        let before = stepped.daemon.host.requestCount
        try stepped.turn()
        #expect(stepped.daemon.host.requestCount - before < 100, "a turn has a bound of bytes")
    }
}

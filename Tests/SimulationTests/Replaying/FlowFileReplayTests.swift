// A replay of sessions of flow files that ask for times, or for their parent.

import GameFlow
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Simulation

@Suite struct `A replay of a flow file` {
    private static let room = """
        { id: "room", context: { left: 0, n: 0 }, initial: "open", states: {
          open: {
            after: { "10s": { name: "closing", target: "shut" } }, exit: { assign: { left: "remaining('closing') or 0" } },
            on: { go: [{ guard: "elapsed >= 5000", target: "late" }, "early"] } },
          early: {}, late: {}, shut: {} } }
        """

    @Test func `A replay does not compare data that depend on times, which a history has in whole milliseconds`() throws {
        var recorded = try play([Self.room], "room", ["NEW room room", "ADVANCE 3s", "SEND room go"])
        #expect(recorded.data?["left"] == 7_000)
        recorded.lines[1].at += 1_000_000
        #expect(try replay(recorded, "room", [Self.room]).verdict == .agrees)
        recorded.state = "late"
        guard case .cannotGoOn(at: 2, let why) = try replay(recorded, "room", [Self.room]).verdict else {
            return #expect(Bool(false), "\(recorded)")
        }
        #expect(
            why.contains("that may be the reason for a difference: recorded 'late', the flow ends in"))
    }

    @Test func `A replay doubts a difference that a rounded time may explain`() throws {
        var recorded = try play([Self.room], "room", ["NEW room room", "ADVANCE 5s", "SEND room go"])
        #expect(recorded.state == "late")
        recorded.lines[1].at -= 1_000_000
        guard case .cannotGoOn(at: 2, let why) = try replay(recorded, "room", [Self.room]).verdict else {
            return #expect(Bool(false), "\(recorded)")
        }
        #expect(
            why.contains("that may be the reason for a difference: recorded 'late', the flow went to"))
    }

    @Test func `A replay compares the data of a flow whose screen, emitted events and log alone show times`() throws {
        let text = """
            { id: "room", context: { n: 0 }, states: { open: {
              view: { title: "{{ elapsed }}", text: "{{ remaining('closing') }}", progress: "remaining('closing') / 10000" },
              after: { "10s": { name: "closing", actions: { log: "elapsed" } } },
              on: { go: [
                { emit: { event: "tick", data: { left: "remaining('closing')" } } }, { assign: { n: "n + 1" } }] } } } }
            """
        var recorded = try play([text], "room", ["NEW room room", "ADVANCE 3s", "SEND room go"])
        #expect(try replay(recorded, "room", [text]).verdict == .agrees)
        recorded.data = ["n": 2]
        guard case .endsElsewhere = try replay(recorded, "room", [text]).verdict else {
            return #expect(Bool(false), "\(recorded)")
        }
    }

    private static let family = [
        #"{ id: "mother", states: { a: { invoke: { flow: "child", id: "kid" } } } }"#,
        """
        { id: "child", context: { mother: "" }, states: {
          a: { entry: { assign: { mother: "parent or 'none'" } }, on: { go: { guard: "parent", target: "b" } } }, b: {} } }
        """,
    ]

    @Test(arguments: [[], ["RESTART m/kid"]])
    func `A child of a replay has the parent that it had`(lines: [String]) throws {
        let recorded = try play(Self.family, "m/kid", ["NEW m mother"] + lines + ["SEND m/kid go"])
        #expect(recorded.state == "b" && recorded.data?["mother"] == "m")
        #expect(try replay(recorded, "m/kid", Self.family).verdict == .agrees)
    }

    @Test func `A session that a client has created under a child's name has no parent in a replay`() throws {
        let recorded = try play(Self.family, "m/kid", ["NEW m/kid child"])
        #expect(recorded.data?["mother"] == "none")
        #expect(try replay(recorded, "m/kid", Self.family).verdict == .agrees)
    }

    @Test func `A refused notice of a message or child that failed has the failure's code, which a replay does not compare`()
        throws
    {
        let lonely = "{ id: 'lonely', states: { a: { on: { go: { target: 'b', actions: SEND } } }, b: {} } }"
            .replacing("SEND", with: "{ send: { session: 'nobody', event: 'hi' } }")
        let sent = try play([lonely], "l", ["NEW l lonely", "SEND l go"])
        #expect(sent.lines.last?.code == .noSession && sent.lines.last?.event == "error.communication")
        #expect(try replay(sent, "l", [lonely]).verdict == .agrees)
        let childless = "{ id: 'childless', states: { a: { on: { go: 'b' } }, b: { invoke: { flow: 'none', id: 'kid' } } } }"
        let invoked = try play([childless], "c", ["NEW c childless", "SEND c go"])
        #expect(invoked.lines.last?.code == .noFlow && invoked.lines.last?.event == "error.invoke.kid")
        #expect(try replay(invoked, "c", [childless]).verdict == .agrees)
        // A flow that accepts the notice differs.
        let other = lonely.replacing("b: {}", with: "b: { on: { 'error.communication': 'a' } }")
        guard case .differs(at: 3, _) = try replay(sent, "l", [other]).verdict else {
            return #expect(Bool(false), "\(sent)")
        }
    }

    @Test(
        arguments: [
            // A state that leads on, one that completes itself with actions, and one that leads on where its guard allows it.
            ("w: { always: { target: 'x', actions: { assign: { n: 'n + 1' } } } }", "w"),
            ("w: { initial: { target: 'p', actions: { assign: { n: 'n + 1' } } }, states: { p: {} } }", "w"),
            ("w: { always: { target: 'x', guard: 'n > 0', actions: { assign: { n: 'n + 1' } } } }", "w {\"n\":1}"),
            ("w: { always: { guard: 'n < 3', actions: { assign: { n: 'n + 1' } } } }", "w {\"n\":1}"),
        ])
    func `A replay doubts a difference after a forced state that may have led on by itself`(
        state: String, forced: String
    ) throws {
        let text = Self.forced(state)
        var recorded = try play([text], "r", ["NEW r forced", "FORCE r \(forced)", "SEND r go"])
        recorded.data = ["n": 99]
        guard case .cannotGoOn(_, let why) = try replay(recorded, "r", [text]).verdict else {
            return #expect(Bool(false), "\(recorded)")
        }
        #expect(why.hasPrefix("a forced state may have led on by itself, and its entry has only the state that it led to; "))
    }

    @Test func `A replay is certain of a difference after a forced state to which no other state leads by itself`() throws {
        let text = Self.forced("w: { always: { target: 'x', actions: { assign: { n: 'n + 1' } } } }")
        var recorded = try play([text], "r", ["NEW r forced", "FORCE r y {\"n\":3}"])
        #expect(try replay(recorded, "r", [text]).verdict == .agrees)
        recorded.data = ["n": 99]
        guard case .endsElsewhere = try replay(recorded, "r", [text]).verdict else {
            return #expect(Bool(false), "\(recorded)")
        }
    }

    @Test func `A replay is certain of a difference after a forced state if only the flow itself has an initial with actions`()
        throws
    {
        let text = """
            { id: 'own', context: { n: 0 }, initial: { target: 'a', actions: { assign: { n: 'n + 1' } } },
              states: { a: { on: { go: 'x' } }, x: { on: { end: 'f' } }, f: { type: 'final' } } }
            """
        var recorded = try play([text], "r", ["NEW r own", "FORCE r x {\"n\":3}"])
        #expect(try replay(recorded, "r", [text]).verdict == .agrees)
        recorded.data = ["n": 99]
        guard case .endsElsewhere = try replay(recorded, "r", [text]).verdict else {
            return #expect(Bool(false), "\(recorded)")
        }
        // A session that has ended begins again if the flow is forced by its name.
        var ended = try play([text], "r", ["NEW r own", "SEND r go", "SEND r end", "FORCE r own"])
        #expect(ended.data?["n"] == 2)
        ended.data = ["n": 99]
        guard case .cannotGoOn = try replay(ended, "r", [text]).verdict else { return #expect(Bool(false), "\(ended)") }
    }

    @Test func `A replay is certain of a difference after a forced state of a flow without variables and remembered states`()
        throws
    {
        func text(_ target: String) -> String {
            "{ id: 'plain', states: { a: {}, w: { always: 'x' }, x: { on: { go: '\(target)' } }, y: {}, z: {} } }"
        }
        let recorded = try play([text("y")], "r", ["NEW r plain", "FORCE r w", "SEND r go"])
        #expect(try replay(recorded, "r", [text("y")]).verdict == .agrees)
        guard case .differs(at: 3, _) = try replay(recorded, "r", [text("z")]).verdict else {
            return #expect(Bool(false), "\(recorded)")
        }
    }

    private static func forced(_ state: String) -> String {
        "{ id: 'forced', context: { n: 0 }, initial: 'a', states: { a: {}, \(state), x: { on: { go: 'y' } }, y: {} } }"
    }

    /// Runs the commands, and returns the record of the session.
    private func play(_ texts: [String], _ session: String, _ lines: [String]) throws -> RecordedSession {
        let kinds = try texts.map { try FlowKind.chart(text: $0) }
        let host = Host(on: Timekeeper(VirtualClock()), flows: kinds, commands: .all, limits: Limits())
        let client = LocalClient(of: host, from: .network)
        func say(_ line: String) -> Reply {
            defer { while host.timekeeper.hasDue { host.fireDueTimers() } }
            return client.run(line.split(separator: " ").map(String.init)).last ?? .null
        }
        for line in lines { _ = say(line) }
        return try #require(RecordedSession(state: say("STATE \(session)"), history: say("HISTORY \(session) COUNT 100")))
    }

    private func replay(_ recorded: RecordedSession, _ session: String, _ texts: [String]) throws -> ReplayReport {
        nonisolated(unsafe) let flows = try texts.map { try FlowKind.chart(text: $0) }
        return try #require(HistoryReplay.run(recorded, named: session, RehearsedFlows({ flows }, withBuiltIn: false)))
    }
}

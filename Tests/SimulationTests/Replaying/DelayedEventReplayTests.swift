// A replay of sessions whose flow delays events.

import GameFlow
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Simulation

@Suite struct `A replay of delayed events` {
    private static let parcel = """
        { id: "parcel", initial: "shop", context: { n: 0 }, states: {
          shop: { on: { order: "away" } },
          away: {
            entry: [{ raise: { event: "arrive", delay: "2h" } }, { raise: { event: "arrive", delay: "1h" } },
                    { send: { session: "{{ session }}", event: "call", delay: "30m" } }],
            on: { arrive: { actions: { assign: { n: "n + 1" } } }, call: {}, "hurry": "home" } },
          home: { on: { order: "away" } } } }
        """

    @Test func `A replay agrees with events that were delayed, sent later or dropped`() throws {
        let recorded = try play(
            "SEND box order", "ADVANCE 3h", "SEND box hurry", "SEND box order", "ADVANCE 70m", "SEND box hurry", "ADVANCE 3h")
        #expect(recorded.data?["n"] == 3 && recorded.lines.contains { $0.event == "call" }, "\(recorded)")
        try expectThatReplayAgrees(with: recorded)
    }

    @Test
    func `A delayed event's timer that is paused, resumed or extended is in the history by its name, and a replay agrees`()
        throws
    {
        let recorded = try play(
            "SEND box order", "ADVANCE 10m", "PAUSE box call", "EXTEND box arrive#2 10m", "ADVANCE 65m", "RESUME box call",
            "EXTEND box arrive -5m", "ADVANCE 3h")
        let actions = recorded.lines.filter { $0.kind.command != nil && $0.kind != .begun }
        #expect(
            actions.map { "\($0.kind.name) \($0.timer ?? "")" } == [
                "paused call", "extended arrive#2", "resumed call", "extended arrive",
            ])
        #expect(recorded.data?["n"] == 2)
        try expectThatReplayAgrees(with: recorded)
    }

    /// Refusals of equal events are one line of the history.
    @Test func `A replay uses up delayed events that were refused many times, as the session did`() throws {
        let beats = """
            { id: "parcel", initial: "idle", events: { late: { from: [] }, order: {} }, states: {
              idle: { every: { "100ms": { name: "beat", actions: { raise: { event: "late", delay: "50ms", data: { x: 1 } } } } },
                      on: { order: { target: "busy", actions: { raise: { event: "late", delay: "50ms", data: { x: 5 } } } } } },
              busy: { on: { late: [{ guard: "event.x == 5", target: "good" }, { target: "bad" }] } }, good: {}, bad: {} } }
            """
        for time in ["680ms", "7080ms"] {
            let recorded = try play("ADVANCE \(time)", "SEND box order", "ADVANCE 1s", of: beats)
            #expect(recorded.state == "good" && recorded.lines.contains { $0.repeats?.times ?? 1 > 2 }, "\(recorded)")
            try expectThatReplayAgrees(with: recorded, of: beats)
        }
    }

    /// Runs the commands on a new session, and returns its record.
    private func play(_ lines: String..., of flow: String = parcel) throws -> RecordedSession {
        let kind = try FlowKind.chart(text: flow)
        let client = LocalClient(
            of: Host(on: Timekeeper(VirtualClock()), flows: [kind], commands: .all, limits: Limits()), from: .network)
        func say(_ line: String) -> Reply { client.run(line.split(separator: " ").map(String.init)).last ?? .null }
        for line in ["NEW box parcel"] + lines { _ = say(line) }
        return try #require(RecordedSession(state: say("STATE box"), history: say("HISTORY box COUNT 100")))
    }

    private func expectThatReplayAgrees(with recorded: RecordedSession, of flow: String = parcel) throws {
        nonisolated(unsafe) let flows = [try FlowKind.chart(text: flow)]
        let report = try #require(HistoryReplay.run(recorded, named: "box", RehearsedFlows({ flows }, withBuiltIn: false)))
        #expect(report.verdict == .agrees && report.isComplete, "\(report)")
    }
}

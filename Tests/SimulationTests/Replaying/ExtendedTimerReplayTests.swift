// A replay of sessions whose timers are extended, paused and resumed, by the flow and by operators.

import GameFlow
import RESP
import Seeds
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Simulation

@Suite struct `A replay of extended timers` {
    private static let escape = """
        { id: "escape", initial: "room", context: { hints: 0, ticks: 0 }, states: {
          room: {
            after: { "60s": { name: "end", target: "lost", milestones: {
              "30s": { assign: { hints: "hints + 1" } }, "10s": { assign: { hints: "hints + 100" } } } } },
            every: { "7s": { name: "clock", actions: { assign: { ticks: "ticks + 1" } } } },
            on: {
              cheat: { extend: { timer: "end", by: "-9s" } }, help: { extend: { timer: "end", by: "12s" } },
              shake: { extend: { timer: "clock", by: "-3s" } }, stop: { pause: "end" }, go: { resume: "end" } } },
          lost: { on: { again: "room" } } } }
        """

    @Test func `A replay agrees with a session whose timers were extended, paused and resumed at random`() throws {
        var random = SeededGenerator.announced("extended timers", seed: 31)
        for round in 0..<150 {
            let recorded = try Self.play(Self.escape, (0..<60).map { _ in Self.randomCommand(&random) })
            let report = try Self.replay(recorded, Self.escape)
            #expect(report.verdict == .agrees && report.isComplete, "round \(round): \(report.verdict) of \(recorded.lines)")
        }
    }

    /// The history counts the refusals of the milestone, and the timer ends after each of them.
    @Test func `A replay agrees with a session whose milestone was refused in each of eight rounds`() throws {
        let text = """
            { id: "escape", context: { n: 0 }, states: { room: {
              after: { "1518ms": {
                name: "end", actions: { assign: { n: "0" } }, milestones: { "105ms": { assign: { n: "n // 0" } } } } },
              every: { "4055ms": { name: "round", target: ".open" } }, states: { open: {} } } } }
            """
        let recorded = try Self.play(text, ["ADVANCE 33000"])
        #expect(recorded.lines.map { $0.repeats?.times ?? 1 } == [1, 8, 8, 8])
        #expect(try Self.replay(recorded, text).verdict == .agrees)
    }

    private static func replay(_ recorded: RecordedSession, _ text: String) throws -> ReplayReport {
        nonisolated(unsafe) let flows = [try FlowKind.chart(text: text)]
        return try #require(HistoryReplay.run(recorded, named: "room", RehearsedFlows({ flows }, withBuiltIn: false)))
    }

    private static func play(_ text: String, _ commands: [String]) throws -> RecordedSession {
        var limits = Limits()
        limits.sessionHistory = 10_000
        let host = Host(
            on: Timekeeper(VirtualClock()), flows: [try FlowKind.chart(text: text)], commands: .all, limits: limits)
        let client = LocalClient(of: host, from: .network)
        func say(_ line: String) -> Reply {
            // As at the end of a turn.
            defer { while host.timekeeper.hasDue { host.fireDueTimers() } }
            return client.run(line.split(separator: " ").map(String.init)).last ?? .null
        }
        _ = say("NEW room escape")
        for command in commands { _ = say(command) }
        return try #require(RecordedSession(state: say("STATE room"), history: say("HISTORY room COUNT 10000")))
    }

    private static func randomCommand(_ random: inout SeededGenerator) -> String {
        let timer = Bool.random(using: &random) ? "end" : "clock"
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<45: return "ADVANCE \(Int.random(in: 0..<9_000, using: &random))"
        case 45..<75: return "SEND room \(["cheat", "help", "shake", "again"].randomElement(using: &random) ?? "")"
        case 75..<80: return "SEND room \(["stop", "go", "go"].randomElement(using: &random) ?? "")"
        case 80..<90: return "EXTEND room \(timer) \(Int.random(in: -20_000..<30_000, using: &random))"
        case 90..<93: return "PAUSE room \(timer)"
        case 93..<97: return "RESUME room \(timer)"
        case 97..<98: return "PAUSE room"
        default: return "RESUME room"
        }
    }
}

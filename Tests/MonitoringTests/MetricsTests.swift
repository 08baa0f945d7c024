// The metrics in GET /metrics.

import BuiltInFlows
import GameFlow
import Monitoring
import Seeds
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import EventLoop
@testable import Sessions

@Suite struct `The daemon's metrics` {
    @Test func `The metrics agree with the history over a random run`() throws {
        var random = SeededGenerator.announced("figures and history", seed: 13)
        let daemon = try MonitoredDaemon([.flow(Turns.self), .flow(Game.self), try .chart(text: nested)])
        let oracle = HistoryOracle()
        daemon.sessions.add(oracle)
        for _ in 0..<3_000 { daemon.say(Self.request(&random)) }
        let (metrics, now) = (try daemon.readMetrics(), daemon.loop.timekeeper.now)
        #expect(oracle.outcomes.count > 15 && oracle.current.count > 8, "the run reaches all kinds of entries and states")
        for (outcome, count) in oracle.outcomes where Self.isOfEvent(outcome.what) {
            let labels = ["flow": outcome.flow, "source": outcome.source, "outcome": outcome.what]
            #expect(metrics.value("gamed_events_total", labels) == Double(count), "\(outcome)")
        }
        let events = oracle.outcomes.filter { Self.isOfEvent($0.key.what) }.values.reduce(0, +)
        #expect(metrics.values("gamed_events_total").reduce(0, +) == Double(events), "there are no other samples")
        for (flow, count) in oracle.transitions {
            #expect(metrics.value("gamed_transitions_total", ["flow": flow]) == Double(count))
        }
        for (state, seconds) in oracle.seconds(at: now) {
            let labels = ["flow": state.flow, "state": state.state]
            let told = try #require(metrics.value("gamed_state_seconds_total", labels), "\(state)")
            #expect(abs(told - seconds) < 0.01 + seconds / 1_000, "\(state): \(told) and \(seconds)")
            #expect(metrics.value("gamed_state_sessions", labels) == Double(oracle.current[state] ?? 0), "\(state)")
        }
        #expect(metrics.values("gamed_sessions").reduce(0, +) == Double(daemon.sessions.count))
        #expect(daemon.say("INFO sessions").text?.contains("events_taken:\(Self.sum(oracle, "taken"))") == true)
    }

    private static func isOfEvent(_ what: String) -> Bool {
        ["taken", "postponed", "waiting", "ignored", "refused"].contains(what)
    }

    private static func sum(_ oracle: HistoryOracle, _ what: String) -> Int {
        oracle.outcomes.filter { $0.key.what == what }.values.reduce(0, +)
    }

    private static func request(_ random: inout SeededGenerator) -> String {
        let name = "s\(Int.random(in: 0..<12, using: &random))"
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<3: return "NEW \(name) \(["turns", "game", "nested"].randomElement(using: &random) ?? "")"
        case 3: return "DROP \(name)"
        case 4:
            return
                "FORCE \(name) \(["lobby", "hall.bar", "both.lights.on,both.sound.low", "first"].randomElement(using: &random) ?? "")"
        case 5: return "PAUSE \(name)"
        case 6: return "RESUME \(name)"
        case 7..<10: return "ADVANCE \(Int.random(in: 1..<9_000, using: &random))ms"
        default:
            let events = ["pass", "startPlaying", "go", "swap", "back", "go", "swap"]
            return "SEND \(name) \(events.randomElement(using: &random) ?? "")"
        }
    }

    @Test func `The metrics count armed, fired and cancelled timers, and the lateness of fired ones`() throws {
        let daemon = try MonitoredDaemon([.flow(Turns.self)])
        for line in ["NEW a turns", "NEW b turns", "SEND a pass", "ADVANCE 30s", "DROP b"] { daemon.say(line) }
        let metrics = try daemon.readMetrics()
        let value = { metrics.value("gamed_timers_" + $0) ?? -1 }
        #expect(value("armed_total") == value("fired_total") + value("cancelled_total") + value("armed"))
        #expect(value("fired_total") == 2 && value("armed") == 1 && value("cancelled_total") == 2)
        #expect(metrics.value("gamed_timer_lateness_seconds_count") == 2)
        daemon.say("CONFIG RESETSTAT")
        #expect(try daemon.readMetrics().value("gamed_timers_fired_total") == 2, "a counter never goes back")
    }

    @Test func `The metrics count the sessions whose clock the daemon stopped`() throws {
        let circle =
            #"{id:"circle",events:{go:{}},initial:"a",states:{a:{on:{go:"b"}},b:{after:{"0s":"c"}},c:{after:{"0s":"b"}}}}"#
        let daemon = try MonitoredDaemon([try .chart(text: circle)])
        for line in ["NEW a circle", "NEW b circle", "PAUSE b"] { daemon.say(line) }
        #expect(try daemon.readMetrics().value("gamed_clocks_stopped") == 0)
        for line in ["SEND a go", "ADVANCE 1ms"] { daemon.say(line) }
        #expect(try daemon.readMetrics().value("gamed_clocks_stopped") == 1)
        daemon.say("DROP a")
        #expect(try daemon.readMetrics().value("gamed_clocks_stopped") == 0)
    }

    @Test func `The metrics continue when a reload changes the flow of running sessions`() throws {
        let other = nested.replacing("lobby", with: "foyer")
        let daemon = try MonitoredDaemon([try .chart(text: nested)])
        for line in ["NEW a nested", "SEND a go", "ADVANCE 2s"] { daemon.say(line) }
        let change = FlowChange(
            of: daemon.sessions, hosting: [try .chart(text: other)], without: [], isDry: false, delegate: nil)
        while !change.isOver { change.step(atMost: 100) }
        daemon.say("ADVANCE 3s")
        let metrics = try daemon.readMetrics()
        #expect(metrics.value("gamed_transitions_total", ["flow": "nested"]) == 1)
        #expect(metrics.value("gamed_deeds_total", ["flow": "nested", "deed": "begun"]) == 1)
        let seconds = metrics.value("gamed_state_seconds_total", ["state": "hall.stage"]) ?? 0
        #expect(abs(seconds - 5) < 0.01)
        #expect(metrics.value("gamed_state_sessions", ["state": "hall"]) == 1)
    }

    @Test func `The metrics name at most 500 states of a flow, and sum up the others`() throws {
        let states = (0..<600).map { "s\($0): {}" }.joined(separator: ", ")
        let daemon = try MonitoredDaemon([try .chart(text: "{ id: \"large\", initial: \"s0\", states: { \(states) } }")])
        for line in ["NEW a large", "NEW b large", "FORCE b s599", "NEW c large", "FORCE c s500"] { daemon.say(line) }
        let metrics = try daemon.readMetrics()
        #expect(metrics.values("gamed_state_sessions").count == 501)
        #expect(metrics.value("gamed_state_sessions", ["state": "…other"]) == 2)
        #expect(metrics.value("gamed_state_sessions", ["state": "s0"]) == 1)
    }

    @Test func `The metrics are valid for all names of flows and states, and contain no session names`() throws {
        let file = """
            { id: "plain", initial: "a\\"b\\\\c}", states: { "a\\"b\\\\c}": {}, "<script>": {}, "🦆\u{0301}": {}, "le=\\"1\\"": {} } }
            """
        let daemon = try MonitoredDaemon([.flow(Hostile.self), try .chart(text: file)])
        for line in ["NEW a plain", "NEW b plain", "FORCE b le=\"1\""] { daemon.say(line) }
        daemon.say(["NEW", "c", Hostile.name])
        let text = String(decoding: daemon.metrics.gather(), as: UTF8.self)
        let metrics = try MetricsReading(text)
        #expect(metrics.value("gamed_state_sessions", ["state": "a\"b\\c}"]) == 1)
        #expect(metrics.value("gamed_state_sessions", ["state": "le=\"1\""]) == 1)
        #expect(metrics.value("gamed_sessions", ["flow": Hostile.name]) == 1)
        #expect(!text.contains("\"c\""), "no session's name is in it")
        try PromTool.check(metrics: text)
    }

    @Test func `The metrics of another source follow the daemon's own`() throws {
        let daemon = try MonitoredDaemon([.flow(Turns.self)])
        final class Streams: MetricsSource {
            func write(to writer: inout MetricsWriter) {
                writer.family("gamed_streams", .gauge, "Streams \\ that are open.\n")
                writer.sample(3)
            }
        }
        let streams = Streams()
        defer { withExtendedLifetime(streams) {} }
        daemon.metrics.source = streams
        let metrics = try daemon.readMetrics()
        #expect(metrics.families.last?.name == "gamed_streams" && metrics.value("gamed_streams") == 3)
    }

    private struct Hostile: TypedFlow {
        enum State: FlowState { case only }
        enum Event: Equatable { case nothing }

        static let name = "a\"b\\c\n{}\r<script>🦆\u{202E}"
        static let events = Catalogue<Event>(.plain(.nothing))
        let clock: FlowClock

        func initialState() -> State { .only }
        func transition(from state: State, on event: Event) throws(FlowError) -> Transition { throw .transitionNotFound }
    }
}

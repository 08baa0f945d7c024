// Charts that are in very many states, one after another or at once.

import GameFlow
import JSON
import TestSupport
import Testing
import Timers

@testable import Statecharts

@Suite struct `A chart with very many states` {
    /// Regions of two states each, which one event changes together, and another one by one.
    private func regions(_ count: Int, root: String = "") -> String {
        let regions = (0..<count).map { number in
            "r\(number): { initial: 'a', states: { a: { on: { all: 'b', e\(number): 'b' } }, b: { on: { all: 'a' } } } }"
        }
        return "{ id: 't', context: { n: 0 }, type: 'parallel', \(root) states: { \(regions.joined(separator: ", ")) } }"
    }

    @Test func `A state is named and restored after its flow has used up all state numbers`() throws {
        let session = try ChartSession(regions(3))
        for number in 0..<70_000 { _ = session.kind.index(ofState: "other \(number)") }
        #expect(session.kind.stateName(at: FlowKind.unnumberedState) == "(one of too many states)")
        try session.send("e1")
        #expect(session.machine.stateIndex == FlowKind.unnumberedState)
        #expect(session.state == "r0.a,r1.b,r2.a")
        try session.send("e0")
        #expect(session.state == "r0.b,r1.b,r2.a")
        let refusal = #expect(throws: Refusal.self) { try session.send("e0") }
        #expect(refusal?.description.hasPrefix("'e0' is not valid in 'r0.b,r1.b,r2.a'") == true)
        try session.restart()
        #expect(session.state == "r0.b,r1.b,r2.a")
    }

    @Test func `A state name that a store would truncate is saved in the session's data`() throws {
        let session = try ChartSession(regions(1_200))
        try session.send("e7")
        #expect(session.state.utf8.count > 8_000)
        #expect(try session.machine.stateData()["$"]?["active"]?.text == session.state)
        try session.restart()
        #expect(session.state.hasPrefix("r0.a,r1.a,r2.a,r3.a,r4.a,r5.a,r6.a,r7.b,r8.a"))
    }

    @Test func `The guards of a parallel state are tried once for all its regions`() throws {
        let guards = (1...300).map { "{ guard: 'n == \($0)', actions: { log: 'n' } }" }.joined(separator: ", ")
        let session = try ChartSession(regions(400, root: "on: { go: [\(guards), { actions: { assign: { n: 7 } } }] },"))
        try session.send("go")
        #expect(session["n"] == 7)
    }

    @Test func `Trying all events of a state has one step limit for all of them`() throws {
        let events = (0..<3_000).map { "e\($0): { payload: { n: { type: 'integer', minimum: 0, maximum: 9 } } }" }
        let guards = (0..<1_000).map { "{ guard: 'n > \($0 + 1)', target: 'a' }" }.joined(separator: ", ")
        let text = """
            { id: 't', context: { n: 1 }, events: { \(events.joined(separator: ", ")) }, initial: 'a',
              states: { a: { on: { '*': [\(guards)] } } } }
            """
        let file = FlowFile(bytes: Array(text.utf8), path: "t.json5")
        let engine = try ChartEngine(try #require(file.definition, "\(file.report)"))
        let host = TimerHost(on: Timekeeper(VirtualClock()))
        let state = try engine.begin(on: host.clock)
        let before = engine.expressions.spent
        engine.beginTrials()
        let taken = engine.chart.events.specs.count { engine.mayTake(ChartEvent($0), in: state, on: host.clock) }
        #expect(engine.expressions.spent - before < ChartBounds.steps + 20_000)
        #expect(taken > 2_000, "those that are not tried are offered")
    }
}

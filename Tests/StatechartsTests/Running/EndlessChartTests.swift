import GameFlow
import Testing
import Timers

@testable import Statecharts

@Suite struct `A chart that cycles without time passing` {
    @Test func `A chart that cycles without time passing is frozen`() throws {
        let session = try ChartSession(
            """
            { id: "t", context: { n: 0 }, initial: "a", states: { a: { after: { "1s": {
              delay: "n == 0 and 1000 or 0", target: "a", actions: { assign: { n: "n + 1" } } } } } } }
            """)
        session.advance(.seconds(2))
        #expect(session.machine.isFrozen)
        #expect(session["n"] == 1_001)
    }

    @Test func `A chart refuses an event that leads to an endless cycle of eventless transitions`() throws {
        let session = try ChartSession(
            #"{ id: "t", initial: "a", states: { a: { on: { go: "b" } }, b: { always: { guard: "true", target: "c" } }, c: { always: { guard: "true", target: "b" } } } }"#
        )
        #expect(throws: Refusal.self) { try session.send("go") }
        #expect(session.state == "a")
    }
}

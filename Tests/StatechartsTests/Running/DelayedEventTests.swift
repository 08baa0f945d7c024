import GameFlow
import Testing
import Timers

@testable import Statecharts

@Suite struct `Delayed events` {
    @Test func `Delayed events due at the same instant are handled in the order in which they were raised`() throws {
        let session = try ChartSession(
            """
            { id: "t", context: { seen: 0 }, initial: "a", states: { a: { on: {
              go: { actions: [{ raise: { event: "one", delay: "1s" } }, { raise: { event: "two", delay: "1s" } },
                { raise: { event: "three", delay: "1s" } }] },
              one: { actions: { assign: { seen: "seen * 10 + 1" } } },
              two: { target: "a", actions: { assign: { seen: "seen * 10 + 2" } } },
              three: { actions: { assign: { seen: "seen * 10 + 3" } } },
            } } } }
            """)
        try session.send("go")
        #expect(session.timers == ["one": .seconds(1), "two": .seconds(1), "three": .seconds(1)])
        session.advance(.seconds(1))
        #expect(session["seen"] == 123)
        #expect(session.timers.isEmpty)
    }

    @Test func `Delayed events outlive their state and a restart, and can be cancelled`() throws {
        let session = try ChartSession(
            """
            { id: "t", context: { seen: 0 }, initial: "a", states: {
              a: { on: { go: { target: "b", actions: [{ raise: { event: "late", delay: "5s", id: "first", data: { n: "7" } } },
                { raise: { event: "late", delay: "6s", id: "second", data: { n: "100" } } }] } } },
              b: { on: { late: { actions: { assign: { seen: "seen + event.n" } } }, stop: { actions: { cancel: "second" } } } },
            } }
            """)
        try session.send("go")
        session.advance(.seconds(2))
        try session.restart()
        #expect(session.timers == ["first": .seconds(3), "second": .seconds(4)])
        session.advance(.seconds(3))
        #expect(session["seen"] == 7)
        try session.send("stop")
        session.advance(.seconds(10))
        #expect(session["seen"] == 7)
    }

    @Test(arguments: ["raise: { event: \"boom\", delay: \"d\" }", "send: { session: \"'x'\", event: \"boom\", delay: \"d\" }"])
    func `A delay below zero refuses the event that asks for it, and changes nothing`(action: String) throws {
        let session = try ChartSession(
            """
            { id: "t", context: { d: -500, seen: 0 }, initial: "a", states: { a: { on: {
              go: { actions: [{ assign: { seen: "1" } }, { \(action) }] }, boom: { actions: { assign: { seen: "2" } } } } } } }
            """)
        let error = #expect(throws: Refusal.self) { try session.send("go") }
        let reason = "the countdown 'boom' cannot last -500ms; it takes zero or more"
        #expect(error?.description.contains(reason) == true, "\(error as Any)")
        #expect(session["seen"] == 0)
    }
}

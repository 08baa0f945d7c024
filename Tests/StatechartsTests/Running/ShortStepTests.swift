// Short steps change a session's variables in place; a step that fails leaves nothing changed.

import GameFlow
import Testing
import Timers

@testable import Statecharts

private let counting = """
    {
      id: "counting",
      context: { total: 0, rounds: { type: "integer", minimum: 0, maximum: 2, default: 0 }, seen: [1, 2] },
      events: { count: {}, copy: {}, close: {}, pick: { payload: { n: { type: "integer" } } } },
      initial: "open",
      states: {
        open: {
          after: { "10s": "done" },
          on: {
            count: { target: "open", actions: { assign: { total: "total + 1", rounds: "rounds + 1" } } },
            copy: { target: "open", actions: { assign: { total: "total + 1", seen: "seen" } } },
            close: { target: "closing", actions: { assign: { total: "total + 1" } } },
            pick: [
              { guard: "event.n > 10", target: "open", actions: { assign: { total: "total + 10" } } },
              { guard: "event.n > 5", target: "open", actions: { assign: { total: "total + 5" } } },
              { guard: "total > 100", target: "done" },
            ],
          },
        },
        closing: { after: { "1h": "done" } },
        done: { type: "final" },
      },
    }
    """

@Suite struct `A short step` {
    private func values(_ session: ChartSession) -> [JSON?] { [session["total"], session["rounds"]] }

    @Test func `A value out of bounds restores the values that were assigned before it`() throws {
        let session = try ChartSession(counting)
        try session.send("count")
        try session.send("count")
        session.advance(.seconds(4))
        #expect(throws: Refusal.self) { try session.send("count") }
        #expect(values(session) == [2, 2])
        #expect(session.state == "open")
        #expect(session.timers == ["open": .seconds(6)])
    }

    @Test func `A step that needs Lua halfway assigns each value once`() throws {
        let session = try ChartSession(counting)
        try session.send("copy")
        #expect(session["total"] == 1)
        #expect(session["seen"] == [1, 2])
    }

    @Test func `A timer beyond the end of time restores the assigned values`() throws {
        let session = try ChartSession(counting)
        session.machine.clock.freeze()
        session.advance(.nanoseconds(Int64.max) - .seconds(60))
        #expect(throws: Refusal.self) { try session.send("close") }
        #expect(values(session) == [0, 0])
        #expect(session.state == "open")
    }

    @Test(arguments: [(11, 10), (6, 5)])
    func `The first transition with a true guard is taken`(_ value: Int, _ total: Int) throws {
        let session = try ChartSession(counting)
        try session.send("pick", ["n": .integer(value)])
        #expect(session["total"] == .integer(total))
    }

    @Test func `An event without a true guard is refused and changes nothing`() throws {
        let session = try ChartSession(counting)
        try session.send("count")
        #expect(throws: Refusal.self) { try session.send("pick", ["n": 1]) }
        #expect(values(session) == [1, 1])
    }

    @Test func `Nested conditions assign what their branch says`() throws {
        let session = try ChartSession(
            """
            {
              id: "branches", context: { a: 0, b: 0, c: 0 },
              events: { go: { payload: { n: { type: "integer" } } } }, initial: "s",
              states: {
                s: {
                  on: {
                    go: {
                      target: "s",
                      actions: [
                        { if: "event.n > 0",
                          then: [{ if: "event.n > 1", then: { assign: { a: 2 } }, else: { assign: { a: 1 } } }, { assign: { b: "a" } }],
                          else: [{ assign: { a: -1 } }] },
                        { assign: { c: "c + 1" } },
                      ],
                    },
                  },
                },
              },
            }
            """)
        for (value, a, b) in [(2, 2, 2), (1, 1, 1), (0, -1, 1)] {
            try session.send("go", ["n": .integer(value)])
            #expect([session["a"], session["b"]] == [.integer(a), .integer(b)])
        }
        #expect(session["c"] == 3)
    }
}

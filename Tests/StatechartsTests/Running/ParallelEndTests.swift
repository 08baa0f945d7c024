// Parallel states inside parallel states: each is done when all its regions are, in any order.

import GameFlow
import Testing
import Timers

@testable import Statecharts

@Suite struct `A parallel state with a parallel state as a region` {
    private static let regions = """
        p: { type: "parallel", states: {
          p1: { initial: "a", states: { a: { on: { one: "z" } }, z: { type: "final" } } },
          p2: { initial: "a", states: { a: { on: { two: "z" } }, z: { type: "final" } } } } },
        q: { initial: "a", states: { a: { on: { three: "z" } }, z: { type: "final" } } }
        """
    private static let orders = [["one", "two", "three"], ["three", "two", "one"], ["one", "three", "two"]]

    @Test(arguments: orders)
    func `A parallel state is done when all its regions are, whichever is done last`(events: [String]) throws {
        let session = try ChartSession(
            """
            { id: "t", initial: "work", context: { ended: 0 }, states: {
              work: { type: "parallel", onDone: { target: "next", actions: { assign: { ended: "ended + 1" } } },
                states: { \(Self.regions) } },
              next: {} } }
            """)
        for event in events { try session.send(event) }
        #expect(session.state == "next" && session["ended"] == 1)
    }

    @Test(arguments: orders)
    func `A session whose regions are all done leaves its states and stops its timers`(events: [String]) throws {
        let session = try ChartSession(
            """
            { id: "t", type: "parallel", context: { ended: 0 }, exit: { assign: { ended: "ended + 1" } },
              every: { "10s": { name: "tick", actions: { log: "'ticks'" } } }, states: { \(Self.regions) } }
            """)
        for event in events {
            #expect(!session.machine.isFinal && session.timers.count == 1)
            try session.send(event)
        }
        #expect(session.machine.isFinal && session.timers.isEmpty && session["ended"] == 1)
    }
}

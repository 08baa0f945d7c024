// A flow file of extreme size: how many there are of everything that docs/FLOWS.md bounds. Mostly one thing is large at a time.

import Statecharts
import GameFlow

/// How large the flow `sized` is. All sizes have the same few names, which programs use.
struct ChartSize: Hashable {
    /// States in a row, each reached from the one before.
    var states = 3
    var events = 5
    /// Of one state; they fire one after another.
    var timers = 2
    /// Of the first of them.
    var milestones = 1
    /// Side by side, with two states in each.
    var regions = 2
    /// States inside of each other, with a history state beside the outermost.
    var nesting = 3
    /// Of the name of each region.
    var nameBytes = 2

    /// A build without the optimizer takes too long with the largest.
    #if LARGE
        private static let share = 1
    #else
        private static let share = 64
    #endif

    /// Number of states or events that the flow has besides these counts, in any size.
    private static let others = 50

    /// The sizes from which a byte chooses, mostly the first.
    static let all = [
        ChartSize(), ChartSize(states: (ChartBounds.states - others) / share), ChartSize(states: 129),
        ChartSize(events: (ChartBounds.events - others) / share), ChartSize(events: 257),
        ChartSize(timers: ChartBounds.timers / share), ChartSize(timers: 65),
        ChartSize(milestones: ChartBounds.milestones / share), ChartSize(regions: 1_000 / share), ChartSize(regions: 65),
        ChartSize(nesting: 29), ChartSize(regions: 256 / share, nameBytes: ChartBounds.nameBytes),
    ]

    static func chosen(by number: UInt8) -> ChartSize {
        let number = Int(number % 32) - (32 - all.count)
        return number > 0 ? all[number] : all[0]
    }

    var text: String {
        """
        { id: "sized", context: { count: 0 }, initial: "s0",
          events: { \(list(events) { "e\($0): {}" }), last: {}, back: {} },
          on: { e1: "wide", e2: "deep", last: "#last", back: "deep.before" },
          states: { \(row), wide: { type: "parallel", states: { \(list(regions, region)) } },
            deep: { initial: "d", states: { before: { type: "history", history: "deep", target: "d" }, d: \(nest(nesting)) } } } }
        """
    }

    private var row: String {
        let first = "s0: { on: { e0: \"s1\" }, after: { \(list(timers, timer)) } }"
        let others = (1..<states).map { number in
            let isLast = number == states - 1
            return "s\(number): { \(isLast ? "id: \"last\", " : "")on: { e0: \"s\(isLast ? 0 : number + 1)\" } }"
        }
        return ([first] + others).joined(separator: ",\n")
    }

    private func timer(_ number: Int) -> String {
        let marks =
            number > 0
            ? "" : ", milestones: { \(list(milestones) { "\"\($0 + 1)ms\": { assign: { count: \"count + 1\" } }" }) }"
        return "\"\(10_000 + number)ms\": { name: \"t\(number)\", actions: { assign: { count: \"count + 1\" } }\(marks) }"
    }

    private func region(_ number: Int) -> String {
        let name = "r\(number)"
        let long = name + String(repeating: "r", count: max(0, nameBytes - name.utf8.count))
        return "\(long): { initial: \"a\", states: { a: { on: { e3: \"b\" } }, b: { on: { e3: \"a\" } } } }"
    }

    private func nest(_ depth: Int) -> String {
        let end = "{ on: { e3: \"#last\" } }"
        return (0..<depth).reduce(end) { inner, _ in "{ initial: \"d\", states: { d: \(inner), x: {} }, on: { e4: \".x\" } }" }
    }

    private func list(_ count: Int, _ element: (Int) -> String) -> String {
        (0..<count).map(element).joined(separator: ",\n")
    }
}

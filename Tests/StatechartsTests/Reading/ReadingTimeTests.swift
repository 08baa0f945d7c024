// Reading takes time at most in proportion to the size of the file.

import Glibc
import Testing

@testable import Statecharts

@Suite struct `Reading many states` {
    /// Four times the states may take ten times the processor time; a quadratic reader takes sixteen times as long.
    @Test func `Reading a flow file takes processor time in proportion to its states`() throws {
        let (few, many) = (try nanoseconds(ofStates: 250), try nanoseconds(ofStates: 1_000))
        #expect(many < few * 10, "250 states take \(few) ns, 1,000 take \(many) ns")
    }

    @Test func `Reading a list of postponed events takes processor time in proportion to its length`() throws {
        let (few, many) = (try nanoseconds(ofPostponed: 4_000), try nanoseconds(ofPostponed: 16_000))
        #expect(many < few * 10, "4,000 events take \(few) ns, 16,000 take \(many) ns")
    }

    @Test func `Listing the events that a state postpones takes processor time in proportion to their number`() throws {
        let (few, many) = (try nanoseconds(toListPostponed: 4_000), try nanoseconds(toListPostponed: 16_000))
        #expect(many < few * 10, "4,000 events take \(few) ns, 16,000 take \(many) ns")
    }

    private func nanoseconds(toListPostponed count: Int) throws -> Int {
        let names = (0..<count).map { "\"event\($0)\"" }.joined(separator: ", ")
        let machine = try ChartSession(
            "{ id: \"t\", initial: \"a\", states: { a: { postpone: [\(names)] }, b: { on: { \"*\": \"a\" } } }, events: {"
                + (0..<count).map { "event\($0): {}" }.joined(separator: ", ") + "} }"
        ).machine
        return (0..<3).map { _ in
            let start = Self.threadTime()
            #expect(machine.acceptedEvents.count == count)
            return Self.threadTime() - start
        }.min() ?? 0
    }

    private func nanoseconds(ofStates count: Int) throws -> Int {
        try nanoseconds(toRead: Self.text(states: count)) { $0.states.count == count + 1 }
    }

    private func nanoseconds(ofPostponed count: Int) throws -> Int {
        let names = (0..<count).map { "\"event\($0)\"" }.joined(separator: ", ")
        let text = "{ id: \"t\", initial: \"a\", states: { a: { postpone: [\(names)] } } }"
        return try nanoseconds(toRead: text) { $0.states[1].postponed.count == count }
    }

    /// Measures the processor time of this thread only, as the machine may be busy.
    private func nanoseconds(toRead text: String, _ isWhole: (ChartDefinition) -> Bool) throws -> Int {
        try (0..<3).map { _ in
            let start = Self.threadTime()
            let chart = try chart(text)
            let taken = Self.threadTime() - start
            #expect(isWhole(chart))
            return taken
        }.min() ?? 0
    }

    private static func threadTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// States in groups of ten, each with a guard, an assignment, a timer and a view.
    static func text(states count: Int) -> String {
        var groups: [String] = []
        for group in 0..<count / 10 {
            let next = "group\((group + 1) % (count / 10))"
            let states = (0..<9).map { state in
                """
                    state\(state): {
                      entry: { assign: { visits: "visits + 1" } },
                      on: { next: { guard: "visits < 100", target: "state\((state + 1) % 9)" }, leave: "\(next)", "error.*": "group\(group)" },
                      after: { "30s": "\(next).state\(state)" },
                      view: { title: "State \(state) of {{ visits }}" },
                    },
                """
            }
            groups.append("  group\(group): { states: {\n\(states.joined(separator: "\n"))\n  } },")
        }
        return "{\n  id: \"many\", context: { visits: 0 },\n  states: {\n\(groups.joined(separator: "\n"))\n  },\n}\n"
    }
}

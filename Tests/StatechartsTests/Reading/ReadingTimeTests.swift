// Reading takes time at most in proportion to the size of the file.

import Glibc
import Testing

@testable import Statecharts

@Suite struct `Reading many states` {
    /// Four times the states may take ten times the processor time; a quadratic reader takes sixteen times as long.
    @Test func `Reading a flow file takes processor time in proportion to its states`() throws {
        let (few, many) = (try nanoseconds(of: 250), try nanoseconds(of: 1_000))
        #expect(many < few * 10, "250 states take \(few) ns, 1,000 take \(many) ns")
    }

    /// Measures the processor time of this thread only, as the machine may be busy.
    private func nanoseconds(of count: Int) throws -> Int {
        let text = Self.text(states: count)
        return try (0..<3).map { _ in
            let start = Self.threadTime()
            let chart = try chart(text)
            let taken = Self.threadTime() - start
            #expect(chart.states.count == count + 1)
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

// How long reading takes: at most in proportion to the file.

import Testing

@testable import Statecharts

@Suite struct `Reading many states` {
    /// Four times the states may take eight times as long, as machines are busy; what is quadratic takes sixteen times as long.
    @Test func `takes time in proportion to their number`() throws {
        let (few, many) = (try time(of: 250), try time(of: 1_000))
        #expect(many < few * 10, "250 states take \(few), 1,000 take \(many)")
    }

    private func time(of count: Int) throws -> Duration {
        let text = Self.text(states: count)
        return try (0..<3).map { _ in
            let start = ContinuousClock.now
            let chart = try chart(text)
            let taken = ContinuousClock.now - start
            #expect(chart.states.count == count + 1)
            return taken
        }.min() ?? .zero
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

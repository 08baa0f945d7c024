// One flow three times: in Swift, as a file, and as a file that guards and counts. Two states take turns, each with its countdown.

import Statecharts
import GameFlow
import Timers

/// The flow in Swift.
struct Pair: TypedFlow {
    enum State: FlowState {
        case first(Countdown)
        case second(Countdown)

        func carries(_ timer: StateTimer) -> Bool {
            switch self {
            case .first(let own), .second(let own): own === timer
            }
        }
    }

    enum Event: Sendable { case pass, timeIsUp }

    static let events = Catalogue<Event>(.plain(.pass), .timer(.timeIsUp))
    static let first = TimerPlan.countdown("first", .seconds(30), message: Event.timeIsUp)
    static let second = TimerPlan.countdown("second", .seconds(30), message: Event.timeIsUp)
    static let timers = [first, second]

    let clock: FlowClock

    func initialState() throws -> State { .first(try Countdown(Self.first, on: clock)) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.first, .pass), (.first, .timeIsUp): { .second(try Countdown(Self.second, on: clock)) }
        case (.second, .pass), (.second, .timeIsUp): { .first(try Countdown(Self.first, on: clock)) }
        }
    }
}

/// The flow as a file.
enum FlatFile {
    static let plain = """
        {
          id: "pair",
          events: { pass: {} },
          initial: "first",
          states: {
            first: { on: { pass: "second" }, after: { "30s": "second" } },
            second: { on: { pass: "first" }, after: { "30s": "first" } },
          },
        }
        """

    /// With two variables, of which one is looked at and changed by each event.
    static let guarded = """
        {
          id: "counted",
          context: { count: 0, most: 1000000000000 },
          events: { pass: {} },
          initial: "first",
          states: {
            first: {
              on: { pass: { guard: "count < most", target: "second", actions: { assign: { count: "count + 1" } } } },
              after: { "30s": "second" },
            },
            second: {
              on: { pass: { guard: "count < most", target: "first", actions: { assign: { count: "count + 1" } } } },
              after: { "30s": "first" },
            },
          },
        }
        """

    /// This many states in a ring, each with a countdown, a guard and an assignment.
    static func ring(of count: Int) -> String {
        let states = (0..<count).map { number in
            """
                s\(number): {
                  on: {
                    go: [{ guard: "score >= \(number)", target: "s\((number + 1) % count)", actions: { assign: { score: "score + 1" } } }],
                    skip: "s\((number + 7) % count)",
                  },
                  after: { "30s": "s\((number + 2) % count)" },
                },
            """
        }
        return """
            {
              id: "ring",
              context: { score: 0 },
              initial: "s0",
              states: {
            \(states.joined(separator: "\n"))
              },
            }
            """
    }

    /// The flow of such a file.
    static func kind(_ text: String) throws -> FlowKind {
        let file = FlowFile(bytes: Array(text.utf8), path: "bench.json5")
        guard let definition = file.definition else { throw BenchmarkError(file.report.joined(separator: "\n")) }
        return try FlowKind.chart(definition)
    }
}

// The plans of a chart's timers.

import GameFlow
import Timers

/// A plan for each timer. One whose length is computed stands here with no length, and gets a plan of its own each time.
struct ChartPlans: Sendable {
    let plans: [TimerPlan]
    private let places: [String: Int]

    init(_ chart: Chart) {
        plans = chart.definition.timers.indices.map { Self.plan($0, in: chart) }
        places = Dictionary(plans.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    func number(ofTimer name: String) -> Int? { places[name] }

    private static func plan(_ number: Int, in chart: Chart) -> TimerPlan {
        let timer = chart.definition.timers[number]
        let spec = chart.events.spec(ofTimer: number)
        let length: Duration =
            switch timer.length {
            case .fixed(let length): length
            case .computed: timer.kind == .countdown ? .zero : .seconds(1)
            }
        switch timer.kind {
        case .countdown:
            let milestones = timer.milestones.enumerated().map { place, left in
                Milestone(left, message: ChartEvent(chart.events.spec(ofMilestone: place, of: number)))
            }
            return .countdown(
                timer.name, length, restart: timer.restart, message: ChartEvent(spec), milestones: milestones)
        case .pendulum:
            return .pendulum(timer.name, every: length, restart: timer.restart) { missed in
                ChartEvent(spec, .object([.init("missed", .integer(missed))]))
            }
        }
    }
}

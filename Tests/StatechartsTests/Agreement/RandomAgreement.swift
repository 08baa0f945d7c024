// Compares two engines on many random charts, and shrinks the first chart on which they differ.

import Statecharts
import Seeds

/// A shrunk chart with its difference.
struct Finding: CustomStringConvertible {
    /// Number of charts tried, including this one.
    var charts: Int
    var seed: UInt64
    var chart: ChartSketch
    var steps: [ChartStep]
    var disagreement: Disagreement

    var description: String {
        """
        chart \(charts), seed \(seed):
        \(chart.text)
        \(steps.map { "\($0)" }.joined(separator: "\n"))
        \(disagreement)
        """
    }
}

extension Comparison {
    /// The first chart on which they differ, shrunk; nil if they agree on all of them.
    static func finding(in charts: Int, _ random: inout SeededGenerator, _ variety: RandomVariety = .everything) -> Finding? {
        for count in 1...charts {
            let seed = random.next()
            let (chart, steps) = (RandomChart.make(seed: seed, variety), ChartStep.random(15, seed: seed))
            guard let first = disagreement(on: chart, steps) else { continue }
            let (small, fewer, found) = shrunk(chart, steps, first)
            return Finding(charts: count, seed: seed, chart: small, steps: fewer, disagreement: found)
        }
        return nil
    }
}

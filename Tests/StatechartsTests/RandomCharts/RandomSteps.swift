// Random steps of a random chart.

import Seeds

/// One step of a session.
enum ChartStep: CustomStringConvertible, Sendable {
    case send(String, Int?)
    /// Time passes; in nanoseconds.
    case advance(Int)
    /// Time passes until the next timer fires.
    case untilNextTimer

    var description: String {
        switch self {
        case .send(let event, let value): "SEND \(event)" + (value.map { " \($0)" } ?? "")
        case .advance(let nanoseconds): "ADVANCE \(Duration.nanoseconds(nanoseconds))"
        case .untilNextTimer: "ADVANCE to the next timer"
        }
    }

    static func random(_ count: Int, seed: UInt64) -> [ChartStep] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in one(&random) }
    }

    private static func one(_ random: inout SeededGenerator) -> ChartStep {
        if random.decides(0.2) { return .untilNextTimer }
        if random.decides(0.1) { return .advance(Int.random(in: 0...5_000_000_000, using: &random)) }
        let value = random.decides(0.7) ? Int.random(in: 0...3, using: &random) : nil
        return .send(random.one(of: RandomChart.events), value)
    }
}

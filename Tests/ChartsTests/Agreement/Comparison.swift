// Runs a chart twice, by the oracle and by something else, and looks for a difference after each step.

import Charts
import JSON

/// Where the two differed.
struct Disagreement: CustomStringConvertible {
    var step: String
    var expected: String
    var found: String

    var description: String { "after \(step)\n  the oracle: \(expected)\n  the other:  \(found)" }
}

enum Comparison<Subject: ChartUnderTest> {
    /// Nil if they agree after every step.
    static func disagreement(on chart: ChartSketch, _ steps: [ChartStep]) throws -> Disagreement? {
        let oracle = try? OracleUnderTest<Oracle>(chart)
        let other = try? Subject(chart)
        guard let oracle, var other else {
            return (oracle == nil) == (other == nil)
                ? nil : difference("the beginning", oracle == nil ? "fails" : "begins", other == nil ? "fails" : "begins")
        }
        if let found = difference("the beginning", oracle, &other) { return found }
        for step in steps {
            if let found = take(step, oracle, &other) { return found }
            // Charts that run for ever are slow, and once is enough.
            if oracle.session.microsteps > 1_000 { return nil }
        }
        return nil
    }

    private static func take(_ step: ChartStep, _ oracle: OracleUnderTest<Oracle>, _ other: inout Subject) -> Disagreement? {
        switch step {
        case .send(let event, let value):
            let data = value.map { JSON.integer($0) }
            let (expected, found) = (oracle.send(event, data), other.send(event, data))
            guard expected == found else { return difference("\(step)", expected, found) }
        case .advance(let nanoseconds): advance(nanoseconds, oracle, &other)
        case .untilNextTimer: advance(oracle.session.untilNextTimer ?? 0, oracle, &other)
        }
        return difference("\(step)", oracle, &other)
    }

    private static func advance(_ nanoseconds: Int, _ oracle: OracleUnderTest<Oracle>, _ other: inout Subject) {
        oracle.advance(by: nanoseconds)
        other.advance(by: nanoseconds)
    }

    private static func difference(_ step: String, _ oracle: OracleUnderTest<Oracle>, _ other: inout Subject) -> Disagreement? {
        let (expected, found) = (oracle.look, other.look)
        let (wanted, given) = (oracle.takeEffects(), other.takeEffects())
        return difference(step, expected.configuration, found.configuration)
            ?? difference(step, expected.variables, found.variables)
            ?? difference(step, expected.timers, found.timers)
            ?? difference(step, expected.hasEnded ? "ended" : "runs", found.hasEnded ? "ended" : "runs")
            ?? difference(step, wanted, given)
    }

    private static func difference<T: Equatable>(_ step: String, _ expected: T, _ found: T) -> Disagreement? {
        expected == found ? nil : Disagreement(step: step, expected: "\(expected)", found: "\(found)")
    }
}

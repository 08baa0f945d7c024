// Runs a chart with the oracle and with another engine, and compares them after each step.

import Statecharts
import JSON

/// Where the two differed.
struct Disagreement: CustomStringConvertible {
    /// The part that differs.
    enum What {
        case beginning, verdict, configuration, variables, timers, end, effects
    }

    var what: What
    var step: String
    var expected: String
    var found: String

    /// Whether it is of the same kind, whatever names and numbers are in it.
    func isLike(_ other: Disagreement) -> Bool {
        what == other.what && (what != .beginning || found.withoutNames == other.found.withoutNames)
    }

    var description: String { "after \(step)\n  the oracle: \(expected)\n  the other:  \(found)" }
}

extension String {
    /// The text without its quoted parts.
    fileprivate var withoutNames: String {
        split(separator: "'", omittingEmptySubsequences: false).enumerated().filter { $0.offset.isMultiple(of: 2) }
            .map { String($0.element) }.joined()
    }
}

enum Comparison<Subject: ChartUnderTest> {
    /// Nil if they agree after every step.
    static func disagreement(on chart: ChartSketch, _ steps: [ChartStep]) -> Disagreement? {
        let (begun, otherBegun) = (
            Result { try OracleUnderTest<Oracle>(chart, maxRounds: Subject.maxRounds) }, Result { try Subject(chart) }
        )
        guard case .success(let oracle) = begun, case .success(var other) = otherBegun else {
            let (expected, found) = (words(for: begun), words(for: otherBegun))
            let isSame = expected != begins && found != begins
            return isSame ? nil : Disagreement(what: .beginning, step: "the beginning", expected: expected, found: found)
        }
        if let found = difference("the beginning", oracle, &other) { return found }
        for step in steps where !oracle.isStopped {
            if let found = take(step, oracle, &other) { return found }
            // Endless charts are slow, so they run only once.
            if oracle.session.wasEndless { return nil }
        }
        return nil
    }

    private static var begins: String { "it begins" }

    private static func words<T>(for result: Result<T, any Error>) -> String {
        switch result {
        case .success: begins
        case .failure(let error): "\(error)"
        }
    }

    private static func take(_ step: ChartStep, _ oracle: OracleUnderTest<Oracle>, _ other: inout Subject) -> Disagreement? {
        switch step {
        case .send(let event, let value):
            let data = value.map { JSON.integer($0) }
            let (expected, found) = (oracle.send(event, data), other.send(event, data))
            guard expected == found else { return difference(.verdict, "\(step)", expected, found) }
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
        // Each stops a cycle of timers at its own bound, possibly in different states of the cycle.
        if oracle.isStopped || other.isStopped {
            return difference(.timers, step, "stopped: \(oracle.isStopped)", "stopped: \(other.isStopped)")
        }
        let (expected, found) = (oracle.snapshot, other.snapshot)
        let (wanted, given) = (oracle.takeEffects(), other.takeEffects())
        return difference(.configuration, step, expected.configuration, found.configuration)
            ?? difference(.variables, step, expected.variables, found.variables)
            ?? difference(.timers, step, expected.timers, found.timers)
            ?? difference(.end, step, expected.hasEnded ? "ended" : "runs", found.hasEnded ? "ended" : "runs")
            ?? difference(.effects, step, wanted, given)
    }

    private static func difference<T: Equatable>(
        _ what: Disagreement.What, _ step: String, _ expected: T, _ found: T
    ) -> Disagreement? {
        expected == found ? nil : Disagreement(what: what, step: step, expected: "\(expected)", found: "\(found)")
    }
}

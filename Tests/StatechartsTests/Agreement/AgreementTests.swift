// The comparison itself: the oracle agrees with itself, and every mistake is found.

import Statecharts
import Seeds
import TestSupport
import Testing

@Suite(.withoutBacktraces) struct `The oracle of statecharts` {
    @Test func `The oracle agrees with itself on random charts`() throws {
        var random = SeededGenerator.announced("the oracle and itself", seed: 12)
        let finding = Comparison<OracleUnderTest<Oracle>>.finding(in: 300, &random)
        #expect(finding == nil, "\(finding.map { "\($0)" } ?? "")")
    }

    @Test(arguments: BrokenOracle.all)
    func `An oracle with one mistake is detected with a chart of at most 10 states`(_ broken: BrokenOracle) throws {
        var random = SeededGenerator.announced("\(broken)", seed: 12)
        let finding = try #require(broken.finding(2_000, &random), "\(broken) is not found")
        print("\(broken): found with chart \(finding.charts)")
        #expect(finding.chart.root.count <= 10, "\(finding)")
    }
}

/// A broken oracle, by its name.
struct BrokenOracle: CustomStringConvertible, Sendable {
    let description: String
    let finding: @Sendable (Int, inout SeededGenerator) -> Finding?
    /// The configuration in which one of W3C's tests ends.
    let run: @Sendable (W3CTest) throws -> [String]

    init<T: AppendixD>(_ type: T.Type) {
        description = "\(type)"
        finding = { Comparison<OracleUnderTest<T>>.finding(in: $0, &$1) }
        run = { try $0.run(OracleUnderTest<T>.self) }
    }

    /// All but those that make mistakes for which W3C has no test.
    static let breaksW3C: Set<String> = Set(all.map(\.description))
        .subtracting(["KeepsTimers", "IgnoresHistoryInDomains", "IsDoneEarly"])

    static let all = [
        BrokenOracle(ExitsAncestorsFirst.self), BrokenOracle(EntersDescendantsFirst.self),
        BrokenOracle(SelectsInReverseOrder.self), BrokenOracle(SeesNoConflicts.self), BrokenOracle(LetsTheFirstWin.self),
        BrokenOracle(ForgetsHistory.self), BrokenOracle(TakesHistoryForDeep.self), BrokenOracle(TakesHistoryForShallow.self),
        BrokenOracle(IgnoresHistoryInDomains.self), BrokenOracle(TakesTransitionsForInternal.self),
        BrokenOracle(TakesTransitionsForExternal.self), BrokenOracle(FindsParallelAncestors.self),
        BrokenOracle(TakesInternalEventsFirst.self), BrokenOracle(IsDoneEarly.self), BrokenOracle(ActsBeforeLeaving.self),
        BrokenOracle(EntersTargetsAlone.self), BrokenOracle(KeepsTimers.self),
    ]
}

extension StateSketch {
    /// This state, and all in it.
    var count: Int { 1 + children.map(\.count).reduce(0, +) }
}

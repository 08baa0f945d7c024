// The engine agrees with the oracle.

import Statecharts
import Foundation
import Seeds
import TestSupport
import Testing

@Suite(.withoutBacktraces) struct `The engine and the oracle` {
    /// Number of random charts; `make soak` tries more.
    private static let charts = ProcessInfo.processInfo.environment["GAMED_CHARTS"].flatMap(Int.init) ?? 1_000

    @Test func `The engine and the oracle agree on random charts`() throws {
        var random = SeededGenerator.announced("the engine and the oracle", seed: 12)
        let finding = Comparison<EngineUnderTest>.finding(in: Self.charts, &random)
        #expect(finding == nil, "\(finding.map { "\($0)" } ?? "")")
    }

    @Test func `The engine and the oracle agree on random charts that are read from files`() throws {
        var random = SeededGenerator.announced("files and the oracle", seed: 13)
        let finding = Comparison<FileUnderTest>.finding(in: Self.charts / 5, &random)
        #expect(finding == nil, "\(finding.map { "\($0)" } ?? "")")
    }

    @Test(arguments: `Tests of W3C's implementation report`.all)
    func `The engine passes each W3C test`(_ test: W3CTest) throws {
        #expect(try test.run(EngineUnderTest.self) == ["pass"], "\(test.chart.text)")
        #expect(try test.run(FileUnderTest.self) == ["pass"], "\(test.chart.text)")
    }
}

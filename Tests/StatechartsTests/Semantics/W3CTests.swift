// SCXML's own tests, for the oracle.

import Statecharts
import Testing

@Suite struct `Tests of W3C's implementation report` {
    static let all = W3CTest.actions + W3CTest.states + W3CTest.histories + W3CTest.selection + W3CTest.exitSets

    @Test(arguments: all)
    func `The oracle passes each W3C test`(_ test: W3CTest) throws {
        #expect(try test.run(OracleUnderTest<Oracle>.self) == ["pass"], "\(test.chart.text)")
    }

    /// Shows that these tests detect mistakes of the oracle.
    @Test(arguments: BrokenOracle.all.filter { BrokenOracle.breaksW3C.contains($0.description) })
    func `An oracle with a mistake fails at least one W3C test`(_ broken: BrokenOracle) {
        let failed = Self.all.filter { (try? broken.run($0)) != ["pass"] }
        #expect(!failed.isEmpty)
    }
}

extension W3CTest {
    /// The configuration that the chart ends in.
    func run<Subject: ChartUnderTest>(_ type: Subject.Type) throws -> [String] {
        var subject = try Subject(chart)
        for step in steps {
            switch step {
            case .send(let event, let value): _ = subject.send(event, value.map { .integer($0) })
            case .advance(let nanoseconds): subject.advance(by: nanoseconds)
            case .untilNextTimer: break
            }
        }
        return subject.snapshot.configuration
    }
}

// Histograms of durations, for monitoring.

import Testing
@testable import Timers

@Suite struct `Counted durations` {
    @Test func `A duration is counted in the first bucket whose bound it does not exceed`() {
        var histogram = DurationHistogram()
        for nanoseconds: Int64 in [-5, 0, 100_000, 100_001, 250_000, 1_000_000_000, 1_000_000_001] {
            histogram.count(nanoseconds)
        }
        #expect(histogram.cumulative == [3, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6])
        #expect(histogram.count == 7 && histogram.seconds == 2.000_450_002)
    }

    @Test func `The bounds of the histogram's buckets are written in seconds`() {
        #expect(DurationHistogram.boundTexts.map { Double($0) } == DurationHistogram.bounds.map { Double($0) / 1e9 })
    }

    @Test func `The longest counted duration is remembered for 5 seconds`() {
        var most = SlidingMaximum()
        let at = { (seconds: Int64) in Instant(nanoseconds: seconds * 1_000_000_000) }
        #expect(most.most(at: at(3)) == 0)
        most.count(70, at: at(100))
        most.count(50, at: at(102))
        #expect(most.most(at: at(104)) == 70)
        #expect(most.most(at: at(105)) == 50)
        #expect(most.most(at: at(107)) == 0)
        most.count(1, at: at(109))
        #expect(most.most(at: at(109)) == 1, "older durations are discarded")
    }

    @Test func `A histogram reports durations since an earlier reading, or all of them after a reset`() {
        var lateness = LatenessHistogram()
        for _ in 0..<100 { lateness.count(1_000_000) }
        let earlier = lateness
        for _ in 0..<100 { lateness.count(1_000) }
        let since = lateness.since(earlier)
        #expect(since.total == 100 && since.percentile(99) < .microseconds(1.3) && since.maximum < .microseconds(1.3))
        var anew = LatenessHistogram()
        anew.count(5_000_000)
        #expect(anew.since(earlier).total == 1)
    }
}

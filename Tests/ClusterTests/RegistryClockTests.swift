import Testing
import Timers

@testable import Cluster

/// A registry whose clock shows a million seconds more than the node's, and whose replies are delayed.
@Suite struct `The registry's clock as a node knows it` {
    private static let ahead: Int64 = 1_000_000_000_000_000
    private var clock = RegistryClock()

    /// A question that is sent, read by the registry and answered at these milliseconds of the node's clock. Returns the jump.
    private mutating func ask(_ sent: Int64, _ read: Int64, _ answered: Int64, shifted: Duration = .zero) -> Duration? {
        let shown = Self.ahead + instant(read).nanoseconds + shifted.wholeNanoseconds
        return clock.update(
            from: RegistryTime(microseconds: shown / 1_000), askedAt: instant(sent), answeredAt: instant(answered))
    }

    private func truth(_ milliseconds: Int64) -> Int64 { Self.ahead + instant(milliseconds).nanoseconds }

    private func span(_ milliseconds: Int64) throws -> ClosedRange<Int64> {
        try #require(clock.nanoseconds(at: instant(milliseconds)))
    }

    @Test mutating func `The registry's time is within its bounds, whichever way of the round trip is slow`() throws {
        for read in [0, 150, 300] as [Int64] {
            clock = RegistryClock()
            #expect(ask(0, read, 300) == nil)
            let span = try span(300)
            #expect(span.contains(truth(300)), "read at \(read) ms")
            #expect(span.upperBound - span.lowerBound < 302_000_000)
        }
    }

    @Test mutating func `The registry's time stays within its bounds if its clock lags while a reply is in flight`() throws {
        _ = ask(0, 0, 3_000)
        let slow = truth(0) + instant(3_000).nanoseconds * 998 / 1_000
        #expect(try span(3_000).contains(slow))
    }

    @Test mutating func `The fastest reply narrows the bounds of the registry's time, and no slower one widens them`() throws {
        _ = ask(0, 300, 300)
        _ = ask(1_000, 1_001, 1_002)
        let fast = try span(1_002)
        #expect(fast.contains(truth(1_002)) && fast.upperBound - fast.lowerBound < 2_100_000)
        _ = ask(2_000, 2_000, 2_300)
        let later = try span(2_300)
        #expect(later.contains(truth(2_300)) && later.upperBound - later.lowerBound < 10_000_000, "only drift widens it")
    }

    @Test(arguments: [Duration.seconds(30), .seconds(-30)])
    mutating func `The registry's time is unaffected by a jump, which is reported once`(jump: Duration) throws {
        #expect(ask(0, 1, 2) == nil)
        let reported = try #require(ask(1_000, 1_001, 1_002, shifted: jump))
        #expect(abs((reported - jump).wholeNanoseconds) < 10_000_000)
        for second in 2..<100 as Range<Int64> {
            #expect(ask(second * 1_000, second * 1_000 + 1, second * 1_000 + 2, shifted: jump) == nil)
            let span = try span(second * 1_000 + 2)
            #expect(span.contains(truth(second * 1_000 + 2)) && span.upperBound - span.lowerBound < 30_000_000)
        }
    }

    @Test mutating func `A node follows the registry's clock if that was set by less than a second`() throws {
        _ = ask(0, 1, 2)
        #expect(ask(1_000, 1_001, 1_002, shifted: .milliseconds(500)) == nil)
        #expect(try span(1_002).contains(truth(1_002) + 500_000_000))
    }

    @Test
    mutating func
        `Nodes derive the registry's time from a reading of the year 2100, also if its clock is set back and forth a hundred times`()
        throws
    {
        let year2100 = 4_102_444_800_000_000 as Int64
        for second in 0..<100 {
            let shown = [year2100, 0, 6_100_000_000_000_000][second % 3]
            let asked = instant(Int64(second) * 1_000)
            let reading = RegistryTime(microseconds: shown + Int64(second) * 1_000_000)
            let jump = clock.update(from: reading, askedAt: asked, answeredAt: asked)
            #expect((jump == nil) == (second == 0))
            let span = try #require(clock.nanoseconds(at: asked))
            #expect(span.contains((year2100 + Int64(second) * 1_000_000) * 1_000))
            guard second > 0 else { continue }
            let (published, late) = (clock.correction, clock)
            clock = RegistryClock()
            clock.adopt(
                try #require(
                    ClockCorrection(jumps: published.jumps, nanoseconds: published.nanoseconds, error: published.error)))
            _ = clock.update(from: reading, askedAt: asked, answeredAt: asked)
            let here = try #require(clock.nanoseconds(at: asked))
            #expect(here.overlaps(span), "a node that joins after \(second) jumps")
            clock = late
        }
    }

    @Test mutating func `A node does not derive the registry's time from an impossible reading`() throws {
        for microseconds in [Int64.min, -1, .max] {
            #expect(
                clock.update(from: RegistryTime(microseconds: microseconds), askedAt: instant(0), answeredAt: instant(1)) == nil
            )
            #expect(clock.nanoseconds(at: instant(1)) == nil)
        }
    }
}

// Counts how late timers fire, so that operators see how well the machine keeps the promise under its load.

/// Counts by lateness, four steps to each doubling: a figure read from it is at most a quarter too high.
public struct LatenessHistogram: Sendable {
    private static let steps = 4
    private var counts = [UInt64](repeating: 0, count: 64 * LatenessHistogram.steps)
    /// How many timers have fired.
    public private(set) var total: UInt64 = 0
    /// The latest of them.
    public var maximum: Duration { .nanoseconds(maxNanoseconds) }
    private var maxNanoseconds: Int64 = 0

    /// No timers yet.
    public init() {}

    mutating func count(_ nanoseconds: Int64) {
        let late = UInt64(max(0, nanoseconds))
        counts[Self.step(late)] &+= 1
        total &+= 1
        maxNanoseconds = max(maxNanoseconds, nanoseconds)
    }

    /// This percentage of timers was not later than this.
    public func percentile(_ percent: Double) -> Duration {
        let wanted = UInt64((Double(total) * percent / 100).rounded(.up))
        var seen: UInt64 = 0
        for (step, count) in counts.enumerated() {
            seen += count
            if seen >= wanted, seen > 0 { return min(.nanoseconds(Self.upperEnd(of: step)), maximum) }
        }
        return maximum
    }

    /// The firings counted after `earlier` was read; all of them if the counts have been reset since.
    package func since(_ earlier: LatenessHistogram?) -> LatenessHistogram {
        guard let earlier, earlier.total <= total else { return self }
        var late = LatenessHistogram()
        for index in counts.indices {
            guard counts[index] >= earlier.counts[index] else { return self }
            late.counts[index] = counts[index] - earlier.counts[index]
            if late.counts[index] > 0 { late.maxNanoseconds = min(Self.upperEnd(of: index), maxNanoseconds) }
        }
        late.total = total - earlier.total
        return late
    }

    private static func step(_ nanoseconds: UInt64) -> Int {
        guard nanoseconds >= UInt64(steps) else { return Int(nanoseconds) }
        let octave = 63 - nanoseconds.leadingZeroBitCount
        return (octave - 1) * steps + Int(nanoseconds >> UInt64(octave - 2) & 3)
    }

    private static func upperEnd(of step: Int) -> Int64 {
        guard step >= steps else { return Int64(step) }
        let octave = step / steps + 1
        guard octave < 62 else { return .max }
        return Int64(steps + step % steps + 1) << Int64(octave - 2) - 1
    }
}

// How often something took how long, in the steps that a monitoring system reads.

/// Counts durations by fixed bounds, the same everywhere. A duration below the first bound, as nearly all are, costs two additions.
package struct DurationHistogram: Sendable {
    /// The upper bounds, in nanoseconds. Durations above the last bound have a separate count.
    package static let bounds: [Int64] = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
        250_000_000, 500_000_000, 1_000_000_000,
    ]
    /// The same in seconds, as they are written.
    package static let boundTexts = bounds.map { Duration.decimal(UInt64($0), unit: 1_000_000_000) }
    /// The first of `bounds`, as a constant: `count` is inlined.
    @usableFromInline static var firstBound: Int64 { 100_000 }

    /// Counts of durations above the first bound, by bound.
    private var longer = InlineArray<14, UInt64>(repeating: 0)
    @usableFromInline var all: UInt64 = 0
    @usableFromInline var sum: UInt64 = 0

    /// None yet.
    package init() {}

    /// How many there were.
    package var count: UInt64 { all }
    /// All of them together.
    package var seconds: Double { Double(sum) / 1e9 }

    /// Counts one duration; a negative one counts as zero.
    @inlinable package mutating func count(_ nanoseconds: Int64) {
        all &+= 1
        sum &+= UInt64(max(0, nanoseconds))
        if nanoseconds > Self.firstBound { countLonger(nanoseconds) }
    }

    @usableFromInline mutating func countLonger(_ nanoseconds: Int64) {
        longer[Self.bounds.firstIndex { nanoseconds <= $0 } ?? Self.bounds.count] &+= 1
    }

    /// How many were not longer than each of the bounds.
    package var cumulative: [UInt64] {
        var below = all
        for index in longer.indices { below &-= longer[index] }
        return Self.bounds.indices.map { index in
            below &+= longer[index]
            return below
        }
    }
}

// MARK: - The most of something in the last seconds, for a figure that is shown as it changes.

/// Remembers the most of each of the last five seconds.
package struct SlidingMaximum: Sendable {
    private static let seconds: Int64 = 5
    private var maxima = InlineArray<5, Int64>(repeating: 0)
    private var second: Int64 = 0

    /// Nothing yet.
    package init() {}

    /// Counts one at that instant; instants do not go back.
    package mutating func count(_ value: Int64, at instant: Instant) {
        let now = instant.nanoseconds / 1_000_000_000
        if now != second { move(to: now) }
        let index = Int(now % Self.seconds)
        if value > maxima[index] { maxima[index] = value }
    }

    /// The maximum over the seconds up to this instant; 0 if no second has a count.
    package func most(at instant: Instant) -> Int64 {
        let now = instant.nanoseconds / 1_000_000_000
        return (0..<Self.seconds).filter { now - $0 <= second && now - $0 > second - Self.seconds && now >= $0 }
            .map { maxima[Int((now - $0) % Self.seconds)] }.max() ?? 0
    }

    /// Drops counts that are older than five seconds.
    private mutating func move(to now: Int64) {
        for passed in stride(from: max(second + 1, now - Self.seconds + 1), through: now, by: 1) {
            maxima[Int(passed % Self.seconds)] = 0
        }
        second = max(second, now)
    }
}

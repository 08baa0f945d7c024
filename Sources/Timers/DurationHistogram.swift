// How often something took how long, in the steps that a monitoring system reads.

/// Counts durations by fixed bounds, the same everywhere. A duration below the first bound, as nearly all are, costs two additions.
package struct DurationHistogram: Sendable {
    /// The upper bounds, in nanoseconds. Durations above the last bound have a separate count.
    package static let bounds: [Int64] = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
        250_000_000,
        500_000_000, 1_000_000_000,
    ]
    /// The same in seconds, as they are written.
    package static let boundTexts = [
        "0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1",
    ]
    @usableFromInline static var minLength: Int64 { 100_000 }

    /// Those above the first bound, each where it belongs.
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
        if nanoseconds > Self.minLength { countLonger(nanoseconds) }
    }

    @usableFromInline mutating func countLonger(_ nanoseconds: Int64) {
        longer[Self.bounds.firstIndex { nanoseconds <= $0 } ?? Self.bounds.count] &+= 1
    }

    /// How many were not longer than each of the bounds.
    package var cumulative: [UInt64] {
        var below = all
        for place in longer.indices { below &-= longer[place] }
        return Self.bounds.indices.map { place in
            below &+= longer[place]
            return below
        }
    }
}

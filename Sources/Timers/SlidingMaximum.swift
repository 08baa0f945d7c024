// The most of something in the last seconds, for a figure that is shown as it changes.

/// Remembers the most of each of the last five seconds.
package struct SlidingMaximum: Sendable {
    private static let seconds: Int64 = 5
    private var maxCount = InlineArray<5, Int64>(repeating: 0)
    private var second: Int64 = 0

    /// Nothing yet.
    package init() {}

    /// Counts one at that instant; instants do not go back.
    package mutating func count(_ value: Int64, at instant: Instant) {
        let now = instant.nanoseconds / 1_000_000_000
        if now != second { move(to: now) }
        let place = Int(now % Self.seconds)
        if value > maxCount[place] { maxCount[place] = value }
    }

    /// The maximum over the seconds up to this instant; 0 if no second has a count.
    package func most(at instant: Instant) -> Int64 {
        let now = instant.nanoseconds / 1_000_000_000
        return (0..<Self.seconds).filter { now - $0 <= second && now - $0 > second - Self.seconds && now >= $0 }
            .map { maxCount[Int((now - $0) % Self.seconds)] }.max() ?? 0
    }

    /// Drops counts that are older than five seconds.
    private mutating func move(to now: Int64) {
        for passed in stride(from: max(second + 1, now - Self.seconds + 1), through: now, by: 1) {
            maxCount[Int(passed % Self.seconds)] = 0
        }
        second = max(second, now)
    }
}

// How often streams are sent something, so that it takes a small part of the daemon's time.

import Timers

package struct RoundThrottle {
    /// Sending may take one part in so many of the time.
    private static let part = 40
    /// The later cost of writing to one stream, in the system, and of each byte.
    private static let write = Duration.microseconds(8)
    private static let byte = Duration.nanoseconds(1)

    /// The time between two rounds at most: what took long may have waited for the processor.
    private static let maxLength = Duration.seconds(1)

    private let minLength: Duration
    /// The longest that one round may take.
    let round: Duration
    package private(set) var next = Instant.zero

    /// `shortest` is the time between two rounds at least.
    package init(shortest: Duration, round: Duration) { (self.minLength, self.round) = (shortest, round) }

    mutating func recordRound(_ count: Int, bytes: Int, from began: Instant, to end: Instant) {
        let took = began.duration(to: end) + Self.write * count + Self.byte * bytes
        next = began.advanced(by: min(max(minLength, took * Self.part), Self.maxLength))
    }

    /// A page waits for its first rows.
    package mutating func expedite(from began: Instant, to end: Instant) {
        next = min(next, began.advanced(by: max(.milliseconds(2), began.duration(to: end) * 10)))
    }
}

// How often streams are told something: never so often that it takes more than a small part of the daemon's time.

import Timers

package struct Pace {
    /// The part of the time that telling may take is one in so many.
    private static let part = 40
    /// What writing to one stream costs later, in the system, and each byte of it.
    private static let write = Duration.microseconds(8)
    private static let byte = Duration.nanoseconds(1)

    /// The time between two rounds at most: what took long may have waited for the processor.
    private static let longest = Duration.seconds(1)

    private let shortest: Duration
    /// What one round may take.
    let round: Duration
    package private(set) var next = Instant.zero

    /// `shortest` is the time between two rounds at least.
    package init(shortest: Duration, round: Duration) { (self.shortest, self.round) = (shortest, round) }

    mutating func hasTold(_ count: Int, bytes: Int, from began: Instant, to end: Instant) {
        let took = began.duration(to: end) + Self.write * count + Self.byte * bytes
        next = began.advanced(by: min(max(shortest, took * Self.part), Self.longest))
    }

    /// Somebody waits for a page to show something.
    package mutating func hurry(from began: Instant, to end: Instant) {
        next = min(next, began.advanced(by: max(.milliseconds(2), began.duration(to: end) * 10)))
    }
}

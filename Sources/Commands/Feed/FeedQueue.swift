// The order in which readers are served, and how much of a turn they may take.

import Memory
import Timers

/// Readers with something pending: first come, first served, and a part for each. One that has no room is not kept; it is added again when it
/// has.
package final class FeedQueue {
    /// Pieces of work in a round, and those for one reader in a row.
    private static let maxPieces = 512
    private static let piecesOfReader = 64

    /// How often there is a round; nil for one in each turn.
    package var throttle: RoundThrottle?
    /// The views that readers are sent; nil for readers of none.
    private let texts: TurnViews?
    private var readers: [FeedReader] = []
    /// Readers before this place have been served.
    private var first = 0
    private let clock = SystemClock()

    package init(of texts: TurnViews? = nil, at throttle: RoundThrottle? = nil) {
        (self.texts, self.throttle) = (texts, throttle)
    }

    package var isEmpty: Bool { first == readers.count }

    /// Whether it is time for a round.
    package var isDue: Bool { throttle.map { clock.now >= $0.next } ?? true }

    func add(_ reader: FeedReader) {
        guard !reader.isQueued else { return }
        reader.isQueued = true
        readers.append(reader)
    }

    func remove(_ reader: FeedReader) {
        guard reader.isQueued else { return }
        reader.isQueued = false
        readers = readers[first...].filter { $0 !== reader }
        first = 0
    }

    private func popFirst() -> FeedReader? {
        guard !isEmpty else { return nil }
        let reader = readers[first]
        first += 1
        if isEmpty { (readers, first) = ([], 0) }
        reader.isQueued = false
        return reader
    }

    /// Serves a round, if it is time for one; of sessions only while none are being restored. Returns the time of the next; nil if the queue is
    /// empty.
    package func serve(withSessions: Bool) -> Instant? {
        guard !isEmpty else { return nil }
        if let throttle, clock.now < throttle.next { return throttle.next }
        let began = clock.now
        texts?.beginRound(at: began)
        var (served, bytes, left, idle) = (0, 0, Self.maxPieces, [FeedReader]())
        while left > 0, served == 0 || hasTime(since: began), let reader = popFirst() {
            served += 1
            var budget = min(left, Self.piecesOfReader)
            left -= budget
            // Held until here is done: a client that is disconnected meanwhile releases it.
            let (given, encoder) = (budget, reader.encoder)
            bytes += reader.send(&budget, withSessions: withSessions)
            left += max(budget, 0) - (budget == given ? 1 : 0)
            guard reader.hasPending, encoder.hasRoom else { continue }
            if budget < given, hasTimeForViews { add(reader) } else { idle.append(reader) }
        }
        for reader in idle where !reader.isOver { add(reader) }
        throttle?.recordRound(served, bytes: bytes, from: began, to: clock.now)
        return isEmpty ? nil : throttle?.next ?? began
    }

    /// Whether views may be written that are not known yet. Once they have taken long, the rest is sent in the next round.
    private var hasTimeForViews: Bool { texts?.hasTime ?? true }

    func mayWrite(viewOf name: ByteString) -> Bool { texts?.mayWrite(name) ?? true }

    private func hasTime(since began: Instant) -> Bool { throttle.map { began.duration(to: clock.now) < $0.round } ?? true }
}

// MARK: - The rate of stream updates

package struct RoundThrottle {
    /// Sending may take at most one part in this many of the time.
    private static let part = 40
    /// The later cost of writing to one stream, in the system, and of each byte.
    private static let write = Duration.microseconds(8)
    private static let byte = Duration.nanoseconds(1)

    /// The time between two rounds at most: what took long may have waited for the processor.
    private static let maxInterval = Duration.seconds(1)

    private let minInterval: Duration
    /// The longest that one round may take.
    let round: Duration
    package private(set) var next = Instant.zero

    /// `minInterval` is the time between two rounds at least.
    package init(minInterval: Duration, round: Duration) { (self.minInterval, self.round) = (minInterval, round) }

    mutating func recordRound(_ count: Int, bytes: Int, from began: Instant, to end: Instant) {
        let took = began.duration(to: end) + Self.write * count + Self.byte * bytes
        next = began.advanced(by: min(max(minInterval, took * Self.part), Self.maxInterval))
    }

    /// A page waits for its first rows.
    package mutating func expedite(from began: Instant, to end: Instant) {
        next = min(next, began.advanced(by: max(.milliseconds(2), began.duration(to: end) * 10)))
    }
}

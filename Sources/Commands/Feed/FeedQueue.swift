// The order in which readers are served, and how much of a turn they may take.

import Timers

/// Readers that owe something: first come, first served, and a part for each. One that has no room is not kept; it is added again when it
/// has.
package final class FeedQueue {
    /// Pieces of work in a round, and those for one reader in a row.
    private static let mostPieces = 512
    private static let piecesOfReader = 64

    /// How often there is a round; nil for one in each turn.
    package var pace: Pace?
    private var readers: [FeedReader] = []
    /// Readers before this place have been served.
    private var first = 0
    private let clock = SystemClock()

    package init(at pace: Pace? = nil) { self.pace = pace }

    package var isEmpty: Bool { first == readers.count }

    /// Whether it is time for a round.
    package var isDue: Bool { pace.map { clock.now >= $0.next } ?? true }

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

    /// A round, if it is time for one; of sessions only if they are not being restored. Returns when there is to be another; nil if nobody
    /// waits.
    package func serve(withSessions: Bool) -> Instant? {
        guard !isEmpty else { return nil }
        if let pace, clock.now < pace.next { return pace.next }
        let began = clock.now
        var (served, bytes, left, idle) = (0, 0, Self.mostPieces, [FeedReader]())
        while left > 0, served == 0 || hasTime(since: began), let reader = popFirst() {
            served += 1
            var budget = min(left, Self.piecesOfReader)
            left -= budget
            let given = budget
            bytes += reader.send(&budget, withSessions: withSessions)
            left += max(budget, 0)
            guard reader.isOwing, reader.encoder.hasRoom else { continue }
            if budget < given { add(reader) } else { idle.append(reader) }
        }
        for reader in idle { add(reader) }
        pace?.hasTold(served, bytes: bytes, from: began, to: clock.now)
        return isEmpty ? nil : pace?.next ?? began
    }

    private func hasTime(since began: Instant) -> Bool { pace.map { began.duration(to: clock.now) < $0.round } ?? true }
}

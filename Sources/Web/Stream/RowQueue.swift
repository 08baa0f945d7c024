// The readers of all sessions, a few times a second.

import Commands
import Memory
import Sessions
import Timers

/// Those that are behind are served in turn. Readers at the same place are sent the same text, which is written once in a round.
final class RowQueue {
    private let host: Host
    private let queue: FeedQueue
    private var readers: [ObjectIdentifier: RowReader] = [:]
    /// The change up to which readers have been listed.
    private var listed: UInt64 = 0
    /// The pieces of this round.
    private var pieces: [PieceKey: RowWriter.Piece] = [:]
    private var hasNewReader = false
    private let writer: RowWriter
    private let clock = SystemClock()

    private struct PieceKey: Hashable {
        let place: RowPlace
        let scope: SessionScope?
    }

    init(of host: Host) {
        self.host = host
        queue = FeedQueue(at: RoundThrottle(shortest: .milliseconds(100), round: .milliseconds(3)))
        writer = RowWriter(of: host)
    }

    var isEmpty: Bool { readers.isEmpty }

    func add(_ stream: StreamReader, from number: UInt64?) -> RowReader {
        let reader = RowReader(of: stream, at: writer.place(from: number), of: self, in: queue)
        readers[ObjectIdentifier(stream)] = reader
        reader.feedReader.enqueue()
        let now = clock.now
        queue.throttle?.expedite(from: now, to: now)
        return reader
    }

    func remove(_ stream: StreamReader) { readers.removeValue(forKey: ObjectIdentifier(stream))?.feedReader.end() }

    /// Every reader gets the whole again.
    func restart() {
        for reader in readers.values {
            reader.place = writer.place(from: nil)
            reader.feedReader.enqueue()
        }
    }

    /// Serves a round, if it is time for one. Returns the time of the next; nil if no reader is behind.
    func serve() -> Instant? {
        guard !readers.isEmpty else { return nil }
        guard queue.isDue else { return isBehind ? queue.throttle?.next : nil }
        for reader in readers.values where reader.hasMore && reader.hasRoom { reader.feedReader.enqueue() }
        guard !queue.isEmpty else { return isBehind ? queue.throttle?.next : nil }
        host.feed.resumeFollowing()
        let began = clock.now
        (pieces, hasNewReader) = ([:], false)
        let next = queue.serve(withSessions: true)
        pieces = [:]
        // A new reader waits for the page to show something.
        if hasNewReader { queue.throttle?.expedite(from: began, to: clock.now) }
        return next == nil && !isBehind ? nil : queue.throttle?.next
    }

    private var isBehind: Bool { readers.values.contains { $0.hasMore } }

    func isBehind(_ place: RowPlace) -> Bool { place.isBehind(host.feed.changes.next) }

    func piece(at place: RowPlace, for reader: RowReader) -> RowWriter.Piece {
        if reader.isNew { hasNewReader = true }
        let key = PieceKey(place: place, scope: reader.stream.scope)
        let piece = pieces[key] ?? writer.write(place, key.scope)
        pieces[key] = piece
        return piece
    }
}

/// A stream's place in the table of all sessions.
final class RowReader: FeedEncoder {
    unowned let stream: StreamReader
    private unowned let rows: RowQueue
    private let queue: FeedQueue
    private(set) lazy var feedReader = FeedReader(self, in: queue)
    var place: RowPlace
    /// Whether it has not had the whole table yet.
    private(set) var isNew = true

    init(of stream: StreamReader, at place: RowPlace, of rows: RowQueue, in queue: FeedQueue) {
        (self.stream, self.place, self.rows, self.queue) = (stream, place, rows, queue)
    }

    /// It is greeted first.
    var hasRoom: Bool { stream.hasRoom && !stream.needsHello }
    var hasMore: Bool { rows.isBehind(place) }

    /// Writes pieces of the whole within the budget, or one piece of changes.
    func writeMore(_ budget: inout Int) {
        repeat {
            let piece = rows.piece(at: place, for: self)
            place = piece.next
            budget -= FeedReader.pieces(of: piece.text?.utf8.count ?? 0)
            if let text = piece.text { stream.append("rows", text) }
        } while place.isWhole && budget > 0 && hasRoom
        if !place.isWhole { isNew = false }
    }

    func flush() -> Int { stream.flush() }

    func write(viewOf _: ByteString) -> Int { 0 }
    func write(historyOf _: ByteString) -> Int { 0 }
    func pendingNamesDidGrow(by _: Int) {}
    func session(_: ByteString, isHere _: Bool) {}
}

// MARK: - A reader's position in the table of sessions

/// Readers at the same place get the same messages.
enum RowPlace: Hashable {
    /// The reader gets the whole table, from this slot on, and after that the changes from this number on.
    case whole(slot: Int, then: UInt64)
    /// The reader was too far behind. It gets the changes since that number, from this slot on.
    case catchingUp(since: UInt64, slot: Int, then: UInt64)
    /// The reader gets each change as it happens, from this number on.
    case following(from: UInt64)

    /// The number from which a returning client can continue; nil if it needs the whole.
    var number: UInt64? {
        switch self {
        case .whole: nil
        case .catchingUp(let since, _, _): since
        case .following(let number): number
        }
    }

    var isWhole: Bool { number == nil }

    /// Whether there are more changes to send, given this number of changes.
    func isBehind(_ next: UInt64) -> Bool {
        switch self {
        case .whole, .catchingUp: true
        case .following(let number): number < next
        }
    }
}

// The readers of all sessions, a few times a second.

import Commands
import GameFlow
import Memory
import Sessions

/// Those that are behind are served in turn. Readers at the same place are sent the same text, which is written once in a round.
final class RowQueue {
    private let host: Host
    private let queue: FeedQueue
    private var readers: [ObjectIdentifier: RowReader] = [:]
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
        queue = FeedQueue(at: RoundThrottle(minInterval: .milliseconds(100), round: .milliseconds(3)))
        writer = RowWriter(host: host)
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

    /// Every reader gets the whole again. One that is being sent it gets the rest first: otherwise it might never have all of it.
    func restart() {
        for reader in readers.values {
            reader.restart()
            reader.feedReader.enqueue()
        }
    }

    /// The place of a reader that has nothing.
    var beginning: RowPlace { writer.place(from: nil) }

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
        let key = PieceKey(place: place, scope: reader.scope)
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
    /// Whether the whole is sent again after what is being sent.
    private var restarts = false

    init(of stream: StreamReader, at place: RowPlace, of rows: RowQueue, in queue: FeedQueue) {
        (self.stream, self.place, self.rows, self.queue) = (stream, place, rows, queue)
    }

    var scope: SessionScope? { stream.scope }
    var consumer: Consumer { stream.consumer }
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
        guard !place.isWhole else { return }
        isNew = false
        if exchange(&restarts, with: false) { place = rows.beginning }
    }

    /// It gets the whole table again.
    func restart() {
        if case .whole(let slot, _) = place, slot > 0 { restarts = true } else { place = rows.beginning }
    }

    func flush() -> Int { stream.flush() }
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

// MARK: - Rows of the overview: the whole table in pieces, and then the changed ones.

struct RowWriter {
    private static let maxRows = 500
    /// Names of sessions that are gone, for a reader that catches up: beyond that, the whole is sent again.
    private static let maxGone = 5_000

    let host: Host
    private var changes: Changes { host.feed.changes }

    struct Piece {
        /// Nil if there is nothing to send.
        let text: String?
        let next: RowPlace
    }

    func write(_ place: RowPlace, _ scope: SessionScope?) -> Piece {
        switch place {
        case .whole(let slot, let then): whole(from: slot, then, scope)
        case .catchingUp(let since, let slot, let then): changed(since: since, from: slot, then, scope)
        case .following(let number) where number >= changes.oldest: changes(from: number, scope)
        case .following(let number): write(self.place(from: number), scope)
        }
    }

    /// The place of a reader that has got everything before this number.
    func place(from number: UInt64?) -> RowPlace {
        guard let number, changes.isKnown(from: number) else { return .whole(slot: 0, then: changes.next) }
        return number < changes.oldest ? .catchingUp(since: number, slot: 0, then: changes.next) : .following(from: number)
    }

    private func whole(from slot: Int, _ then: UInt64, _ scope: SessionScope?) -> Piece {
        let (sessions, next) = host.sessions.scan(from: slot, atMost: Self.maxRows)
        host.turns?.charge(pieces: sessions.count / 8)
        let own = sessions.filter(Self.isIn(scope))
        // A reader with few sessions gets no empty pieces.
        let isSilent = scope != nil && own.isEmpty && slot != 0 && next != 0
        let text = isSilent ? nil : rows(own, gone: [], isWhole: slot == 0, hasMore: next != 0)
        return Piece(text: text, next: next == 0 ? .following(from: then) : .whole(slot: next, then: then))
    }

    private func changes(from number: UInt64, _ scope: SessionScope?) -> Piece {
        let found = changes.changes(from: number, atMost: Self.maxRows)
        return Piece(text: rows(in: found.slots, gone: found.gone, scope), next: .following(from: found.next))
    }

    private func changed(since number: UInt64, from slot: Int, _ then: UInt64, _ scope: SessionScope?) -> Piece {
        guard changes.isKnown(from: number) else { return write(place(from: nil), scope) }
        let found = changes.slots(from: slot, changedSince: number, atMost: Self.maxRows)
        if let next = found.next {
            let text = found.slots.isEmpty ? nil : rows(in: found.slots, gone: [], scope)
            return Piece(text: text, next: .catchingUp(since: number, slot: next, then: then))
        }
        let gone = changes.gone(from: number, before: then).names
        guard gone.count <= Self.maxGone else { return write(.whole(slot: 0, then: changes.next), scope) }
        return Piece(text: rows(in: found.slots, gone: gone, scope), next: .following(from: then))
    }

    /// Nil if there is nothing in the scope to send.
    private func rows(in slots: [UInt32], gone: [ByteString], _ scope: SessionScope?) -> String? {
        host.turns?.charge(pieces: slots.count / 8)
        let sessions = slots.compactMap(host.sessions.find(inSlot:))
        // A name that has been given again is not gone.
        let gone = gone.filter { host.sessions.find($0) == nil && scope?.admits($0) ?? true }
        let own = sessions.filter(Self.isIn(scope))
        guard scope == nil || !own.isEmpty || !gone.isEmpty else { return nil }
        return rows(own, gone: gone, isWhole: false, hasMore: false)
    }

    private static func isIn(_ scope: SessionScope?) -> (Session) -> Bool {
        { session in scope.map { session.withName($0.admits) } ?? true }
    }

    private func rows(_ sessions: [Session], gone: [ByteString], isWhole: Bool, hasMore: Bool) -> String {
        var text = JSONText(reserving: 256 * sessions.count + 64)
        text.beginObject()
        if let node = host.cluster?.name { text.member("node", node) }
        text.member("whole", isWhole)
        text.member("more", hasMore)
        text.name("rows")
        text.beginArray()
        for session in sessions { text.append(row: session) }
        text.endArray()
        text.member("gone", JSON.array(gone.map { .string($0.text) }))
        text.endObject()
        return text.finished()
    }
}

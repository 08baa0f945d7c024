// Rows of the overview: the whole table first, in pieces, and then what has changed, a few times a second.

import GameFlow
import RESP
import Sessions
import Timers

extension Feed {
    /// Rows in one event.
    private static let mostRows = 500

    /// Tells those that are behind, if it is time. Returns when it is time for the rest; nil if nobody is behind.
    func tellRows(at now: Instant) -> Instant? {
        let behind = watchers.values.filter { !$0.isOwedHello && isBehind($0) && $0.hasRoom(room) }
        guard !behind.isEmpty else { return nil }
        guard now >= rowPace.next else { return rowPace.next }
        var written: [UInt64: Piece] = [:]
        for reader in behind {
            if reader.cursor != nil { tellPieceOfWhole(reader) } else { tellChanges(reader, &written) }
            flush(reader)
        }
        loop.hasHandled(behind.count)
        rowPace.hasTold(behind.count, from: now, to: clock.now)
        // The whole comes as fast as it is read.
        if behind.contains(where: { $0.cursor != nil }) { rowPace.hurry(from: now, to: clock.now) }
        return watchers.values.contains(where: isBehind) ? rowPace.next : nil
    }

    private func isBehind(_ reader: FeedReader) -> Bool { reader.cursor != nil || reader.position < changes.next }

    /// As many rows as fit into one turn's part, for who is told the whole.
    private func tellPieceOfWhole(_ reader: FeedReader) {
        repeat {
            guard let cursor = reader.cursor else { return }
            let (sessions, next) = host.sessions.scan(from: cursor, atMost: Self.mostRows)
            let text = Self.rows(sessions, gone: [], isWhole: reader.beginsWhole, hasMore: next != 0)
            reader.cursor = next == 0 ? nil : next
            reader.beginsWhole = false
            reader.tell("rows", id: id(of: reader), text)
            loop.hasHandled(sessions.count / 8)
        } while reader.hasRoom(room) && !loop.isFull
    }

    private struct Piece {
        let text: String
        let next: UInt64
    }

    /// Readers that are equally far get the same text.
    private func tellChanges(_ reader: FeedReader, _ written: inout [UInt64: Piece]) {
        guard reader.position >= changes.oldest else { return beginWhole(reader) }
        let piece = written[reader.position] ?? write(from: reader.position)
        written[reader.position] = piece
        reader.position = piece.next
        reader.tell("rows", id: id(of: reader), piece.text)
    }

    private func write(from position: UInt64) -> Piece {
        let found = changes.changes(from: position, atMost: Self.mostRows)
        let sessions = found.slots.compactMap { host.sessions.scan(from: Int($0), atMost: 1).sessions.first }
        // A name that has been given again is not gone.
        let gone = found.gone.filter { host.sessions.find($0) == nil }
        return Piece(text: Self.rows(sessions, gone: gone, isWhole: false, hasMore: false), next: found.next)
    }

    private static func rows(_ sessions: [Session], gone: [ByteString], isWhole: Bool, hasMore: Bool) -> String {
        var text = JSONText(reserving: 256 * sessions.count + 64)
        text.beginObject()
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

// Rows of the overview: the whole table in pieces, and then the changed ones.

import Commands
import GameFlow
import Memory
import Sessions

struct RowWriter {
    /// Rows in one event.
    private static let maxRows = 500
    /// Names of sessions that are gone, for a reader that catches up: beyond that, the whole is sent again.
    private static let maxGone = 5_000

    private let host: Host
    private var changes: Changes { host.feed.changes }

    init(of host: Host) { self.host = host }

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
        let gone = changes.gone(from: number, before: then)
        guard gone.count <= Self.maxGone else { return write(.whole(slot: 0, then: changes.next), scope) }
        return Piece(text: rows(in: found.slots, gone: gone, scope), next: .following(from: then))
    }

    /// Nil if there is nothing in the scope to send.
    private func rows(in slots: [UInt32], gone: [ByteString], _ scope: SessionScope?) -> String? {
        host.turns?.charge(pieces: slots.count / 8)
        let sessions = slots.compactMap { host.sessions.scan(from: Int($0), atMost: 1).sessions.first }
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

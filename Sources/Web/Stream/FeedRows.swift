// Rows of the overview: the whole table first, in pieces, and then what has changed, a few times a second.

import Commands
import GameFlow
import Memory
import Sessions
import Timers

extension Feed {
    /// Rows in one event.
    private static let mostRows = 500
    /// Names of sessions that are gone, for who catches up: beyond that, the whole is told anew.
    private static let mostGone = 5_000
    /// What one round may take.
    private static let longest = Duration.milliseconds(3)

    /// What has been written in a round.
    private struct Round {
        var pieces: [PieceKey: Piece] = [:]
        var bytes = 0
    }

    private struct PieceKey: Hashable {
        let place: RowPlace
        let scope: SessionScope?
    }

    private struct Piece {
        /// Nil if there is nothing to tell.
        let text: String?
        let next: RowPlace
    }

    /// Tells those that are behind, if it is time. Returns when it is time for the rest; nil if nobody is behind.
    func tellRows(at now: Instant) -> Instant? {
        let behind = watchers.values.filter { !$0.isOwedHello && $0.place.isBehind(changes.next) && $0.hasRoom(room) }
        guard !behind.isEmpty else { return nil }
        guard now >= rowPace.next else { return rowPace.next }
        var (round, count, isForNewcomers) = (Round(), 0, false)
        rounds += 1
        host.sessions.resumeObservingAll()
        for reader in behind.sorted(by: { $0.toldRows < $1.toldRows }) {
            if count > 0, now.duration(to: clock.now) > Self.longest { break }
            isForNewcomers = isForNewcomers || reader.isNew
            tell(reader, &round, from: now)
            reader.toldRows = rounds
            count += 1
        }
        loop.hasHandled(count)
        rowPace.hasTold(count, bytes: round.bytes, from: now, to: clock.now)
        // Who waits for a page to show something is told as fast as it is read.
        if isForNewcomers { rowPace.hurry(from: now, to: clock.now) }
        return watchers.values.contains { $0.place.isBehind(changes.next) } ? rowPace.next : nil
    }

    /// Pieces of the whole, as many as there is room and time for; one piece of what has changed.
    private func tell(_ reader: FeedReader, _ round: inout Round, from began: Instant) {
        repeat {
            let key = PieceKey(place: reader.place, scope: reader.scope)
            let piece = round.pieces[key] ?? write(key.place, key.scope)
            round.pieces[key] = piece
            reader.place = piece.next
            if let text = piece.text { reader.tell("rows", id: id(of: reader), text) }
        } while reader.place.isWhole && reader.hasRoom(room) && !loop.isFull && began.duration(to: clock.now) < Self.longest
        if !reader.place.isWhole { reader.isNew = false }
        round.bytes += reader.freshCount
        flush(reader)
    }

    // MARK: Pieces

    private func write(_ place: RowPlace, _ scope: SessionScope?) -> Piece {
        switch place {
        case .whole(let slot, let then): whole(from: slot, then, scope)
        case .catchingUp(let since, let slot, let then): changed(since: since, from: slot, then, scope)
        case .following(let number) where number >= changes.oldest: changes(from: number, scope)
        case .following(let number): write(self.place(from: number), scope)
        }
    }

    /// Where somebody goes on who was told all before this number.
    func place(from number: UInt64?) -> RowPlace {
        guard let number, changes.isKnown(from: number) else { return .whole(slot: 0, then: changes.next) }
        return number < changes.oldest ? .catchingUp(since: number, slot: 0, then: changes.next) : .following(from: number)
    }

    private func whole(from slot: Int, _ then: UInt64, _ scope: SessionScope?) -> Piece {
        let (sessions, next) = host.sessions.scan(from: slot, atMost: Self.mostRows)
        loop.hasHandled(sessions.count / 8)
        let own = sessions.filter(Self.isIn(scope))
        // Who sees few sessions is not told of each part of the table that has none.
        let isSilent = scope != nil && own.isEmpty && slot != 0 && next != 0
        let text = isSilent ? nil : rows(own, gone: [], isWhole: slot == 0, hasMore: next != 0)
        return Piece(text: text, next: next == 0 ? .following(from: then) : .whole(slot: next, then: then))
    }

    private func changes(from number: UInt64, _ scope: SessionScope?) -> Piece {
        let found = changes.changes(from: number, atMost: Self.mostRows)
        return Piece(text: rows(in: found.slots, gone: found.gone, scope), next: .following(from: found.next))
    }

    private func changed(since number: UInt64, from slot: Int, _ then: UInt64, _ scope: SessionScope?) -> Piece {
        guard changes.isKnown(from: number) else { return write(place(from: nil), scope) }
        let found = changes.slots(from: slot, changedSince: number, atMost: Self.mostRows)
        if let next = found.next {
            let text = found.slots.isEmpty ? nil : rows(in: found.slots, gone: [], scope)
            return Piece(text: text, next: .catchingUp(since: number, slot: next, then: then))
        }
        let gone = changes.gone(from: number, before: then)
        guard gone.count <= Self.mostGone else { return write(.whole(slot: 0, then: changes.next), scope) }
        return Piece(text: rows(in: found.slots, gone: gone, scope), next: .following(from: then))
    }

    /// Nil if there is nothing to tell somebody who sees few sessions.
    private func rows(in slots: [UInt32], gone: [ByteString], _ scope: SessionScope?) -> String? {
        loop.hasHandled(slots.count / 8)
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

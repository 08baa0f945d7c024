// Views of sessions, pushed to those who have subscribed to `view:NAME` or `view:GLOB`.

import GameFlow
import Memory
import RESP
import Sessions

/// Collects the sessions that change in a turn, and sends their views at its end: one for each session, however often it has changed. A
/// new subscriber is owed the views of all sessions that it has subscribed to, which are sent in the same way.
package final class ViewFeed {
    static let prefix: StaticString = "view:"

    let sessions: Sessions
    /// The page's streams read the same.
    package let texts: TurnViews
    private unowned let host: Host
    private var readers: [ObjectIdentifier: ViewReader] = [:]
    /// By the name of the session.
    private var audience = Audience<ViewReader>()
    private var patternReaders: [ObjectIdentifier: ViewReader] = [:]
    /// Sessions that have changed since they were last looked at.
    private var changed = OwedViews()
    /// Those that are owed something and read what they are sent.
    private var owing: [ViewReader] = []

    /// Pieces of work in a turn, and those for one client in a row. A view is one, and so is each of its KiB.
    private static let mostPieces = 512
    private static let piecesOfReader = 64
    /// Changed sessions whose readers are looked for in a turn.
    private static let mostChanges = 2_048

    init(of host: Host) {
        self.host = host
        sessions = host.sessions
        texts = TurnViews(of: sessions)
    }

    // MARK: Subscribing

    /// The session's name, or a pattern for names; nil for a channel of something else.
    private static func sessionName(_ name: ByteString, _ kind: Subscriptions.Kind) -> ByteString? {
        let channel = kind == .sharded ? SessionChannel(sharded: name) : SessionChannel(plain: name)
        guard let channel, channel.subject == .views else { return nil }
        return channel.session
    }

    func add(_ client: Client, _ kind: Subscriptions.Kind, _ channel: ByteString) {
        guard let name = Self.sessionName(channel, kind) else { return }
        let me = ObjectIdentifier(client)
        let reader = readers[me] ?? ViewReader(client)
        readers[me] = reader
        switch kind {
        case .channel, .sharded:
            reader.add(name, kind)
            audience.add(reader, to: name)
        case .pattern:
            reader.add(pattern: channel)
            patternReaders[me] = reader
        }
        list(reader)
    }

    func remove(_ client: Client, _ kind: Subscriptions.Kind, _ channel: ByteString) {
        let me = ObjectIdentifier(client)
        guard let name = Self.sessionName(channel, kind), let reader = readers[me] else { return }
        switch kind {
        case .channel, .sharded:
            reader.remove(name, kind)
            if reader.follows(name) { break }
            audience.remove(reader, from: name)
        case .pattern:
            reader.remove(pattern: channel)
            if reader.patterns.isEmpty { patternReaders[me] = nil }
        }
        if reader.isOver { readers[me] = nil }
        if readers.isEmpty { changed = OwedViews() }
    }

    // MARK: What happens

    /// Something has happened to the session; a refused event has changed nothing, unless the session expires later for it.
    func sessionDid(_ entry: borrowing HistoryEntry, _ session: Session) {
        guard !readers.isEmpty, !entry.isRefused || session.expiry != nil else { return }
        hasChanged(session.nameBytes)
    }

    /// The session has changed, begun or gone.
    func hasChanged(_ name: ByteString) {
        if !patternReaders.isEmpty || audience.has(name) { changed.add(name) }
    }

    /// The client has read what it was sent.
    package func hasRoom(_ client: Client) {
        guard let reader = readers[ObjectIdentifier(client)] else { return client.isOwedViews = false }
        list(reader)
        goOnNextTurn()
    }

    /// What the client was sent has been taken back.
    package func hasLost(_ client: Client) {
        guard let reader = readers[ObjectIdentifier(client)] else { return }
        reader.oweAll()
        list(reader)
        goOnNextTurn()
    }

    private func list(_ reader: ViewReader) {
        guard !reader.isListed else { return }
        reader.isListed = true
        owing.append(reader)
    }

    private func goOnNextTurn() { host.turns?.soon {} }

    // MARK: The end of a turn

    /// Sends views, as many as a turn may; the rest comes in the next ones. While sessions are restored, nobody knows which there are.
    package func endTurn() {
        texts.forget()
        guard !readers.isEmpty, !host.isLoading else { return }
        noteChanges()
        sendSome()
        if !changed.isEmpty || !owing.isEmpty { goOnNextTurn() }
    }

    private func noteChanges() {
        for _ in 0..<Self.mostChanges {
            guard let name = changed.popFirst() else { return }
            for reader in audience[name] {
                reader.owe(name)
                list(reader)
            }
            if !patternReaders.isEmpty { notePatterns(name) }
        }
    }

    private func notePatterns(_ name: ByteString) {
        let matching = host.subscriptions.patterns.matching(Self.prefix + name, of: name)
        guard !matching.isEmpty else { return }
        let slot = sessions.find(name).map { Int($0.machine.tag) }
        for pattern in matching {
            for client in pattern.audience.keys {
                guard let reader = patternReaders[client] else { continue }
                reader.owe(name, by: pattern.name, slot: slot, sessions)
                list(reader)
            }
        }
    }

    /// First come, first served, and a part for each.
    private func sendSome() {
        var left = Self.mostPieces
        while left > 0, !owing.isEmpty {
            let reader = owing.removeFirst()
            reader.isListed = false
            var budget = min(left, Self.piecesOfReader)
            left -= budget
            reader.send(self, &budget)
            left += max(budget, 0)
            putBack(reader)
        }
    }

    /// One that does not read is met again when it has.
    private func putBack(_ reader: ViewReader) {
        let isHere = readers[ObjectIdentifier(reader.client)] === reader
        let isOwed = isHere && reader.isOwed
        if isOwed, reader.hasRoom { list(reader) }
        reader.client.isOwedViews = isOwed && !reader.hasRoom
        // Counts what is kept for it.
        if isOwed { reader.client.endpoint?.hasMessage() }
    }

    // MARK: Sending

    func push(_ name: ByteString, _ way: ViewReader.Way, to client: Client, _ budget: inout Int) {
        guard client.grant.admits(name) else { return }
        let text = texts.text(of: name)
        budget -= 1 + text.utf8.count / 1_024
        switch way {
        case .channel: client.push([Subscriptions.message, Self.prefix + name], text)
        case .sharded:
            if let channel = SessionChannel.sharded(.views, name) {
                client.push([Subscriptions.shardedMessage, channel], text)
            }
        case .pattern(let pattern): client.push([Subscriptions.patternMessage, pattern.name, Self.prefix + name], text)
        }
    }
}

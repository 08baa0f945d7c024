// Subscriptions of clients to messages and views of sessions, by channel and by pattern.

import GameFlow
import Memory
import RESP
import Sessions

/// Names and patterns are bytes: canonically equivalent Unicode names are distinct, and names need not be valid UTF-8.
package final class Subscriptions: FeedFollower {
    private unowned let host: Host
    private let feed: Feed
    /// Subscribers with pending views.
    private let queue: FeedQueue
    private var subscribers: [ObjectIdentifier: Subscriber] = [:] { didSet { hasSubscribers = !subscribers.isEmpty } }
    private var hasSubscribers = false

    /// The next change to match against patterns of views.
    private var next: UInt64 = 0
    private var isFollowing = false
    /// Changes are followed until then though there is no pattern: a client with positions may come back.
    private var followsUntil = Instant.zero
    private static let timeout = Duration.seconds(60)
    private let clock = SystemClock()

    init(of host: Host) { (self.host, feed, queue) = (host, host.feed, FeedQueue(of: host.feed.texts)) }

    /// How many there are: each channel and each pattern of each client.
    package var count: Int { subscribers.values.reduce(0) { $0 + $1.client.subscriptionCount } }

    // MARK: Subscribing

    func add(_ client: Client, _ kind: ChannelKind, _ name: ByteString) throws(CommandError) {
        // The rest of an EXEC runs after its client has disconnected, and the client would never be removed.
        guard !client.hasSubscribed(kind, to: name), !client.isGone else { return }
        try check(client, name)
        let channel = SessionChannel(name, kind)
        let subscriber = subscribers[ObjectIdentifier(client)] ?? Subscriber(client, in: queue)
        if kind == .pattern {
            try add(subscriber, pattern: name, ofViews: channel?.subject == .views)
        } else if let channel {
            try client.grant.check(channel.session)
            subscriber.add(channel, kind, name)
            feed.add(subscriber.reader, channel.subject.topic, of: channel.session)
        }
        subscribers[ObjectIdentifier(client)] = subscriber
        client.subscribed[kind, default: []].insert(name)
        client.heldBytes += Self.bytes(of: kind, name)
    }

    private func add(_ subscriber: Subscriber, pattern: ByteString, ofViews: Bool) throws(CommandError) {
        let isFirst = !feed.hasPatternsOfViews
        try feed.add(subscriber.reader, pattern: pattern, ofViews: ofViews, host.limits)
        guard ofViews else { return }
        if isFirst { observeChanges() }
        subscriber.add(pattern: pattern)
    }

    private func check(_ client: Client, _ name: ByteString) throws(CommandError) {
        let limits = host.limits
        guard client.subscriptionCount < limits.subscriptions else {
            throw .limit(
                \.subscriptions, "limit of \(limits.subscriptions) subscriptions of this connection reached")
        }
        // A pattern may need several bytes per byte of a name.
        let longest = "session:".utf8.count + 4 * limits.nameLength
        guard name.count <= longest else {
            throw .limit(\.nameLength, "a channel or pattern has at most \(longest) bytes, not \(name.count)")
        }
    }

    /// Roughly the memory of one subscription: its name, its entries here and in the client, and its pattern.
    private static func bytes(of kind: ChannelKind, _ name: ByteString) -> Int {
        switch kind {
        case .channel, .sharded: 240 + name.count
        case .pattern: 320 + name.count + Glob(name).footprint
        }
    }

    // MARK: Unsubscribing

    func remove(_ client: Client, _ kind: ChannelKind, _ name: ByteString) {
        guard client.hasSubscribed(kind, to: name), let subscriber = subscribers[ObjectIdentifier(client)] else { return }
        client.heldBytes -= Self.bytes(of: kind, name)
        client.subscribed[kind]?.remove(name)
        let channel = SessionChannel(name, kind)
        if kind == .pattern {
            remove(subscriber, pattern: name, ofViews: channel?.subject == .views)
        } else if let channel, subscriber.remove(channel, kind, name) {
            feed.remove(subscriber.reader, channel.subject.topic, of: channel.session)
            if channel.subject == .views { subscriber.reader.forget(channel.session) }
        }
        guard client.subscriptionCount == 0 else { return }
        subscriber.reader.end()
        subscribers[ObjectIdentifier(client)] = nil
    }

    private func remove(_ subscriber: Subscriber, pattern: ByteString, ofViews: Bool) {
        feed.remove(subscriber.reader, pattern: pattern, ofViews: ofViews)
        guard ofViews else { return }
        if subscriber.hasPositions(of: pattern) { followsUntil = clock.now.advanced(by: Self.timeout) }
        subscriber.remove(pattern: pattern)
        stopFollowing()
    }

    /// Each counts as a piece of the turn: clients that leave together are closed over several turns.
    package func removeAll(of client: Client) {
        let count = client.subscriptionCount
        if count > 0 { host.turns?.charge(pieces: count) }
        for (kind, names) in client.subscribed {
            for name in names { remove(client, kind, name) }
        }
    }

    /// Changes the client's grant. Its patterns move to the group of its new scope, and are charged to its new token. Patterns beyond the new token's
    /// share end, and the client is notified. With another scope it is sent all views again: it has not seen those of all its sessions.
    func move(_ client: Client, _ change: () -> Void) {
        let (names, scope) = (client.names(of: .pattern).sorted(), client.grant.scope)
        guard let reader = subscribers[ObjectIdentifier(client)]?.reader else { return change() }
        for name in names { feed.patterns.remove(reader, name) }
        change()
        let ended = names.filter { name in
            do throws(CommandError) { try feed.patterns.add(reader, name, host.limits) } catch { return true }
            return false
        }
        for name in ended { end(client, .pattern, name) }
        if client.grant.scope != scope { resendAll(to: client) }
    }

    /// Ends the subscriptions to sessions in slots that have left this node, and notifies their clients.
    package func cancelAll(exceptSlotsWhere isHere: (_ slot: Int) -> Bool) {
        for client in subscribers.values.map(\.client) {
            for kind in [ChannelKind.channel, .sharded] {
                for name in client.names(of: kind) where SessionChannel(name, kind).map({ !isHere($0.slot) }) ?? false {
                    end(client, kind, name)
                }
            }
        }
    }

    private func end(_ client: Client, _ kind: ChannelKind, _ name: ByteString) {
        remove(client, kind, name)
        client.push(of: 3) { reply in
            reply.append(bulk: kind.rawValue + "unsubscribe")
            name.withBytes { reply.append(bulk: $0) }
            reply.append(integer: client.count(of: kind))
        }
    }

    // MARK: Positions of patterns

    /// A client has been sent the views of a pattern up to this position, and is told its positions from now on. If the changes since
    /// then are not known, it is told so, and sent all views.
    func resume(_ client: Client, _ pattern: ByteString, since position: String) {
        let number = feed.number(in: position, of: client.grant.scope).flatMap { feed.changes.isKnown(from: $0) ? $0 : nil }
        subscribers[ObjectIdentifier(client)]?.resume(pattern, since: number)
        // A session may be quiet that it is not sent now.
        feed.resumeAll()
    }

    /// The position of a client with these sessions that has been sent all that is pending.
    func position(of scope: SessionScope?) -> String { feed.position(next, of: scope) }

    // MARK: The client's output

    /// The client has read its output.
    package func resumeSending(to client: Client) {
        client.viewsArePending = false
        subscribers[ObjectIdentifier(client)]?.reader.enqueue()
        continueNextTurn()
    }

    /// Output of the client has been taken back.
    package func resendAll(to client: Client) {
        guard let subscriber = subscribers[ObjectIdentifier(client)] else { return }
        subscriber.enqueueAll()
        continueNextTurn()
    }

    private func continueNextTurn() { host.turns?.schedule {} }

    // MARK: The end of a turn

    /// Sends views within the turn's budget; the rest is sent in the next turns. While sessions are being restored, none are sent.
    package func endTurn() {
        feed.texts.forget()
        stopFollowing()
        guard hasSubscribers, !host.isLoading else { return }
        if feed.hasPatternsOfViews { findPatterns() }
        let isWaiting = queue.serve(withSessions: true) != nil
        if isWaiting || feed.hasPatternsOfViews && next < feed.changes.next { continueNextTurn() }
    }

    private func observeChanges() {
        if !isFollowing { feed.add(self) }
        isFollowing = true
        next = feed.changes.next
    }

    /// Stops following changes that no client needs.
    private func stopFollowing() {
        guard isFollowing, !feed.hasPatternsOfViews, clock.now >= followsUntil else { return }
        isFollowing = false
        feed.remove(self)
    }

    /// The work of finding patterns in a turn: some for each changed session, and one for each reader of a pattern that matches it.
    private static let maxWork = 8_192
    private static let workOfChange = 4
    /// Changed sessions that are looked at together.
    private static let changesOfPiece = 32

    /// The sessions that have changed, for the patterns that match them.
    private func findPatterns() {
        guard next >= feed.changes.oldest else { return showAll() }
        var left = Self.maxWork
        while left > 0, next < feed.changes.next {
            let found = feed.changes.changes(from: next, atMost: Self.changesOfPiece)
            next = found.next
            left -= Self.changesOfPiece * Self.workOfChange
            for slot in found.slots {
                if let session = host.sessions.find(inSlot: slot) { left -= enqueue(session.nameBytes, slot: Int(slot)) }
            }
        }
    }

    /// More sessions have changed than the ring has in order.
    private func showAll() {
        next = feed.changes.next
        for subscriber in subscribers.values where !subscriber.patterns.isEmpty { subscriber.enqueueMatching() }
    }

    package func sessionIsGone(_ name: ByteString) { _ = enqueue(name, slot: nil) }

    /// Returns for how many readers.
    private func enqueue(_ name: ByteString, slot: Int?) -> Int {
        var count = 0
        for pattern in feed.patterns.matching(SessionChannel.Subject.views.prefix + name, of: name) {
            for reader in pattern.audience.values { reader.encoder.enqueue(viewOf: name, by: pattern.name, slot: slot) }
            count += pattern.audience.count
        }
        return count
    }
}

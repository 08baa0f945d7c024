// Subscriptions to `view:NAME` and to patterns of these.

import Memory
import RESP
import Sessions
import Timers

package final class ViewSubscriptions: FeedFollower {
    static let prefix: StaticString = "view:"

    private unowned let host: Host
    private let feed: Feed
    private let queue: FeedQueue
    private var subscribers: [ObjectIdentifier: ViewSubscriber] = [:] {
        didSet { hasSubscribers = !subscribers.isEmpty }
    }
    private var hasSubscribers = false
    private var patternSubscribers: [ObjectIdentifier: ViewSubscriber] = [:]
    /// The next change to match against patterns.
    private var next: UInt64 = 0

    private var isFollowing = false
    /// Changes are followed until then though there is no pattern: a client with positions may come back.
    private var followsUntil = Instant.zero
    private static let timeout = Duration.seconds(60)
    private let clock = SystemClock()

    /// Changed sessions that are matched against patterns in a turn.
    private static let maxChanges = 2_048

    init(of host: Host) { (self.host, feed, queue) = (host, host.feed, FeedQueue()) }

    // MARK: Subscribing

    /// The session's name, or a pattern for names; nil for a channel of something else.
    private static func sessionName(_ name: ByteString, _ kind: ChannelKind) -> ByteString? {
        guard let channel = SessionChannel(name, kind), channel.subject == .views else { return nil }
        return channel.session
    }

    /// Returns whether the channel is of views.
    func add(_ client: Client, _ kind: ChannelKind, _ channel: ByteString) -> Bool {
        guard let name = Self.sessionName(channel, kind) else { return false }
        let me = ObjectIdentifier(client)
        let subscriber = subscribers[me] ?? ViewSubscriber(client, in: queue)
        subscribers[me] = subscriber
        switch kind {
        case .channel, .sharded:
            subscriber.add(name, kind)
            feed.add(subscriber.reader, viewsOf: name)
        case .pattern:
            if patternSubscribers.isEmpty { observeChanges() }
            patternSubscribers[me] = subscriber
            subscriber.add(pattern: channel)
        }
        return true
    }

    /// Returns whether the channel is of views.
    func remove(_ client: Client, _ kind: ChannelKind, _ channel: ByteString) -> Bool {
        let me = ObjectIdentifier(client)
        guard let name = Self.sessionName(channel, kind) else { return false }
        guard let subscriber = subscribers[me] else { return true }
        switch kind {
        case .channel, .sharded:
            subscriber.remove(name, kind)
            if !subscriber.follows(name) { feed.remove(subscriber.reader, viewsOf: name) }
        case .pattern:
            if subscriber.hasPositions(of: channel) { followsUntil = clock.now.advanced(by: Self.timeout) }
            subscriber.remove(pattern: channel)
            guard subscriber.patterns.isEmpty else { break }
            patternSubscribers[me] = nil
            stopFollowing()
        }
        guard subscriber.isOver else { return true }
        subscriber.reader.end()
        subscribers[me] = nil
        return true
    }

    /// A client has been sent the views of a pattern up to this position, and is told its positions from now on. If the changes since
    /// then are not known, it is told so, and sent all views.
    func resume(_ client: Client, _ pattern: ByteString, since position: String) {
        let number = feed.number(in: position).flatMap { feed.changes.isKnown(from: $0) ? $0 : nil }
        subscribers[ObjectIdentifier(client)]?.resume(pattern, since: number)
        // A session may be quiet that it is not sent now.
        feed.resumeAll()
    }

    /// The position of a client that has been sent all that is pending.
    var position: String { feed.position(next) }

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
        if !patternSubscribers.isEmpty { findPatterns() }
        let isWaiting = queue.serve(withSessions: true) != nil
        if isWaiting || !patternSubscribers.isEmpty && next < feed.changes.next { continueNextTurn() }
    }

    private func observeChanges() {
        if !isFollowing { feed.add(self) }
        isFollowing = true
        next = feed.changes.next
    }

    /// Stops following changes that no client needs.
    private func stopFollowing() {
        guard isFollowing, patternSubscribers.isEmpty, clock.now >= followsUntil else { return }
        isFollowing = false
        feed.remove(self)
    }

    /// The sessions that have changed, for the patterns that match them.
    private func findPatterns() {
        guard next >= feed.changes.oldest else { return showAll() }
        let found = feed.changes.changes(from: next, atMost: Self.maxChanges)
        next = found.next
        for slot in found.slots {
            if let session = host.sessions.find(inSlot: slot) { enqueue(session.nameBytes, slot: Int(slot)) }
        }
    }

    /// More sessions have changed than the ring has in order.
    private func showAll() {
        next = feed.changes.next
        for subscriber in patternSubscribers.values { subscriber.enqueueMatching() }
    }

    package func sessionIsGone(_ name: ByteString) { enqueue(name, slot: nil) }

    private func enqueue(_ name: ByteString, slot: Int?) {
        for pattern in host.subscriptions.patterns.matching(Self.prefix + name, of: name) {
            for client in pattern.audience.keys { patternSubscribers[client]?.enqueue(name, by: pattern.name, slot: slot) }
        }
    }
}

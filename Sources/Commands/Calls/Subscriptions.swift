// Subscriptions to session changes: channels, patterns, and their messages.

import GameFlow
import Memory
import RESP
import Sessions
import Texts

/// Names and patterns are bytes: canonically equivalent Unicode names are distinct, and names need not be valid UTF-8.
package final class Subscriptions: SessionObserver {
    private var channels = Audience<Client>()
    private var shardedChannels = Audience<Client>()
    let patterns = PatternIndex()

    private unowned let sessions: Sessions
    /// Gets every subscription, and knows which are its own.
    private let views: ViewSubscriptions

    init(of sessions: Sessions, _ views: ViewSubscriptions) {
        self.sessions = sessions
        self.views = views
    }

    /// How many there are: each channel and each pattern of each client.
    package private(set) var count = 0

    /// Subscriptions for messages, not for views. Sessions are observed only while there is one, which is rare.
    private var messageCount = 0 {
        didSet { if messageCount == 0 { sessions.remove(self) } else if oldValue == 0 { sessions.add(self) } }
    }

    func add(_ client: Client, _ kind: ChannelKind, _ name: ByteString) throws(CommandError) {
        guard !client.hasSubscribed(kind, to: name) else { return }
        try check(client, name)
        if let session = try Self.sessionName(name, kind) { try client.grant.check(session) }
        switch kind {
        case .channel: channels.add(client, to: name)
        case .sharded: shardedChannels.add(client, to: name)
        case .pattern: try patterns.add(client, name, client.host.limits)
        }
        client.subscribed[kind, default: []].insert(name)
        count += 1
        client.heldBytes += bytes(of: client, name, kind)
        if !views.add(client, kind, name) { messageCount += 1 }
    }

    /// Roughly the memory of one subscription: its name, its entries here and in the client, and its pattern.
    private func bytes(of client: Client, _ name: ByteString, _ kind: ChannelKind) -> Int {
        switch kind {
        case .channel, .sharded: 240 + name.count
        case .pattern: 320 + name.count + (patterns.find(name, of: client)?.glob.footprint ?? 0)
        }
    }

    private func check(_ client: Client, _ name: ByteString) throws(CommandError) {
        let limits = client.host.limits
        guard client.subscriptionCount < limits.subscriptions else {
            throw .limit(
                \.subscriptions, "limit of \(client.subscriptionCount) subscriptions of this connection reached")
        }
        // A pattern may need several bytes per byte of a name.
        let longest = "session:".utf8.count + 4 * limits.nameLength
        guard name.count <= longest else {
            throw .limit(\.nameLength, "a channel or pattern has at most \(longest) bytes, not \(name.count)")
        }
    }

    func remove(_ client: Client, _ kind: ChannelKind, _ name: ByteString) {
        guard client.hasSubscribed(kind, to: name) else { return }
        count -= 1
        client.heldBytes -= bytes(of: client, name, kind)
        switch kind {
        case .channel: channels.remove(client, from: name)
        case .sharded: shardedChannels.remove(client, from: name)
        case .pattern: patterns.remove(client, name)
        }
        client.subscribed[kind]?.remove(name)
        if !views.remove(client, kind, name) { messageCount -= 1 }
    }

    /// Changes the client's grant. Its patterns move to the group of its new scope, and are charged to its new token. Patterns beyond the new token's
    /// share end, and the client is notified.
    func move(_ client: Client, _ change: () -> Void) {
        let names = client.names(of: .pattern).sorted()
        guard !names.isEmpty else { return change() }
        for name in names { patterns.remove(client, name) }
        change()
        for name in names {
            do throws(CommandError) { try patterns.add(client, name, client.host.limits) } catch {
                end(client, .pattern, name)
            }
        }
    }

    package func removeAll(of client: Client) {
        for (kind, names) in client.subscribed {
            for name in names { remove(client, kind, name) }
        }
    }

    // MARK: Sessions on other nodes

    /// Ends the subscriptions to sessions in slots that have left this node, and notifies their clients.
    package func cancelAll(exceptSlotsWhere isHere: (_ slot: Int) -> Bool) {
        for name in channels.names {
            guard let channel = SessionChannel(plain: name), !isHere(channel.slot) else { continue }
            for client in channels[name] { end(client, .channel, name) }
        }
        for name in shardedChannels.names {
            guard let channel = SessionChannel(sharded: name), !isHere(channel.slot) else { continue }
            for client in shardedChannels[name] { end(client, .sharded, name) }
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

    // MARK: Publishing

    /// Publishes a history entry of a session.
    package override func session(_ session: Session, didRecord entry: borrowing HistoryEntry) -> ObserverInterest {
        publish(about: session) {
            SessionMessage.text(session.text(of: entry, at: sessions.timekeeper.wallNanoseconds), of: session)
        }
        return .stays
    }

    /// Publishes what a session tells its subscribers. It is no line of the history, and has the number of the latest one.
    package override func session(_ session: Session, didEmit emission: Emission) {
        publish(about: session) { SessionMessage.text(emission, of: session) }
    }

    private func publish(about session: Session, _ text: () -> String) {
        let channel = "session:" + session.nameBytes
        if !shardedChannels.isEmpty { publish(toShardedChannelOf: session, text) }
        let matching = patterns.isEmpty ? [] : patterns.matching(channel, of: session.nameBytes)
        guard channels.has(channel) || !matching.isEmpty else { return }
        let message = text()
        let words = [ChannelKind.channel.messageWord, channel]
        for client in channels[channel] where client.sees(session) { client.push(words, message) }
        for pattern in matching {
            for client in pattern.audience.values where client.sees(session) {
                client.push([ChannelKind.pattern.messageWord, pattern.name, channel], message)
            }
        }
    }

    private func publish(toShardedChannelOf session: Session, _ text: () -> String) {
        let channel = SessionChannel.sharded(.history, session.nameBytes)
        guard let channel, shardedChannels.has(channel) else { return }
        let message = text()
        for client in shardedChannels[channel] where client.sees(session) {
            client.push([ChannelKind.sharded.messageWord, channel], message)
        }
    }

    /// The session that a channel is of; nil for a pattern, or a channel of nothing.
    private static func sessionName(_ channel: ByteString, _ kind: ChannelKind) throws(CommandError) -> ByteString? {
        switch kind {
        case .pattern: return nil
        case .channel: return SessionChannel(plain: channel)?.session
        case .sharded:
            guard let channel = SessionChannel(sharded: channel) else { throw .noShardedChannel(channel) }
            return channel.session
        }
    }
}

extension CommandError {
    fileprivate static func noShardedChannel(_ name: ByteString) -> CommandError {
        CommandError(
            .generic,
            "'\(name.text.shortened)' is not a sharded channel; use session:{NAME} or view:{NAME}, without braces if the name has some"
        )
    }
}

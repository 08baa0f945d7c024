// A client of a cluster: a daemon says with MOVED which node has a session, and the client talks to that one.

import Client
import RESP

/// The other nodes, and the sessions that they have. Only for its client's actor.
struct ClusterNodes {
    /// Sessions may move while they are followed; after this many moves of one request it waits a little before each.
    static let quickMoves = 4
    /// At most this many sessions have a remembered node. Another one replaces any of them, whose next request asks the client's own daemon.
    static let maxHomes = 16_384

    private var clients: [String: Gamed] = [:]
    private var homes: [String: Gamed] = [:]

    /// The node that has the session; nil for the client's own daemon.
    func home(of session: String) -> Gamed? { homes[session] }

    /// The session is no longer where it was.
    mutating func forget(_ session: String) { homes[session] = nil }

    /// Remembers where a session is, by the text of MOVED: `7638 venue-b:7654`. False if that is no address.
    mutating func recordMove(of session: String, to text: String, for client: Gamed) -> Bool {
        guard let place = text.split(separator: " ").last.map(String.init),
            let address = ServerAddress(ofNode: place)
        else { return false }
        if homes.count == Self.maxHomes, homes[session] == nil { _ = homes.popFirst() }
        // Its own daemon has it again, as it calls itself.
        homes[session] = address == client.address ? nil : clients[place] ?? Gamed(ofNode: address, like: client)
        if let home = homes[session] { clients[place] = home }
        return true
    }

    func closeAll() {
        for client in clients.values { Task { await client.close() } }
    }
}

extension Gamed {
    /// The reply of the node that has the request's session. A node that is gone is forgotten: the next one to ask is the client's own daemon.
    func replyOfNode(to commands: [[String]], _ isRepeatable: Bool, wasSent: Bool) async throws -> NodeReply {
        guard let session = commands.session, let home = nodes?.home(of: session) else {
            return try await reply(to: commands, isRepeatable, wasSent: wasSent)
        }
        var wasSent = wasSent
        do {
            return try await home.reply(to: commands, isRepeatable, wasSent: wasSent)
        } catch GamedError.unavailable {
            nodes?.forget(session)
        } catch GamedError.unknownOutcome where isRepeatable {
            nodes?.forget(session)
            wasSent = true
        }
        return try await reply(to: commands, isRepeatable, wasSent: wasSent)
    }

    // MARK: Subscriptions

    static let pause = Duration.milliseconds(100)

    /// True if another node has the session: its values are handed over.
    func startRelay<Relayed: Channel>(to channel: Relayed) -> Bool {
        guard let home = nodes?.home(of: channel.session) else { return false }
        channel.relay?.cancel()
        // Before any later request to that node.
        let (name, values) = (channel.name, channel.values(from: home))
        channel.relay = Task { [weak self] in
            for await value in values { await self?.relay(value, to: name, of: Relayed.self) }
            if !Task.isCancelled { await self?.endRelay(of: name, from: home) }
        }
        return true
    }

    // A channel's task is cancelled when the channel ends or gets another task. It checks that here: by then, another channel
    // can have the name.

    private func relay<Relayed: Channel>(_ value: Relayed.Value, to name: String, of: Relayed.Type) {
        if !Task.isCancelled { (channels[name] as? Relayed)?.show(value) }
    }

    private func endRelay(of name: String, from home: Gamed) async {
        guard await home.hasRefused(name) else { return await findAgain(name) }
        if !Task.isCancelled { end(name) }
    }

    /// Whether its daemon has refused this subscription for a reason that stays. To be asked once.
    private func hasRefused(_ name: String) -> Bool { refused.remove(name) != nil }

    /// The session was dropped, has gone elsewhere, or its node is lost or refuses this client. Views end with their session.
    func findAgain(_ name: String) async {
        guard !Task.isCancelled, let session = channels[name]?.session else { return }
        nodes?.forget(session)
        try? await Task.sleep(for: Self.pause)
        do {
            _ = try await ask(["STATE", session], isRepeatable: true)
        } catch GamedError.refused(let refused) where !Task.isCancelled && ends(name, refused.code) {
            return end(name)
        } catch {}
        resubscribe(to: name)
    }

    private func ends(_ name: String, _ code: ErrorCode) -> Bool {
        switch code {
        case .noSession: channels[name] is ViewChannel
        case .notAuthenticated, .wrongToken, .noPermission: true
        default: false
        }
    }

    private func resubscribe(to name: String) {
        guard !Task.isCancelled, let channel = channels[name] else { return }
        channel.relay = nil
        open { subscribe(to: channel) }
    }

    /// The session is elsewhere, or cannot be subscribed to for a moment: another subscription is tried. Any other refusal, as for want of a permission,
    /// ends the subscription.
    func subscriptionIsRefused(of name: String, _ code: ErrorCode, _ message: String) {
        guard let channel = channels[name] else { return }
        if code == .moved, nodes?.recordMove(of: channel.session, to: message, for: self) == true {
            subscribe(to: channel)
        } else if code.maySubside {
            subscribeLater(to: channel)
        } else {
            // The client that this one relays to does not try again.
            if nodes == nil, code != .moved, code != .noSession { refused.insert(name) }
            end(name)
        }
    }

    /// Until then, a new connection does not subscribe to it.
    func subscribeLater(to channel: some Channel) {
        channel.relay?.cancel()
        channel.relay = Task { [weak self, name = channel.name] in
            try? await Task.sleep(for: Self.pause)
            await self?.resubscribe(to: name)
        }
    }

    /// The daemon has ended a subscription by itself: the session has gone to another node. A client of one node leaves the rest to its owner.
    func losePlace(of parts: [Reply]) {
        guard parts.count > 1, let name = parts[1].text, let channel = channels[name] else { return }
        if nodes != nil { subscribe(to: channel) } else { end(name) }
    }
}

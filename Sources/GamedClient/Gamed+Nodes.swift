// A client of a cluster: a daemon says with MOVED which node has a session, and the client talks to that one.

import Client
import RESP
import Texts

/// The other nodes, and the sessions that they have. Only for its client's actor.
struct ClusterNodes {
    /// Sessions may move while they are followed; after this many moves of one request it waits a little before each.
    static let quickMoves = 4

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
    func replyOfNode(to commands: [[String]], _ isRepeatable: Bool, _ isUrgent: Bool) async throws -> Reply {
        guard let session = commands.session, let home = nodes?.home(of: session) else {
            return try await reply(to: commands, isRepeatable, isUrgent)
        }
        do {
            return try await home.reply(to: commands, isRepeatable, isUrgent)
        } catch GamedError.unavailable {
            nodes?.forget(session)
        } catch GamedError.unknownOutcome where isRepeatable {
            nodes?.forget(session)
        }
        return try await reply(to: commands, isRepeatable, isUrgent)
    }

    // MARK: Views

    /// True if another node has the session: its views are handed over.
    func followViews(of channel: ViewChannel) -> Bool {
        let name = channel.session
        guard let home = nodes?.home(of: name) else { return false }
        channel.relay?.cancel()
        // Before any later request to that node.
        let views = home.views(of: name)
        channel.relay = Task { [weak self] in
            for await view in views { await self?.relay(view, of: name) }
            if !Task.isCancelled { await self?.findAgain(name) }
        }
        return true
    }

    private func relay(_ view: SessionView, of name: String) { viewChannels[name]?.show(view) }

    /// The session was dropped, has gone elsewhere, or its node is lost.
    private func findAgain(_ name: String) async {
        nodes?.forget(name)
        try? await Task.sleep(for: Self.pause)
        do {
            _ = try await ask(["STATE", name], isRepeatable: true)
        } catch GamedError.refused(let refused) where refused.code == .noSession {
            return endViews(of: name)
        } catch {}
        guard let channel = viewChannels[name] else { return }
        channel.relay = nil
        open { subscribe(to: channel) }
    }

    private static let pause = Duration.milliseconds(100)

    // MARK: Events

    /// True if another node has the session: its events are handed over, from the last one on.
    func followEvents(of channel: EventChannel) -> Bool {
        let name = channel.session
        guard let home = nodes?.home(of: name) else { return false }
        channel.relay?.cancel()
        let events = home.events(of: name, since: channel.position)
        channel.relay = Task { [weak self] in
            for await event in events { await self?.relay(event, of: name) }
            if !Task.isCancelled { await self?.eventsHaveEnded(of: name) }
        }
        return true
    }

    private func relay(_ event: SessionEvent, of name: String) { eventChannels[name]?.show(event) }

    /// The session has gone elsewhere, or its node is lost.
    private func eventsHaveEnded(of name: String) async {
        nodes?.forget(name)
        try? await Task.sleep(for: Self.pause)
        guard let channel = eventChannels[name] else { return }
        channel.relay = nil
        open { subscribe(to: channel) }
    }

    // MARK: Refused subscriptions

    /// The session is elsewhere, or cannot be subscribed to for a moment: `subscribe` is tried again. Any other refusal, as for want of a permission,
    /// ends the subscription.
    func subscriptionIsRefused(
        of name: String, _ code: ErrorCode, _ message: String, retry subscribe: @escaping @Sendable (isolated Gamed) -> Void,
        end: () -> Void
    ) {
        if code == .moved, nodes?.recordMove(of: name, to: message, for: self) == true {
            subscribe(self)
        } else if Self.passing.contains(code) {
            Task { [weak self] in
                try? await Task.sleep(for: Self.pause)
                await self?.open(subscribe)
            }
        } else {
            end()
        }
    }

    private func open(_ subscribe: @Sendable (isolated Gamed) -> Void) { open { subscribe(self) } }

    // MARK: Sessions that leave

    /// The daemon has ended a subscription by itself: the session has gone to another node. A client of one node leaves the rest to its owner.
    func losePlace(of parts: [Reply]) {
        guard parts.count > 1, let channel = parts[1].text else { return }
        let isOwner = nodes != nil
        if let views = viewChannels[channel.dropped("view:")], channel.hasPrefix("view:") {
            if isOwner { subscribe(to: views) } else { endViews(of: views.session) }
        } else if let events = eventChannels[channel.dropped("session:")], channel.hasPrefix("session:") {
            if isOwner { subscribe(to: events) } else { endEvents(of: events.session) }
        }
    }
}

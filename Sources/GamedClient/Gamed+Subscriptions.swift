// Subscriptions of a client: the readers of sessions' views and events, and how they resume on the next connection.

import Client
import RESP

extension Gamed {
    /// A reader of the session's views from now on.
    nonisolated func views(of name: String) -> AsyncStream<SessionView> {
        read(bufferingNewest: 1) { ViewChannel(name) }
    }

    /// A reader of the session's events from now on. One that is a thousand events behind loses the oldest.
    nonisolated func events(of name: String) -> AsyncStream<SessionEvent> {
        read(bufferingNewest: 1_000) { EventChannel(name, since: nil) }
    }

    /// The same for the client of a cluster, which also gets the position where they begin.
    nonisolated func relayedEvents(of name: String, since position: String?) -> AsyncStream<SessionEvent> {
        read(bufferingNewest: 1_000) { EventChannel(name, since: position, isRelayed: true) }
    }

    /// A reader that ends leaves, even if it ends before it has arrived.
    private nonisolated func read<Read: Channel>(
        bufferingNewest limit: Int, _ channel: @escaping @Sendable () -> Read
    ) -> AsyncStream<Read.Value> {
        let (stream, reader) = AsyncStream.makeStream(of: Read.Value.self, bufferingPolicy: .bufferingNewest(limit))
        let number = lastReader.withLock { last in
            last += 1
            return last
        }
        reader.onTermination = { _ in self.arrive { $0.leave(channel().name, number) } }
        arrive { $0.add(reader, number, to: channel()) }
        return stream
    }

    nonisolated func arrive(_ body: @escaping @Sendable (isolated Gamed) -> Void) {
        arrivals.withLock { $0.append(body) }
        Task { await self.admitArrivals() }
    }

    func admitArrivals() {
        let bodies = arrivals.withLock { bodies in
            defer { bodies = [] }
            return bodies
        }
        for body in bodies { body(self) }
    }

    // A client lives as long as its streams are read: they refer to it.

    /// The channel is a new one, unless there is one already.
    private func add<Read: Channel>(_ reader: AsyncStream<Read.Value>.Continuation, _ number: Int, to new: Read) {
        guard !isClosed else { return reader.finish() }
        let known = channels[new.name] as? Read
        let (channel, name) = (known ?? new, new.name)
        if let last = channel.last { reader.yield(last) }
        channel.readers.add(reader, numbered: number)
        guard known == nil else { return }
        channels[name] = channel
        refused.remove(name)
        open { subscribe(to: channel) }
    }

    func open(_ subscribe: () -> Void) {
        if isReady { subscribe() } else { connect() }
    }

    /// Sends a request that comes before all that wait. It is not repeated: each connection begins with its own.
    private func sendFirst(_ words: [String], _ onRefusal: @escaping (ErrorCode, String) -> Void = { _, _ in }) {
        requests.appendSent(
            Request(nextNumber(), [words], isRepeatable: false) { result in
                if case .error(let code, let message)? = try? result.get().reply { onRefusal(code, message) }
            })
        wire?.send([words])
    }

    /// Events are subscribed to from a known position, so that none is lost with a connection. In a cluster, the client of the session's node finds it.
    func subscribe(to channel: some Channel) {
        guard !startRelay(to: channel) else { return }
        let events = channel as? EventChannel
        if let events, !events.hasBeginning { return findBeginning(of: events) }
        guard isReady else { return }
        sendFirst(channel.subscription) { [weak self, name = channel.name] code, message in
            self?.assumeIsolated { $0.subscriptionIsRefused(of: name, code, message) }
        }
        events?.didSubscribe()
    }

    func end(_ name: String) { channels.removeValue(forKey: name)?.finish() }

    func eventChannel(of session: String) -> EventChannel? { channels[EventChannel.prefix + session] as? EventChannel }

    private func findBeginning(of channel: EventChannel) {
        guard !channel.isPositioning else { return }
        channel.isPositioning = true
        Task {
            var found = await beginning(of: channel.session)
            // Until the daemon replies, the session's requests wait: what they cause belongs to the subscription.
            while found == nil, channels[channel.name] === channel {
                try? await Task.sleep(for: Self.pause)
                found = await beginning(of: channel.session)
            }
            if let found { subscribe(to: channel, from: found) }
        }
    }

    private func subscribe(to channel: EventChannel, from beginning: EventChannel.Beginning) {
        channel.isPositioning = false
        // Meanwhile its readers may have left, and others have come.
        if channels[channel.name] === channel {
            if case .elsewhere(let message) = beginning {
                subscriptionIsRefused(of: channel.name, .moved, message)
            } else {
                channel.begin(beginning)
                subscribe(to: channel)
            }
        }
        sendRequests()
    }

    /// Where a subscription begins that is made now; nil if the daemon does not reply, or cannot at the moment.
    private func beginning(of session: String) async -> EventChannel.Beginning? {
        do {
            let state = try await urgentReply(to: ["STATE", session])
            // An entry repeats only while it is one of the newest 16.
            let entries = try await urgentReply(to: ["HISTORY", session, "COUNT", "16"]).elements
            let last = entries.compactMap { $0["last_seq"]?.integer ?? $0["seq"]?.integer }.max() ?? 0
            return state["life"]?.integer.map { .entry($0, last) } ?? .unknown
        } catch GamedError.refused(let refused) where !refused.code.maySubside {
            return switch refused.code {
            case .moved: .elsewhere(refused.message)
            case .noSession: .creation
            default: .unknown
            }
        } catch {
            return nil
        }
    }

    /// The reply of this client's own daemon.
    private func urgentReply(to words: [String]) async throws -> Reply {
        let reply = try await reply(to: [words], true, isUrgent: true, wasSent: false).reply
        if case .error(let code, let message) = reply { throw Self.error(code, message) }
        return reply
    }

    private func leave(_ name: String, _ number: Int) {
        guard let channel = channels[name], channel.removeLast(number) else { return }
        channels[name] = nil
        if let relay = channel.relay { return relay.cancel() }
        guard isReady else { return }
        sendFirst(["UNSUBSCRIBE", name])
        // Those that have waited for the position.
        sendRequests()
    }

    /// `message`, the channel, and the text.
    func receive(_ parts: [Reply]) {
        guard parts.count == 3, let name = parts[1].text, let text = parts[2].text else { return }
        guard let channel = channels[name], !channel.show(text) else { return }
        // A session that is created later under that name gets a new subscription, which begins with a view.
        channels[name] = nil
        sendFirst(["UNSUBSCRIBE", name])
    }
}

// MARK: - The connection, for apps that show it

/// Whether a client is connected to its daemon.
public enum ConnectionState: Sendable, Equatable {
    /// It is connected.
    case connected
    /// It is not, for this reason; nil before the first attempt. While requests or subscriptions wait, the client tries again.
    case disconnected(because: String?)
}

extension Gamed {
    /// The state of the connection now, and each later one, until the client is closed. A slow reader gets the newest. In a cluster it is the
    /// connection to the node that the client was made for.
    public nonisolated var connectionStates: AsyncStream<ConnectionState> {
        let (stream, reader) = AsyncStream.makeStream(of: ConnectionState.self, bufferingPolicy: .bufferingNewest(1))
        arrive { client in
            guard !client.isClosed else { return reader.finish() }
            reader.yield(client.connectionState)
            client.stateReaders.add(reader, numbered: client.nextNumber())
        }
        return stream
    }
}

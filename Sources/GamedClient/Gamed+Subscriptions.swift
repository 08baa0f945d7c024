// Subscriptions of a client: the readers of sessions' views and events, and how they resume on the next connection.

import RESP

extension Gamed {
    /// A reader of the session's views from now on.
    nonisolated func views(of name: String) -> AsyncStream<SessionView> {
        let (stream, reader) = AsyncStream.makeStream(of: SessionView.self, bufferingPolicy: .bufferingNewest(1))
        arrive { $0.add(reader, toViewsOf: name) }
        return stream
    }

    /// A reader of the session's events from now on. One that is a thousand events behind loses the oldest.
    nonisolated func events(of name: String, since position: String? = nil) -> AsyncStream<SessionEvent> {
        let (stream, reader) = AsyncStream.makeStream(of: SessionEvent.self, bufferingPolicy: .bufferingNewest(1_000))
        arrive { $0.add(reader, toEventsOf: name, since: position) }
        return stream
    }

    private nonisolated func arrive(_ body: @escaping @Sendable (isolated Gamed) -> Void) {
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

    private func add(_ reader: AsyncStream<SessionView>.Continuation, toViewsOf name: String) {
        guard !isClosed else { return reader.finish() }
        let channel = viewChannels[name] ?? ViewChannel(name)
        channel.add(reader, nextNumber()) { number in Task { await self.leaveViews(of: name, number) } }
        if viewChannels.updateValue(channel, forKey: name) == nil { open { subscribe(to: channel) } }
    }

    private func add(
        _ reader: AsyncStream<SessionEvent>.Continuation, toEventsOf name: String, since position: String?
    ) {
        guard !isClosed else { return reader.finish() }
        let channel = eventChannels[name] ?? EventChannel(name, since: position)
        channel.readers.add(reader, numbered: nextNumber()) { number in Task { await self.leaveEvents(of: name, number) } }
        if eventChannels.updateValue(channel, forKey: name) == nil { open { subscribe(to: channel) } }
    }

    func open(_ subscribe: () -> Void) {
        if isReady { subscribe() } else { connect() }
    }

    /// Sends a request that comes before all that wait. It is not repeated: each connection begins with its own.
    private func sendFirst(_ words: [String], _ onRefusal: @escaping (ErrorCode, String) -> Void = { _, _ in }) {
        requests.appendSent(
            Request(nextNumber(), [words], isRepeatable: false) { result in
                if case .success(.error(let code, let message)) = result { onRefusal(code, message) }
            })
        wire?.send([words])
    }

    func subscribe(to channel: ViewChannel) {
        let name = channel.session
        guard !followViews(of: channel), isReady else { return }
        sendFirst(["SUBSCRIBE", channel.name]) { [weak self] code, message in
            self?.assumeIsolated { gamed in
                gamed.subscriptionIsRefused(of: name, code, message) { gamed in
                    if let channel = gamed.viewChannels[name] { gamed.subscribe(to: channel) }
                } end: {
                    gamed.endViews(of: name)
                }
            }
        }
    }

    func endViews(of name: String) { viewChannels.removeValue(forKey: name)?.readers.finish() }

    func endEvents(of name: String) { eventChannels.removeValue(forKey: name)?.readers.finish() }

    func subscribe(to channel: EventChannel) {
        let name = channel.session
        guard !followEvents(of: channel), isReady else { return }
        sendFirst(["SUBSCRIBE", channel.name] + (channel.position.map { ["SINCE", $0] } ?? [])) { [weak self] code, message in
            self?.assumeIsolated { gamed in
                gamed.subscriptionIsRefused(of: name, code, message) { gamed in
                    if let channel = gamed.eventChannels[name] { gamed.subscribe(to: channel) }
                } end: {
                    gamed.endEvents(of: name)
                }
            }
        }
        guard channel.position == nil, !channel.isPositioning else { return }
        channel.isPositioning = true
        Task { await findPosition(of: name) }
    }

    /// Finds where a new subscription resumes after a lost connection, if nothing happens to the session before.
    private func findPosition(of name: String) async {
        if let life = try? await ask(["STATE", name], isRepeatable: true, isUrgent: true)["life"]?.integer,
            case .array(let entries)? = try? await ask(["HISTORY", name, "COUNT", "1"], isRepeatable: true, isUrgent: true)
        {
            let last = entries.first?["last_seq"]?.integer ?? entries.first?["seq"]?.integer ?? 0
            eventChannels[name]?.begin(at: life, last)
        }
        eventChannels[name]?.isPositioning = false
        sendRequests()
    }

    private func leaveViews(of name: String, _ number: Int) {
        guard let channel = viewChannels[name], channel.readers.remove(number), channel.readers.isEmpty else { return }
        viewChannels[name] = nil
        if let relay = channel.relay { return relay.cancel() }
        if isReady { sendFirst(["UNSUBSCRIBE", channel.name]) }
    }

    private func leaveEvents(of name: String, _ number: Int) {
        guard let channel = eventChannels[name], channel.readers.remove(number), channel.readers.isEmpty else { return }
        eventChannels[name] = nil
        if let relay = channel.relay { return relay.cancel() }
        if isReady { sendFirst(["UNSUBSCRIBE", channel.name]) }
    }

    /// `message`, the channel, and the text.
    func receive(_ parts: [Reply]) {
        guard parts.count == 3, let channel = parts[1].text, let text = parts[2].text else { return }
        if let views = viewChannels[channel.dropped("view:")], channel.hasPrefix("view:") {
            guard !views.show(text) else { return }
            // A session that is created later under that name gets a new subscription, which begins with a view.
            viewChannels[views.session] = nil
            sendFirst(["UNSUBSCRIBE", channel])
        } else if let events = eventChannels[channel.dropped("session:")] {
            events.show(text)
        }
    }
}

extension String {
    func dropped(_ prefix: String) -> String { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self }
}

extension Reply {
    fileprivate var integer: Int? { if case .integer(let number) = self { number } else { nil } }
}

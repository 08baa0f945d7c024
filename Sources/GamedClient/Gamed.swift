// A client of gamed: one connection, made when it is first needed and again after it was lost.

import Client
import GameFlow
import Posix
import RESP
import Synchronization
import Texts

/// A daemon, for a program that plays with it.
///
///     let room = try await Gamed().session("room-7")
///     for await view in room.views { … }
///     try await room.send("chooseEpisode", 3)
///
/// One connection serves all requests and subscriptions. After it was lost, subscriptions resume where they were, and events whose replies were missing
/// are sent again with their ids, so that none is lost or taken twice.
public actor Gamed {
    /// How long a request waits for a connection and its reply.
    public let patience: Duration

    private let address: ServerAddress
    private let token: String?
    private var wire: Wire?
    /// Whether the daemon has greeted this connection.
    private var isReady = false
    private var isClosed = false
    private var following: Task<Void, Never>?
    /// In the order in which they were, or will be, sent.
    private var requests: [Request] = []
    private var lastNumber = 0
    private var lastFault = ""
    private var failures = 0
    private var viewChannels: [String: ViewChannel] = [:]
    private var eventChannels: [String: EventChannel] = [:]

    /// The daemon at a UNIX socket. By default the one that GAMED_SOCKET names, or else the usual one.
    public init(unix path: String? = nil, token: String? = nil, patience: Duration = .seconds(10)) {
        let path = path ?? environmentVariable("GAMED_SOCKET") ?? DefaultPaths.socketForClients
        (address, self.token, self.patience) = (.socket(path), token, patience)
    }

    /// The daemon at a TCP port, with a token. The connection is not encrypted.
    public init(host: String, port: UInt16, token: String? = nil, patience: Duration = .seconds(10)) throws(GamedError) {
        let isIPv6 = host.contains(":")
        do throws(ControlError) {
            address = try ServerAddress(hostAndPort: isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)")
        } catch {
            throw .unavailable(error.sentence)
        }
        (self.token, self.patience) = (token, patience)
    }

    deinit {
        following?.cancel()
        wire?.close()
    }

    /// Ends the connection. Requests that wait fail, and subscriptions end.
    public func close() {
        isClosed = true
        wire?.close()
        following?.cancel()
        failAll(GamedError.unavailable("the client is closed"))
        endSubscriptions()
    }

    private func endSubscriptions() {
        for channel in viewChannels.values { channel.readers.finish() }
        for channel in eventChannels.values { channel.readers.finish() }
        (viewChannels, eventChannels) = ([:], [:])
    }

    // MARK: Sessions

    /// A session that exists. Throws NOSESSION if it does not.
    public func session(_ name: String) async throws -> GamedSession {
        let session = GamedSession(name: name, of: self)
        _ = try await session.view()
        return session
    }

    /// Creates a session; `beginning` may have its `context`, `state` and `data`. Throws EXISTS if there is one of that name.
    public func create(_ name: String, flow: String, _ beginning: some Encodable & Sendable = JSON.null) async throws
        -> GamedSession
    {
        let json = try Self.encoded(beginning)
        _ = try await ask(["NEW", name, flow] + (json == .null ? [] : [json.description]))
        return GamedSession(name: name, of: self)
    }

    /// The names of the flows that the daemon hosts.
    public func flows() async throws -> [String] {
        guard case .array(let names) = try await ask(["FLOWS"], isRepeatable: true) else { return [] }
        return names.compactMap(\.text)
    }

    static func encoded(_ value: some Encodable) throws(GamedError) -> JSON {
        do {
            return try (value as? JSON) ?? JSON(encoding: value)
        } catch {
            throw .unreadable("the payload cannot be encoded: \(error)")
        }
    }

    // MARK: Requests

    /// Sends a request and waits for its reply. Throws where that is an error.
    func ask(_ words: [String], isRepeatable: Bool = false) async throws -> Reply {
        admitArrivals()
        // Until a subscription has its position, a lost connection could lose what this request causes.
        if words.count > 1 { await eventChannels[words[1]]?.positioning?.value }
        return try await askNow(words, isRepeatable: isRepeatable)
    }

    private func askNow(_ words: [String], isRepeatable: Bool) async throws -> Reply {
        let end = ContinuousClock.now + patience
        while true {
            let reply = try await reply(to: words, isRepeatable: isRepeatable)
            guard case .error(let code, let message) = reply else { return reply }
            // Nothing has happened, and soon it can.
            guard Self.passing.contains(code), ContinuousClock.now < end else { throw Self.error(code, message) }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private static let passing: Set<ErrorCode> = [.loading, .tryAgain, .clusterDown]

    private static func error(_ code: ErrorCode, _ message: String) -> GamedError {
        code == .unknown
            ? .unknownOutcome(message) : .refused(GamedError.Refused(code: code, message: message, accepted: []))
    }

    private func reply(to words: [String], isRepeatable: Bool) async throws -> Reply {
        lastNumber += 1
        let number = lastNumber
        let timeout = Task { [patience] in
            try await Task.sleep(for: patience)
            self.expire(number)
        }
        defer { timeout.cancel() }
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                add(Request(number, words, isRepeatable: isRepeatable, continuation))
            }
        } onCancel: {
            Task { await self.cancel(number) }
        }
    }

    private func add(_ request: Request) {
        guard !isClosed else {
            return request.complete(with: .failure(GamedError.unavailable("the client is closed")))
        }
        requests.append(request)
        if isReady { send([request]) } else { connect() }
    }

    private func send(_ unsent: [Request]) {
        guard !unsent.isEmpty else { return }
        for request in unsent { request.isSent = true }
        wire?.send(unsent.map(\.words))
    }

    /// An unsent request is removed. The reply to a sent one is ignored.
    private func cancel(_ number: Int) { end(number, with: CancellationError()) }

    private func expire(_ number: Int) {
        guard let request = requests.first(where: { $0.number == number }) else { return }
        let reason = lastFault.isEmpty ? "the daemon did not reply within \(patience.written)" : lastFault
        end(number, with: request.isSent ? GamedError.unknownOutcome(reason) : GamedError.unavailable(reason))
    }

    private func end(_ number: Int, with error: any Error) {
        guard let place = requests.firstIndex(where: { $0.number == number }) else { return }
        requests[place].complete(with: .failure(error))
        if !requests[place].isSent { requests.remove(at: place) }
    }

    private func failAll(_ error: GamedError) {
        for request in requests { request.complete(with: .failure(error)) }
        requests = []
    }

    // MARK: The connection

    private func connect() {
        guard wire == nil, !isClosed else { return }
        let (events, continuation) = AsyncStream.makeStream(of: Wire.Event.self)
        let wire = Wire(to: address, continuation)
        self.wire = wire
        following = Task { [weak self] in
            for await event in events { await self?.handle(event, of: wire) }
        }
    }

    private func handle(_ event: Wire.Event, of wire: Wire) {
        guard wire === self.wire else { return }
        switch event {
        case .connected: greet(wire)
        case .reply(.push(let parts)): receive(parts)
        case .reply(let reply): isReady ? answer(reply) : greeted(reply)
        case .closed(let reason): lose(reason)
        }
    }

    private func greet(_ wire: Wire) {
        wire.send((token.map { [["AUTH", $0]] } ?? []) + [["HELLO", "3", "SETNAME", "GamedClient"]])
    }

    /// A map is the reply to HELLO; before it comes the reply to AUTH. A daemon that asks for no token answers that with an error.
    private func greeted(_ reply: Reply) {
        switch reply {
        case .map: begin()
        case .error(let code, let message) where code == .wrongToken || code == .notAuthenticated:
            failAll(.refused(GamedError.Refused(code: code, message: message, accepted: [])))
            endSubscriptions()
            wire?.close()
        default: break
        }
    }

    /// Subscribes again, and sends what was not answered.
    private func begin() {
        (isReady, failures, lastFault) = (true, 0, "")
        for channel in viewChannels.values { subscribe(to: channel) }
        for channel in eventChannels.values { subscribe(to: channel) }
        send(requests)
    }

    private func answer(_ reply: Reply) {
        guard !requests.isEmpty else { return }
        requests.removeFirst().complete(with: .success(reply))
    }

    /// Requests that can be repeated wait for the next connection. Others may or may not have been handled.
    private func lose(_ reason: String) {
        (wire, isReady, lastFault) = (nil, false, reason)
        failures += 1
        requests.removeAll { request in
            if !request.isAwaited { return true }
            if request.isSent, !request.isRepeatable {
                request.complete(with: .failure(GamedError.unknownOutcome(reason)))
                return true
            }
            return false
        }
        guard !requests.isEmpty || !viewChannels.isEmpty || !eventChannels.isEmpty else { return }
        let pause = Duration.milliseconds(min(2_000, 5 << min(failures, 9)))
        following = Task { [weak self] in
            try? await Task.sleep(for: pause)
            await self?.connect()
        }
    }

    // MARK: Subscriptions

    /// Subscriptions that were asked for, in order. They come before every later request.
    private let arrivals = Mutex<[@Sendable (isolated Gamed) -> Void]>([])

    /// A reader of the session's views from now on.
    nonisolated func views(of name: String) -> AsyncStream<SessionView> {
        let (stream, reader) = AsyncStream.makeStream(of: SessionView.self, bufferingPolicy: .bufferingNewest(1))
        arrive { $0.add(reader, toViewsOf: name) }
        return stream
    }

    /// A reader of the session's events from now on. One that is a thousand events behind loses the oldest.
    nonisolated func events(of name: String) -> AsyncStream<SessionEvent> {
        let (stream, reader) = AsyncStream.makeStream(of: SessionEvent.self, bufferingPolicy: .bufferingNewest(1_000))
        arrive { $0.add(reader, toEventsOf: name) }
        return stream
    }

    private nonisolated func arrive(_ body: @escaping @Sendable (isolated Gamed) -> Void) {
        arrivals.withLock { $0.append(body) }
        Task { await self.admitArrivals() }
    }

    private func admitArrivals() {
        let bodies = arrivals.withLock { bodies in
            defer { bodies = [] }
            return bodies
        }
        for body in bodies { body(self) }
    }

    private func add(_ reader: AsyncStream<SessionView>.Continuation, toViewsOf name: String) {
        guard !isClosed else { return reader.finish() }
        let channel = viewChannels[name] ?? ViewChannel(name)
        channel.add(reader) { [weak self] number in Task { await self?.leaveViews(of: name, number) } }
        if viewChannels.updateValue(channel, forKey: name) == nil { open { subscribe(to: channel) } }
    }

    private func add(_ reader: AsyncStream<SessionEvent>.Continuation, toEventsOf name: String) {
        guard !isClosed else { return reader.finish() }
        let channel = eventChannels[name] ?? EventChannel(name)
        channel.readers.add(reader) { [weak self] number in Task { await self?.leaveEvents(of: name, number) } }
        guard eventChannels.updateValue(channel, forKey: name) == nil else { return }
        open { subscribe(to: channel) }
        channel.positioning = Task { [weak self] in await self?.findPosition(of: name) }
    }

    private func open(_ subscribe: () -> Void) {
        if isReady { subscribe() } else { connect() }
    }

    private func subscribe(to channel: ViewChannel) { wire?.send([["SUBSCRIBE", channel.name]]) }

    private func subscribe(to channel: EventChannel) {
        wire?.send([["SUBSCRIBE", channel.name] + (channel.position.map { ["SINCE", $0] } ?? [])])
    }

    /// Finds where a new subscription resumes after a lost connection, if nothing happens to the session before.
    private func findPosition(of name: String) async {
        guard let life = try? await askNow(["STATE", name], isRepeatable: true)["life"]?.integer,
            case .array(let entries)? = try? await askNow(["HISTORY", name, "COUNT", "1"], isRepeatable: true)
        else { return }
        let last = entries.first?["last_seq"]?.integer ?? entries.first?["seq"]?.integer ?? 0
        eventChannels[name]?.begin(at: life, last)
    }

    private func leaveViews(of name: String, _ number: Int) {
        guard let channel = viewChannels[name] else { return }
        channel.readers.remove(number)
        guard channel.readers.isEmpty else { return }
        viewChannels[name] = nil
        if isReady { wire?.send([["UNSUBSCRIBE", channel.name]]) }
    }

    private func leaveEvents(of name: String, _ number: Int) {
        guard let channel = eventChannels[name] else { return }
        channel.readers.remove(number)
        guard channel.readers.isEmpty else { return }
        eventChannels[name] = nil
        if isReady { wire?.send([["UNSUBSCRIBE", channel.name]]) }
    }

    /// `message`, the channel, and the text.
    private func receive(_ parts: [Reply]) {
        guard parts.count == 3, parts[0].text == "message", let channel = parts[1].text, let text = parts[2].text else {
            return
        }
        if let views = viewChannels[channel.dropped("view:")], channel.hasPrefix("view:") {
            if !views.show(text) { viewChannels[views.session] = nil }
        } else if let events = eventChannels[channel.dropped("session:")] {
            events.show(text)
        }
    }
}

extension String {
    fileprivate func dropped(_ prefix: String) -> String { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self }
}

extension Reply {
    fileprivate var integer: Int? { if case .integer(let number) = self { number } else { nil } }
}

// A client of gamed: one connection, made when it is first needed and again after it was lost.

import Client
import GameFlow
import Posix
import RESP
import Synchronization
import TLS

// Payloads and data are JSON, and a refusal has a code: programs get both without another import.
@_exported import JSON
@_exported import struct Texts.ErrorCode

/// TLS for a client: the daemon's certificate must be made out to the host that the client connects to.
public struct GamedTLS: Sendable {
    let files: TLSFiles

    /// Trusts the certificates of the authorities in this PEM file; without one, those of this machine. A daemon with `--tls-client-ca` asks for a
    /// certificate and its key, in PEM files, too.
    public init(authority: String? = nil, certificate: String? = nil, key: String? = nil) {
        files = TLSFiles(certificate: certificate, key: key, authority: authority)
    }
}

/// A daemon, for a program that plays with it.
///
///     let room = try await Gamed().session("room-7")
///     for await view in room.views { … }
///     try await room.send("chooseEpisode", 3)
///
/// One connection serves all requests and subscriptions; in a cluster, one to each node that has sessions of the program. After a connection was lost, subscriptions resume where they were, and unanswered events are sent again with
/// the same ids, so that each is accepted at most once.
public actor Gamed {
    /// Where events come from. Sources other than `network` need the role `orchestrator` or `master`, which clients of the local user have.
    public enum Source: String, Sendable {
        /// A person at a user interface.
        case ui
        /// A client of the network: the default.
        case network
        /// A master, or another program that does the work of a state.
        case orchestrator
    }

    /// The time limit for each attempt of a request, connecting included.
    public let timeout: Duration

    let address: ServerAddress
    let token: String?
    let source: Source
    let tls: TLSFiles?
    /// In a cluster: where sessions are that another node has. A client of one node alone has none.
    var nodes: ClusterNodes?
    private(set) var wire: Wire?
    /// Whether the daemon has greeted this connection.
    private(set) var isReady = false
    private(set) var isClosed = false
    private var following: Task<Void, Never>?
    /// Waits for the first deadline of the requests.
    private var expiring: Task<Void, Never>?
    var requests = RequestQueue()
    private var lastNumber = 0
    private var lastFault = ""
    /// What apps see of the connection.
    private(set) var connectionState = ConnectionState.disconnected(because: nil) {
        didSet { if connectionState != oldValue { stateReaders.yield(connectionState) } }
    }
    let stateReaders = StreamReaders<ConnectionState>()
    /// An error in place of the greeting, after which the daemon may close the connection.
    private var greetingFault: String?
    private var failures = 0
    /// By their names.
    var channels: [String: any Channel] = [:]
    /// Those that this node refuses, until the client that relays to this one has taken note.
    var refused: Set<String> = []
    /// Subscriptions that were asked for, in order. They come before every later request.
    let arrivals = Mutex<[@Sendable (isolated Gamed) -> Void]>([])
    /// The number of the newest reader of a subscription.
    let lastReader = Mutex(0)

    /// The daemon at a UNIX socket. By default the one that GAMED_SOCKET names, else the user's if it exists, else the system's.
    public init(unix path: String? = nil, token: String? = nil, source: Source = .network, timeout: Duration = .seconds(10)) {
        let path = path ?? environmentVariable("GAMED_SOCKET") ?? DefaultPaths.socketForClients
        (address, self.token, self.source, tls) = (.socket(path), token, source, nil)
        self.timeout = min(timeout, Self.maxTimeout)
        nodes = ClusterNodes()
    }

    /// A hundred years: the clock has no instant for much more.
    private static let maxTimeout = Duration.seconds(3_155_760_000)

    /// A client of one node, which leaves it to its owner to follow a session elsewhere.
    init(ofNode address: ServerAddress, like other: Gamed) {
        (self.address, token, source, tls, timeout) = (address, other.token, other.source, other.tls, other.timeout)
        nodes = nil
    }

    /// The daemon at a TCP port, with a token. Without `tls` the connection is not encrypted.
    public init(
        host: String, port: UInt16, token: String? = nil, tls: GamedTLS? = nil, source: Source = .network,
        timeout: Duration = .seconds(10)
    ) throws(GamedError) {
        let isIPv6 = host.contains(":")
        guard let address = try? ServerAddress(hostAndPort: isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)") else {
            throw .unavailable(
                "'\(host)' with the port \(port) is not an address of a daemon; it takes a host's name or IP address, and a port above zero"
            )
        }
        (self.address, self.token, self.source, self.tls) = (address, token, source, tls?.files)
        self.timeout = min(timeout, Self.maxTimeout)
        nodes = ClusterNodes()
    }

    deinit {
        following?.cancel()
        expiring?.cancel()
        wire?.close()
    }

    /// Ends the connection. Requests that wait fail, and subscriptions end.
    public func close() {
        isClosed = true
        wire?.close()
        following?.cancel()
        requests.failAll { GamedError.unanswered($0, because: Self.isClosedReason) }
        endSubscriptions()
        stateReaders.finish()
        nodes?.closeAll()
    }

    private static let isClosedReason = "the client is closed"

    func endSubscriptions() {
        for channel in channels.values { channel.finish() }
        channels = [:]
    }

    // MARK: Sessions

    /// A session that exists. Throws NOSESSION if it does not.
    public func session(_ name: String) async throws -> GamedSession {
        let session = GamedSession(name: name, of: self)
        _ = try await session.view()
        return session
    }

    /// Creates a session, in its flow's initial state or in the named one. Throws EXISTS if there is one of that name, and `unknownOutcome` if the
    /// connection is lost before the reply.
    public func create(
        _ name: String, flow: String, startingIn state: String? = nil, data: JSON? = nil, context: JSON? = nil
    ) async throws -> GamedSession {
        let beginning = JSON.object(having: ["state": state.map { .string($0) }, "data": data, "context": context])
        _ = try await ask(["NEW", name, flow] + (beginning.members.isEmpty ? [] : [beginning.description]))
        return GamedSession(name: name, of: self)
    }

    /// The names of the flows that the daemon hosts.
    public func flows() async throws -> [String] {
        try await ask(["FLOWS"], isRepeatable: true).elements.compactMap(\.text)
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
        try await ask([words], isRepeatable: isRepeatable)
    }

    /// Sends several commands in one piece.
    func ask(_ commands: [[String]], isRepeatable: Bool) async throws -> Reply {
        admitArrivals()
        let end = ContinuousClock.now + timeout
        var (moves, wasSent) = (0, false)
        while true {
            let found = try await replyOfNode(to: commands, isRepeatable, wasSent: wasSent)
            guard let (code, message) = found.error else { return found.reply }
            wasSent = found.mayBeAccepted
            // Nothing has happened now, and soon or elsewhere it can.
            guard ContinuousClock.now < end else {
                let isPassing = code == .moved || Self.passes(code, wasSent)
                throw isPassing && wasSent ? GamedError.unknownOutcome(message) : Self.error(code, message)
            }
            if code == .moved, let session = commands.session, nodes?.recordMove(of: session, to: message, for: self) == true {
                moves += 1
                if moves > ClusterNodes.quickMoves { try await Task.sleep(for: .milliseconds(50)) }
            } else {
                guard Self.passes(code, wasSent) else { throw Self.error(code, message) }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// Whether an error passes by itself. If the request `wasSent` before without a reply, a busy session may be deciding about it.
    private static func passes(_ code: ErrorCode, _ wasSent: Bool) -> Bool {
        code.maySubside || code == .busy && wasSent
    }

    static func error(_ code: ErrorCode, _ message: String) -> GamedError {
        code == .unknown
            ? .unknownOutcome(message) : .refused(GamedError.Refusal(code: code, message: message, accepted: []))
    }

    /// The reply of this client's own daemon. `wasSent` is whether the request was sent before, without a reply.
    func reply(to commands: [[String]], _ isRepeatable: Bool, isUrgent: Bool = false, wasSent: Bool) async throws -> NodeReply {
        admitArrivals()
        let (number, deadline) = (nextNumber(), ContinuousClock.now + timeout)
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                add(
                    Request(
                        number, commands, isRepeatable: isRepeatable, isUrgent: isUrgent, wasSent: wasSent, until: deadline
                    ) { result in continuation.resume(with: result) })
            }
        } onCancel: {
            Task { await self.cancel(number) }
        }
    }

    private func cancel(_ number: Int) { requests.end(number) { _ in CancellationError() } }

    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private func add(_ request: Request) {
        guard !isClosed else {
            return request.complete(with: .failure(GamedError.unanswered(request.wasSent, because: Self.isClosedReason)))
        }
        requests.append(request)
        watchDeadlines()
        sendRequests()
    }

    /// Sends what may be sent now; connects first if there is no connection.
    func sendRequests() {
        guard isReady else { return connect() }
        // Until a subscription has its position, a lost connection could lose what a request causes.
        let next = requests.takeNext { request in
            request.session.map { eventChannel(of: $0)?.isPositioning == true } ?? false
        }
        if !next.isEmpty { wire?.send(next.flatMap(\.commands)) }
    }

    /// One task for all requests: they have the same time, so that a later one also has a later deadline.
    private func watchDeadlines() {
        guard expiring == nil, let deadline = requests.firstDeadline else { return }
        expiring = Task { [weak self] in
            try? await Task.sleep(until: deadline, clock: .continuous)
            await self?.expireRequests()
        }
    }

    private func expireRequests() {
        expiring = nil
        let reason = lastFault.isEmpty ? "the daemon did not reply within \(timeout.written)" : lastFault
        requests.endOverdue(at: .now) { GamedError.unanswered($0, because: reason) }
        watchDeadlines()
    }

    // MARK: The connection

    func connect() {
        guard wire == nil, !isClosed else { return }
        let (events, continuation) = AsyncStream.makeStream(of: Wire.Event.self)
        let wire = Wire(to: address, tls, continuation)
        self.wire = wire
        following = Task { [weak self] in
            for await event in events { await self?.handle(event, of: wire) }
        }
    }

    private func handle(_ event: Wire.Event, of wire: Wire) {
        guard wire === self.wire else { return }
        // A greeting alone proves little: a daemon may close the connection at each request.
        if isReady, case .reply = event { failures = 0 }
        switch event {
        case .connected: wire.send(greeting)
        // The replies to SUBSCRIBE and UNSUBSCRIBE are pushes.
        case .reply(.push(let parts)) where parts.first?.text == "message": receive(parts)
        // In a cluster, a session's subscribers are unsubscribed when it moves.
        case .reply(.push(let parts)) where !requests.awaitsPush(parts): losePlace(of: parts)
        case .reply(let reply): isReady ? answer(reply) : greeted(reply)
        case .closed(let reason, let isLasting): lose(reason, isLasting: isLasting)
        }
    }

    private var greeting: [[String]] {
        let login = token.map { [["AUTH", $0]] } ?? []
        let origin = source == .network ? [] : [["CLIENT", "SOURCE", source.rawValue]]
        return login + origin + [["HELLO", "3", "SETNAME", "GamedClient"]]
    }

    /// A map is the reply to HELLO; before it come those to AUTH and CLIENT. A daemon that asks for no token answers that with an error.
    private func greeted(_ reply: Reply) {
        switch reply {
        case .map: begin()
        case .error(let code, let message) where [.wrongToken, .notAuthenticated, .noPermission].contains(code):
            requests.failAll { wasSent in wasSent ? GamedError.unknownOutcome(message) : Self.error(code, message) }
            endSubscriptions()
            wire?.close()
        // The daemon can greet later: another connection is made.
        case .error(let code, let message):
            greetingFault = message
            if code != .generic { wire?.close() }
        default: break
        }
    }

    /// Subscribes again, and sends unanswered requests.
    private func begin() {
        (isReady, lastFault, greetingFault, connectionState) = (true, "", nil, .connected)
        for channel in channels.values where channel.relay == nil { subscribe(to: channel) }
        sendRequests()
    }

    private func answer(_ reply: Reply) {
        if let (request, reply) = requests.takeAnswered(by: reply) { request.complete(with: .success(reply)) }
        sendRequests()
    }

    private func lose(_ reason: String, isLasting: Bool) {
        (wire, isReady, lastFault) = (nil, false, greetingFault ?? reason)
        (greetingFault, connectionState) = (nil, .disconnected(because: lastFault))
        failures += 1
        requests.requeueSent(otherwise: GamedError.unknownOutcome(reason))
        if nodes == nil || isLasting {
            // The sessions of a lost node may be elsewhere: its owner sends repeatable requests again there.
            requests.failAll { GamedError.unanswered($0, because: lastFault) }
            return endSubscriptions()
        }
        guard !requests.isEmpty || !channels.isEmpty else { return }
        let pause = Duration.milliseconds(min(2_000, 5 << min(failures, 9)))
        following = Task { [weak self] in
            try? await Task.sleep(for: pause)
            await self?.connect()
        }
    }
}

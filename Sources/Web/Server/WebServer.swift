// The page and its API as a side that events come from: requests in, answers out at the end of the turn.

import Commands
import TLS
import EventLoop
import GameFlow
import HTTP
import Logging
import Memory
import Monitoring
import Posix
import RESP
import Simulation
import Sessions

package protocol WebServerDelegate: AnyObject {
    /// Called for each request over HTTP.
    func pageDidGetRequest()
}

package final class WebServer: GatedOutput, WebContext, StreamsDelegate, SandboxesDelegate {
    let host: Host
    let settings: WebSettings
    let loop: Loop
    let assets: Assets
    private(set) var logins: Logins
    let authenticator: RequestAuthenticator
    private(set) var streams: Streams
    let relay: Relay
    /// The key with which other nodes sign the requests that they forward.
    package let relayKey = randomSecret()
    let sandboxes = Sandboxes()
    private let answering = AnsweredRequests()
    private var server: HTTPServer?
    /// The same, for each turn.
    private var uncountedServer: Borrowed<HTTPServer>?
    private var held = ResponseGate()
    /// The same as `held.isHolding`: read in each turn, without a check of access to `held`.
    private var isHolding = false
    package weak var delegate: (any WebServerDelegate)?
    /// Requests that are answered in a later turn: of events that wait for a hook.
    private var waiting: [ObjectIdentifier: WebCall] = [:]
    package let address: String
    let metrics: MetricsText
    let health: Health

    /// `descriptor` listens at `address`.
    package init(
        listening descriptor: consuming Descriptor, at address: String, _ settings: WebSettings, of host: Host, on loop: Loop,
        certificate: ServerCertificate? = nil
    ) throws {
        (self.host, self.settings, self.loop, self.address) = (host, settings, loop, address)
        assets = Assets(folder: settings.pageFolder)
        logins = try Logins(file: settings.loginFile, of: host, on: loop)
        authenticator = RequestAuthenticator(
            settings, port: HostAndPort(address)?.port ?? 0, logins, host.access, RelaySigner(key: relayKey), host.log)
        relay = try Relay(of: host, on: loop)
        streams = try Streams(of: host, on: loop)
        (metrics, health) = (MetricsText(of: host), Health(of: host))
        server = HTTPServer(
            listening: descriptor, certificate: certificate, on: loop, log: host.log,
            displaced: { [unowned self] in displaced($0, $1) }
        ) { [unowned self] in handle($0) }
        uncountedServer = server.map { Borrowed($0) }
        sandboxes.delegate = self
        streams.delegate = self
        metrics.source = self
    }

    package func start() throws { try server?.start() }

    package func stop() {
        streams.stop()
        relay.stop()
        server?.stop()
        logins.finish()
    }

    /// The API's description, made once.
    private(set) lazy var description = OpenAPI.text(cookie: authenticator.cookieName)

    /// The address of the page. If the page requires a login, a link that logs in the first client that opens it.
    package var link: String { settings.isOpen ? home : "\(home)login?once=\(logins.newLink())" }

    /// The same without a login.
    package var home: String {
        "\(settings.isEncrypted ? "https" : "http")://\(settings.calledAs(address))/"
    }

    /// Whether it is served over TLS.
    package var isEncrypted: Bool { settings.isEncrypted }

    /// Sets the certificates shown to other nodes that ask for one.
    package func useClientCertificates(_ files: TLSFiles) { relay.certificates = files }

    package func revokeLogins() {
        logins.forgetTokens(but: host.access.tokens)
        streams.endRevokedStreams()
    }

    // MARK: Requests

    private func handle(_ request: HTTPRequest) {
        loop.charge(pieces: 4)
        delegate?.pageDidGetRequest()
        var visitor = Visitor(.stranger, actor: request.peer.machine)
        do throws(CommandError) {
            try dispatch(request, from: &visitor)
        } catch {
            fail(request, error.shown(to: visitor))
        }
    }

    private func dispatch(_ request: HTTPRequest, from visitor: inout Visitor) throws(CommandError) {
        let credentials = try authenticator.credentials(of: request, at: host.sharedMilliseconds)
        // The forwarding node has checked the origin of a forwarded request.
        if !credentials.isRelayed, let problem = authenticator.originProblem(of: request) {
            throw CommandError(.noPermission, problem)
        }
        let target = try target(of: request)
        let found = Route.matching(target.segments)
        guard !found.isEmpty else { throw .nothing(at: request) }
        let isHead = request.method == .head
        guard let route = found.first(where: { $0.method == (isHead ? .get : request.method) }) else {
            return refuseMethod(request, found.map(\.method.rawValue).joined(separator: ", "))
        }
        let parameters = route.parameters(in: target.segments)
        let isPublic = route.access == .open || route.path == "/metrics" && settings.hasOpenMetrics
        let authenticated = try authenticator.visitor(request, credentials, isPublic: isPublic)
        if authenticated == nil, credentials.isRelayed {
            throw CommandError(
                .noPermission, "unknown token; give all nodes of the cluster the same --token-file")
        }
        if let authenticated { visitor = authenticated }
        request.isKnown = authenticated != nil
        try charge(request, to: route, visitor, isRelayed: credentials.isRelayed)
        guard isPublic || authenticated != nil else { return refuseUnauthenticated(request, route, credentials) }
        if !isPublic { try check(visitor, route, parameters, request) }
        try route.check(bodyOf: request.body.count, host.limits)
        if route.needs.reach == .session, let name = parameters["name"] {
            if forward(request, about: name, of: visitor, isRelayed: credentials.isRelayed) { return }
            try host.checkOwner(of: ByteString(name))
        }
        let call = try WebCall(request, target, route, parameters, visitor, credentials, of: self)
        try route.run(call)
    }

    private func target(of request: HTTPRequest) throws(CommandError) -> HTTPTarget {
        guard request.target.utf8.first == UInt8(ascii: "/") else { throw .nothing(at: request) }
        guard let target = HTTPTarget(request.target) else {
            throw CommandError(.generic, "invalid address: two hexadecimal digits of UTF-8 must follow each %")
        }
        return target
    }

    /// Counts the request among those being answered. Throws if its token or address has its share of them.
    private func charge(
        _ request: HTTPRequest, to route: Route, _ visitor: Visitor, isRelayed: Bool
    ) throws(CommandError) {
        let consumer = route.isHealthCheck ? .privileged : Consumer(visitor, request.peer, isRelayed: isRelayed)
        try answering.shares.check(consumer, of: HTTPLimits.connections, host.limits)
        answering.shares.add(consumer)
        request.onEnd = { [answering] in answering.shares.remove(consumer) }
    }

    /// The indices of connections that make room.
    private func displaced(_ uses: [HTTPUse], _ excess: HTTPExcess) -> [Int] {
        // Few machines have most of the connections.
        var known: [String: Consumer] = [:]
        let entries = uses.map { use in
            let consumer = known[use.machine] ?? Consumer(.stranger, nil, machine: use.machine)
            known[use.machine] = consumer
            return (consumer: consumer, amount: use.amount)
        }
        let (bound, max, amount) =
            switch excess {
            case .connections(let count): (SharedBound.httpRequests, HTTPLimits.connections, count)
            case .bytes(let count): (SharedBound.clientBytes, host.limits.clientBytes, count)
            }
        var displacement = Displacement(entries, of: bound, max, host.limits)
        var (chosen, released) = ([Int](), 0)
        while released < amount, let index = displacement.pop() {
            chosen.append(index)
            released += entries[index].amount
        }
        return chosen
    }

    /// All sandboxes that are under way share a slice of each turn, which counts as work of that turn.
    package func sandboxesWait() {
        loop.schedule { [unowned self] in
            let before = sandboxes.used
            sandboxes.step()
            loop.charge(pieces: max(1, Int((sandboxes.used - before).wholeNanoseconds / 5_000)))
        }
    }

    /// Checks the requirements that each operation lists.
    private func check(
        _ visitor: Visitor, _ route: Route, _ parameters: [String: String], _ request: HTTPRequest
    ) throws(CommandError) {
        let action = "\(route.method.rawValue) \(route.path)"
        do throws(CommandError) {
            try visitor.grant.check(route.needs, for: action)
            if route.needs.reach == .session, let name = parameters["name"] {
                try visitor.grant.check(ByteString(name))
            }
        } catch {
            host.denials.record(error, to: visitor.actor, action, at: request.peer.name)
            throw error
        }
    }

    private func refuseMethod(_ request: HTTPRequest, _ methods: String) {
        let error = CommandError(.noMethod, "this path supports \(methods), not \(request.method.rawValue)")
        fail(request, error, [("Allow", methods)])
    }

    /// A browser that opens a page is asked to log in. A program gets an error message.
    private func refuseUnauthenticated(_ request: HTTPRequest, _ route: Route, _ credentials: Credentials) {
        if route.contentType == "text/html" {
            return answer(request, HTTPResponse(303, [("Location", "/login?to=\(request.target.escapedForQuery)")]))
        }
        let error = credentials.authenticationError
        host.denials.record(error, to: request.peer.machine, "a request that needs a token", at: request.peer.name)
        fail(request, error, [("WWW-Authenticate", "Bearer")])
    }

    // MARK: Answers

    func fail(_ request: HTTPRequest, _ error: CommandError, _ headers: [(name: String, value: String)] = []) {
        fail(request, error, headers, status: error.code.status)
    }

    private func fail(
        _ request: HTTPRequest, _ error: CommandError, _ headers: [(name: String, value: String)], status: Int
    ) {
        var members: [JSON.Member] = [.init("error", .string(error.code.text)), .init("message", .string(error.sentence))]
        if let facts = error.facts { members += facts.members }
        if error.code == .moved { members.append(.init("http", page(of: error).map { .string($0) } ?? .null)) }
        let waits = status == 503 || error.code == .quota ? [("Retry-After", "1")] : []
        answer(
            request,
            HTTPResponse(
                status, headers + waits + [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
                .text(JSON.object(members).description)))
    }

    /// Where the node serves HTTP that has the session; nil where it does not.
    private func page(of moved: CommandError) -> String? {
        moved.movedSlot.flatMap { host.cluster?.other(ofSlot: $0)?.endpoint?.url }
    }

    func answer(_ request: HTTPRequest, _ response: HTTPResponse) {
        guard !request.isGone else { return }
        var response = response
        response.headers += Security.headers(for: response)
        hold(.answer(request, response))
        if !loop.isUnderWay { loop.schedule {} }
    }

    func send(_ text: ArraySlice<UInt8>, to stream: HTTPStream) { hold(.part(stream, text)) }

    private func hold(_ output: ResponseGate.Output) {
        held.add(output)
        isHolding = true
    }

    func beginStream(_ request: HTTPRequest, _ headers: [(name: String, value: String)]) -> HTTPStream? {
        server?.beginStream(request, headers + Security.ofDocuments)
    }

    // MARK: The end of a turn

    /// Streams are written last. Clients of sockets hold `socketBytes`; returns the bytes that clients hold here, without those of streams.
    package func endTurn(besides socketBytes: @autoclosure () -> Int) -> Int {
        streams.endTurn()
        sandboxes.endTurn()
        return uncountedServer?.with { $0.endTurn(maxBytes: host.limits.clientBytes(besides: socketBytes())) } ?? 0
    }

    package func releaseOutput(awaiting batch: UInt64?) {
        guard isHolding else { return }
        held.release(awaiting: batch)
        isHolding = held.isHolding
    }

    package func releaseHeld(through safe: UInt64) {
        guard isHolding else { return }
        held.release(through: safe)
        isHolding = held.isHolding
    }

    /// Whether requests have no answer yet, or one that may not leave yet.
    package var isAnswering: Bool { isHolding || !waiting.isEmpty || relay.isAsking }

    func setWaiting(_ call: WebCall, to: Bool) { waiting[ObjectIdentifier(call)] = to ? call : nil }

    func isWaiting(_ call: WebCall) -> Bool { waiting[ObjectIdentifier(call)] != nil }

    package func answerWaiting(_ error: CommandError) {
        for call in Array(waiting.values) { call.abandon(error) }
        relay.abortAll(because: "this node is stopping")
    }

    /// A stream whose message waits ends, and continues from its position.
    package func retractHeld(_ error: CommandError, safeThrough: UInt64, keepingMessages _: Bool) {
        held.release(through: safeThrough)
        // The errors leave with this turn's other output.
        for request in held.retract() {
            // A read can be repeated at once. A change's outcome is unknown.
            if request.method == .get || request.method == .head {
                fail(request, error.code == .unknown ? CommandError(.tryAgain, error.sentence) : error)
            } else {
                fail(request, error, [], status: ErrorCode.unknown.status)
            }
        }
        isHolding = held.isHolding
    }
}

/// Requests being answered, streams among them. A separate class, since a request may end after the server.
private final class AnsweredRequests {
    var shares = ShareCount(.httpRequests)
}

extension WebServer: LoginPage {}

extension WebServer: MetricsSource {
    package func write(to writer: inout MetricsWriter) {
        let connections = server?.connectionCount ?? 0
        writer.metric("gamed_http_connections", .gauge, "Open connections to the page and its API.", connections)
        writer.metric("gamed_http_streams", .gauge, "Open event streams.", streams.readerCount)
        guard host.cluster != nil else { return }
        relay.write(to: &writer)
    }
}

extension CommandError {
    fileprivate static func nothing(at request: HTTPRequest) -> CommandError {
        CommandError(.noPage, "there is nothing at \(request.target.shortened)")
    }
}

extension RefusedEventFacts {
    fileprivate var members: [JSON.Member] {
        [
            .init("accepted", accepted.map { .array($0.map { .string($0) }) } ?? .null),
            .init("timer", timer.map { .string($0) } ?? .null),
        ]
    }
}

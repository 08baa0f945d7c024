// Requests that other nodes answer: passed on once, and their answers passed back. The loop never waits for them.

import Cluster
import Commands
import TLS
import EventLoop
import HTTP
import Monitoring
import Posix
import RESP
import Texts

final class Relay {
    struct Answer {
        let head: AnswerHead
        let body: [UInt8]
    }

    private static let maxRequests = 512
    private static let maxStreams = 1_024
    private static let maxBytes = 8 << 20
    private static let maxTotalBytes = 64 << 20

    private unowned let host: Host
    private let loop: Loop
    private let names: NameLookup
    private var requests: [ObjectIdentifier: RelayedRequest] = [:]
    private var requestShares = ShareCount(.relayedRequests)
    private var streamShares = ShareCount(.relayedStreams)
    private var looking: Delay?
    /// Bytes of answers that have not come whole.
    private var held = 0
    /// Made with the first request to a node that speaks TLS.
    private var context: TLSContext?
    /// The certificates shown to other nodes that ask for one.
    var certificates = TLSFiles() { didSet { context = nil } }
    private(set) var requestCount = 0
    private(set) var failureCount = 0

    init(of host: Host, on loop: Loop) throws(LoopFailure) {
        (self.host, self.loop) = (host, loop)
        names = try NameLookup(on: loop)
        looking = try Delay(on: loop) { [unowned self] in cancelStale() }
    }

    func stop() {
        for waiting in requests.values { waiting.exchange.cancel() }
        (requests, looking) = ([:], nil)
    }

    var isAsking: Bool { !requests.isEmpty }

    func abortAll(because reason: String) {
        for waiting in Array(requests.values) { waiting.exchange.abort(because: reason) }
    }

    private static let lookMilliseconds = 500

    /// Cancels requests to a node that others have ended because it was frozen or cut off. Such a node does nothing more.
    private func cancelStale() {
        let names = Set(host.cluster?.others.map(\.name) ?? [])
        for waiting in Array(requests.values) where !names.contains(waiting.node.name) {
            waiting.exchange.abort(because: "it is no longer a node of the cluster")
        }
        if !requests.isEmpty { looking?.start(milliseconds: Self.lookMilliseconds) }
    }

    // MARK: Requests

    /// Sends a request to a node on behalf of a client. The result can be cancelled; it is nil if `then` was called already.
    @discardableResult
    func ask(
        _ node: RemoteNode, _ method: String, _ target: String, _ body: [UInt8] = [], type: String? = nil, id: String? = nil,
        for bearer: VisitorIdentity, _ consumer: Consumer, _ then: @escaping (Result<Answer, CommandError>) -> Void
    ) -> RelayedRequest? {
        do throws(CommandError) {
            guard node.endpoint != nil else {
                throw CommandError(.clusterDown, "cannot forward to the node \(node.place): \(CommandError.noDoor.sentence)")
            }
            try requestShares.check(consumer, of: Self.maxRequests, host.limits)
            guard held < Self.maxTotalBytes else {
                throw CommandError(
                    .limit, "limit of \(Self.maxTotalBytes) bytes of responses of other nodes reached; try again later")
            }
            let exchange = try exchange(node, asking(node, method, target, body, type, id, bearer))
            return begin(RelayedRequest(exchange, to: node, isRead: method == "GET", for: consumer, of: self, then))
        } catch {
            then(.failure(error))
            return nil
        }
    }

    private func asking(
        _ node: RemoteNode, _ method: String, _ target: String, _ body: [UInt8], _ type: String?, _ id: String?,
        _ bearer: VisitorIdentity
    ) -> HTTPClientRequest {
        let pass = RelaySigner(key: node.endpoint?.key ?? "").write(
            bearer, at: host.sharedMilliseconds, method, target, body, id: id)
        let headers =
            [(name: RelaySigner.header, value: pass)] + (type.map { [("Content-Type", $0)] } ?? [])
            + (id.map { [(RelaySigner.idHeader, $0)] } ?? [])
        return HTTPClientRequest(method, target, headers: headers, body: body)
    }

    private func begin(_ request: RelayedRequest) -> RelayedRequest {
        requests[ObjectIdentifier(request)] = request
        requestShares.add(request.consumer)
        if looking?.isRunning == false { looking?.start(milliseconds: Self.lookMilliseconds) }
        requestCount += 1
        request.exchange.delegate = request
        request.exchange.start(names)
        return request
    }

    /// Whether these bytes can be kept, beside those that have come before for this request and for others.
    fileprivate func hasRoom(_ bytes: Int, for body: Int) -> Bool {
        held += bytes
        return body <= Self.maxBytes && held <= Self.maxTotalBytes
    }

    /// Forgets the request. False if it was forgotten before.
    @discardableResult
    fileprivate func end(_ request: RelayedRequest, hasFailed: Bool = false) -> Bool {
        guard requests.removeValue(forKey: ObjectIdentifier(request)) != nil else { return false }
        requestShares.remove(request.consumer)
        held -= request.bodyCount
        if hasFailed { failureCount += 1 }
        return true
    }

    // MARK: Streams

    /// A stream of a node's, not begun yet. It counts until `endStream`.
    func stream(
        _ node: RemoteNode, _ target: String, for bearer: VisitorIdentity, _ consumer: Consumer, silence: Int
    ) throws(CommandError) -> HTTPExchange {
        try streamShares.check(consumer, of: Self.maxStreams, host.limits)
        var asking = asking(node, "GET", target, [], nil, nil, bearer)
        asking.isStream = true
        let exchange = try exchange(node, asking, silence: silence)
        streamShares.add(consumer)
        return exchange
    }

    func start(_ exchange: HTTPExchange) { exchange.start(names) }

    func endStream(of consumer: Consumer) { streamShares.remove(consumer) }

    // MARK: Figures

    func write(to writer: inout MetricsWriter) {
        writer.metric(
            "gamed_relayed_requests_total", .counter, "Requests forwarded to the nodes that own the sessions.", requestCount)
        writer.metric("gamed_relayed_requests_failed_total", .counter, "Forwarded requests without a response.", failureCount)
        writer.metric("gamed_relayed_streams", .gauge, "Forwarded streams of other nodes.", streamShares.total)
    }

    // MARK: Ways

    private func exchange(
        _ node: RemoteNode, _ asking: HTTPClientRequest, silence: Int = HTTPExchange.maxSilence
    ) throws(CommandError) -> HTTPExchange {
        guard let door = node.endpoint, let port = UInt16(exactly: door.address.port) else { throw .noDoor }
        let address = HostAndPort(host: door.address.host, port: port)
        do {
            if door.certificate != nil { context = try context ?? TLSContext.pinning(showing: certificates) }
            return try HTTPExchange(
                asking, to: address, certificate: door.certificate, context: context, silence: silence, on: loop)
        } catch {
            throw CommandError(.clusterDown, "cannot forward to \(address): \(error)")
        }
    }
}

/// One that waits for its answer.
final class RelayedRequest {
    let exchange: HTTPExchange
    let node: RemoteNode
    let consumer: Consumer
    /// Whether it changes nothing.
    private let isRead: Bool
    private unowned let relay: Relay
    private let then: (Result<Relay.Answer, CommandError>) -> Void
    private var head: AnswerHead?
    private var body: [UInt8] = []
    var bodyCount: Int { body.count }

    init(
        _ exchange: HTTPExchange, to node: RemoteNode, isRead: Bool, for consumer: Consumer, of relay: Relay,
        _ then: @escaping (Result<Relay.Answer, CommandError>) -> Void
    ) {
        (self.exchange, self.node, self.isRead) = (exchange, node, isRead)
        (self.consumer, self.relay, self.then) = (consumer, relay, then)
    }

    func cancel() {
        exchange.cancel()
        relay.end(self)
    }

    private func finish(_ result: Result<Relay.Answer, CommandError>) {
        let hasFailed = if case .failure = result { true } else { false }
        if relay.end(self, hasFailed: hasFailed) { then(result) }
    }
}

extension RelayedRequest: ExchangeDelegate {
    func exchange(_: HTTPExchange, didReceive head: AnswerHead) { self.head = head }

    func exchange(_ exchange: HTTPExchange, didReceive bytes: [UInt8]) {
        body += bytes
        guard !relay.hasRoom(bytes.count, for: body.count) else { return }
        exchange.cancel()
        let sentence = "the response of \(node.place) is too large to forward"
        finish(
            .failure(
                isRead
                    ? CommandError(.limit, "\(sentence); ask that node") : .notPassedOn(to: node, sentence, mayBeDone: true)))
    }

    func exchange(_: HTTPExchange, didEnd outcome: HTTPExchange.Outcome) {
        switch outcome {
        case .complete: if let head { finish(.success(Relay.Answer(head: head, body: body))) }
        case .failed(let reason, let wasSent):
            finish(.failure(.notPassedOn(to: node, reason, mayBeDone: wasSent && !isRead)))
        }
    }
}

extension CommandError {
    /// The error for a node with a page that no other node can reach.
    fileprivate static let noDoor = CommandError(
        .clusterDown, "it serves no HTTP that other nodes can reach; start it with --http HOST:PORT, or --advertise-http")

    /// `mayBeDone` if the outcome is unknown: the request was sent, and its answer is lost.
    fileprivate static func notPassedOn(to node: RemoteNode, _ reason: String, mayBeDone: Bool) -> CommandError {
        guard mayBeDone else {
            return CommandError(.clusterDown, "cannot forward to the node \(node.place): \(reason); nothing was done")
        }
        return CommandError(
            .unknown,
            "no response from the node \(node.place): \(reason); the request may or may not have been executed; check before you repeat it (\"if\", or the header Idempotency-Key, makes that safe)"
        )
    }
}

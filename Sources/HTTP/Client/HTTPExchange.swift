// One request to another node and its response, on the loop: a stream of libevent's. This class limits its time, and the delegate its size.

import CEvent
import EventLoop
import Glibc
import Posix
import TLS

/// Notified of what another node answers, until the exchange is cancelled.
package protocol ExchangeDelegate: AnyObject {
    func exchange(_ exchange: HTTPExchange, didReceive head: AnswerHead)
    func exchange(_ exchange: HTTPExchange, didReceive bytes: [UInt8])
    /// It is over, and nothing follows.
    func exchange(_ exchange: HTTPExchange, didEnd outcome: HTTPExchange.Outcome)
}

package final class HTTPExchange {
    package enum Outcome {
        case complete
        /// With a message. A request that was sent may have been carried out.
        case failed(String, wasSent: Bool)
    }

    private enum State {
        case lookingUp, connecting, waiting
        /// The head has arrived, and this many bytes of the body are missing; nil if the body ends with the connection.
        case reading(left: Int?)
        case over
    }

    private static let pieceBytes = 64 << 10
    private static let connectingMilliseconds = 3_000
    /// A node that is asked for no stream may take this many milliseconds.
    package static let maxSilence = 60_000

    private let asking: HTTPClientRequest
    private let address: HostAndPort
    /// The digest of the certificate that the node must show; nil for a connection in clear.
    private let certificate: String?
    private let context: TLSContext?
    /// The node may send nothing for this many milliseconds.
    private let silence: Int
    private let loop: Loop
    private var state = State.lookingUp
    private var addresses: [String] = []
    private var stream: OpaquePointer?
    private var deadline: Delay?
    private var isPaused = false
    /// The other side has sent all that it will.
    private var hasEnded = false
    private var head: [UInt8] = []

    package weak var delegate: (any ExchangeDelegate)?

    package init(
        _ asking: HTTPClientRequest, to address: HostAndPort, certificate: String?, context: TLSContext?,
        silence: Int, on loop: Loop
    ) throws(LoopFailure) {
        (self.asking, self.address, self.silence, self.loop) = (asking, address, silence, loop)
        (self.certificate, self.context) = (certificate, context)
        deadline = try Delay(on: loop) { [unowned self] in handleTimeout() }
    }

    deinit { release() }

    package func start(_ names: NameLookup) {
        deadline?.start(milliseconds: Self.connectingMilliseconds)
        names.find(address.host) { [weak self] addresses in self?.receive(addresses) }
    }

    /// Calls the delegate no longer.
    package func cancel() {
        state = .over
        release()
        delegate = nil
    }

    /// It ends as one that has failed.
    package func abort(because reason: String) { fail(reason) }

    private func release() {
        deadline?.stop()
        guard let stream else { return }
        self.stream = nil
        if certificate != nil { ServerCertificate.sendCloseNotify(stream) }
        bufferevent_setcb(stream, nil, nil, nil, nil)
        bufferevent_free(stream)
    }

    // MARK: Connecting

    private func receive(_ found: [String]) {
        guard case .lookingUp = state else { return }
        guard !found.isEmpty else { return fail("cannot resolve \(address.host)") }
        addresses = found
        connect()
    }

    private func connect() {
        (state, hasEnded) = (.connecting, false)
        release()
        deadline?.start(milliseconds: Self.connectingMilliseconds)
        guard let stream = newStream() else { return fail("cannot create a stream to \(address)") }
        self.stream = stream
        bufferevent_setcb(
            stream, { _, me in HTTPExchange.owner(me)?.handleReadable() }, nil,
            { _, what, me in HTTPExchange.owner(me)?.handleEvent(Int32(what)) },
            Unmanaged.passUnretained(self).toOpaque())
        // The address has been looked up already, so libevent does not block.
        let result = bufferevent_socket_connect_hostname(
            stream, nil, AF_UNSPEC, addresses.removeFirst(), Int32(address.port))
        if result != 0 { cannotConnect("cannot connect to \(address)") }
    }

    private func newStream() -> OpaquePointer? {
        let options = Int32(BEV_OPT_CLOSE_ON_FREE.rawValue | BEV_OPT_DEFER_CALLBACKS.rawValue)
        guard certificate != nil else { return bufferevent_socket_new(loop.base.handle, -1, options) }
        return context.flatMap { ServerCertificate.streamOfClient(with: $0, on: loop.base.handle, options) }
    }

    private static func owner(_ me: UnsafeMutableRawPointer?) -> HTTPExchange? {
        me.map { Unmanaged<HTTPExchange>.fromOpaque($0).takeUnretainedValue() }
    }

    private func cannotConnect(_ reason: String) {
        if addresses.isEmpty { fail(reason) } else { connect() }
    }

    private func handleConnect() {
        guard let stream else { return }
        if let certificate = certificate, certificate != ServerCertificate.digestShown(on: stream) {
            return fail("the server at \(address) has another certificate than the expected node")
        }
        state = .waiting
        deadline?.start(milliseconds: silence)
        asking.bytes(for: address).withUnsafeBytes { _ = bufferevent_write(stream, $0.baseAddress, $0.count) }
        bufferevent_enable(stream, Int16(EV_READ))
    }

    // MARK: Events

    private func handleEvent(_ what: Int32) {
        let code = errno
        loop.receive {
            if what & BEV_EVENT_CONNECTED != 0 { return handleConnect() }
            if what & BEV_EVENT_EOF != 0 {
                hasEnded = true
                return handleReadable()
            }
            switch state {
            case .lookingUp, .connecting: cannotConnect("\(address) does not answer: \(systemErrorText(code))")
            case .waiting, .reading: fail("\(address) closed the connection: \(systemErrorText(code))")
            case .over: break
            }
        }
    }

    private func handleTimeout() {
        switch state {
        case .connecting where !addresses.isEmpty: connect()
        case .lookingUp, .connecting: fail("\(address) has not answered within \(Self.connectingMilliseconds / 1_000) seconds")
        case .waiting, .reading: fail("\(address) has sent nothing for \(silence / 1_000) seconds")
        case .over: break
        }
    }

    private func fail(_ reason: String) {
        let wasSent =
            switch state {
            case .lookingUp, .connecting: false
            case .waiting, .reading, .over: true
            }
        finish(.failed(reason, wasSent: wasSent))
    }

    private func finish(_ outcome: Outcome) {
        if case .over = state { return }
        state = .over
        release()
        let delegate = delegate
        self.delegate = nil
        delegate?.exchange(self, didEnd: outcome)
    }

    // MARK: The answer

    /// Nothing more is read until it goes on.
    package func pause() {
        guard !isPaused else { return }
        isPaused = true
        deadline?.stop()
        if let stream { bufferevent_disable(stream, Int16(EV_READ)) }
    }

    package func resume() {
        guard isPaused else { return }
        isPaused = false
        switch state {
        case .waiting, .reading: deadline?.start(milliseconds: silence)
        case .lookingUp, .connecting, .over: break
        }
        if let stream, !hasEnded { bufferevent_enable(stream, Int16(EV_READ)) }
        handleReadable()
    }

    /// Passes the received bytes on, piece by piece, until the delegate pauses.
    private func handleReadable() {
        loop.receive {
            // This object must not be released meanwhile.
            withExtendedLifetime(self) { readAll() }
        }
    }

    private func readAll() {
        while !isPaused, let stream {
            let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { room, count in
                count = bufferevent_read(stream, room.baseAddress, room.count)
            }
            guard !piece.isEmpty else { return handleEndOfInput() }
            deadline?.start(milliseconds: silence)
            receive(piece)
        }
    }

    private func handleEndOfInput() {
        guard hasEnded else { return }
        switch state {
        case .reading(left: nil): finish(.complete)
        case .lookingUp, .connecting: cannotConnect("\(address) closed the connection")
        case .waiting, .reading: fail("\(address) closed the connection before the response was complete")
        case .over: break
        }
    }

    private func receive(_ bytes: [UInt8]) {
        switch state {
        case .waiting: takeHead(bytes)
        case .reading(let left): takeBody(bytes, left)
        case .lookingUp, .connecting, .over: break
        }
    }

    private func takeHead(_ bytes: [UInt8]) {
        head += bytes
        switch AnswerHead.read(head) {
        case .incomplete: return
        case .wrong: fail("the server at \(address) does not speak HTTP")
        case .head(let read, _) where read.isChunked: fail("\(address) sent an unsupported chunked response")
        case .head(let read, let length):
            let body = Array(head[length...])
            head = []
            state = .reading(left: asking.isStream && read.status == 200 ? nil : read.bodyLength)
            delegate?.exchange(self, didReceive: read)
            if case .reading(let left) = state { takeBody(body, left) }
        }
    }

    private func takeBody(_ bytes: [UInt8], _ left: Int?) {
        let rest = left.map { $0 - bytes.count }
        state = .reading(left: rest)
        if let rest, rest < 0 { return fail("\(address) sent more than it announced") }
        if !bytes.isEmpty { delegate?.exchange(self, didReceive: bytes) }
        if rest == 0 { finish(.complete) }
    }
}

// MARK: - A request to another node.

package struct HTTPClientRequest {
    package var method: String
    /// As it stands in the first line.
    package var target: String
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// The response continues until one side ends it.
    package var isStream = false

    package init(_ method: String, _ target: String, headers: [(name: String, value: String)], body: [UInt8]) {
        (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
    }

    /// The request in HTTP/1.0, which sends bodies unencoded. A stream ends with its connection. Other responses give their length if the connection
    /// may be kept.
    func bytes(for place: HostAndPort) -> [UInt8] {
        var text = "\(method) \(target) HTTP/1.0\r\nHost: \(place)\r\nConnection: \(isStream ? "close" : "keep-alive")\r\n"
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        if !body.isEmpty || method != "GET" { text += "Content-Length: \(body.count)\r\n" }
        return Array((text + "\r\n").utf8) + body
    }
}

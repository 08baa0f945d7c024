// libevent's HTTP server on the daemon's loop: requests in, answers out, within bounds.

import CEvent
import EventLoop
import Glibc
import Logging
import Posix
import Synchronization

package final class HTTPServer {
    package typealias Handler = (HTTPRequest) -> Void

    private let descriptor: Descriptor
    private let log: Log
    private let handle: Handler
    private let connections: HTTPConnections
    private unowned let loop: Loop
    private var server: OpaquePointer?
    private var listener: OpaquePointer?
    /// Requests and streams by their connection.
    private var requests: [OpaquePointer: HTTPRequest] = [:]
    private var streams: [OpaquePointer: HTTPStream] = [:]
    /// Connections of streams that have ended in this turn.
    private var endedStreams = 0
    /// Connections of streams that are not read until a later turn: many others have ended at the same time.
    private var unread: [OpaquePointer] = []
    private var sweeping: Delay?
    private var pause: Delay?
    /// Whether connections wait for the next turn to be accepted.
    private var hasLeftSome = false

    /// `descriptor` listens already. With a certificate it speaks TLS.
    /// `displaced` says which connections make room for others. See `HTTPConnections.Displaced`.
    package init(
        listening descriptor: consuming Descriptor, certificate: ServerCertificate?, on loop: Loop, log: Log,
        displaced: @escaping ([HTTPUse], HTTPExcess) -> [Int], handle: @escaping Handler
    ) {
        self.descriptor = descriptor
        self.loop = loop
        self.log = log
        self.handle = handle
        connections = HTTPConnections(certificate, displaced: displaced)
    }

    deinit { stop() }

    package var connectionCount: Int { connections.count }

    // MARK: Starting and stopping

    package func start() throws {
        sweeping = try Delay(on: loop) { [unowned self] in sweep() }
        pause = try Delay(on: loop) { [unowned self] in resume() }
        guard let server = evhttp_new(loop.base.handle) else { throw LoopFailure.cannotStart("out of memory") }
        self.server = server
        bound(server)
        evhttp_set_gencb(server, { request, me in if let request { HTTPServer.owner(me)?.handleRequest(request) } }, me)
        evhttp_set_bevcb(server, { base, me in base.flatMap { HTTPServer.owner(me)?.accept(on: $0) } }, me)
        listener = evconnlistener_new(loop.base.handle, nil, nil, UInt32(LEV_OPT_CLOSE_ON_EXEC), 0, descriptor.number)
        guard let listener, evhttp_bind_listener(server, listener) != nil else {
            throw LoopFailure.cannotWatch("the page's socket")
        }
        Self.register(me, listener)
        evconnlistener_set_error_cb(listener, Self.listenerHasFailed)
    }

    private var me: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func owner(_ me: UnsafeMutableRawPointer?) -> HTTPServer? {
        me.map { Unmanaged<HTTPServer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func bound(_ server: OpaquePointer) {
        evhttp_set_max_headers_size(server, HTTPLimits.headerBytes)
        evhttp_set_max_body_size(server, HTTPLimits.bodyBytes)
        evhttp_set_timeout(server, Int32(HTTPLimits.silenceSeconds))
        // Includes unknown methods, so that the handler answers them with JSON.
        evhttp_set_allowed_methods(server, .max)
    }

    /// Stops accepting, and ends open connections.
    package func stop() {
        guard let server else { return }
        self.server = nil
        (sweeping, pause) = (nil, nil)
        if let listener { Self.register(nil, listener) }
        for stream in streams.values { stream.end() }
        // Frees its listener and its connections, too, which tells their requests.
        evhttp_free(server)
        listener = nil
        connections.sweep()
    }

    // MARK: Connections

    private func accept(on base: OpaquePointer) -> OpaquePointer? {
        leaveTheRestIfTurnIsFull()
        if connections.isFull { makeRoom() }
        if !OpenDescriptors.areFreeForClients { waitABit(systemErrorText(EMFILE)) }
        if sweeping?.isRunning == false { sweeping?.start(milliseconds: Self.sweepMilliseconds) }
        return connections.add(on: base)
    }

    /// libevent accepts all connections that wait, in one go. At the turn's bound, this one is the last.
    private func leaveTheRestIfTurnIsFull() {
        loop.chargeWorkOfLibevent()
        guard loop.isBudgetExhausted, let listener else { return }
        evconnlistener_disable(listener)
        hasLeftSome = true
    }

    private func watchEnd(of connection: OpaquePointer) {
        evhttp_connection_set_closecb(
            connection, { connection, me in if let connection { HTTPServer.owner(me)?.forget(connection) } }, me)
    }

    private func acceptTheRest() {
        hasLeftSome = false
        if let listener, pause?.isRunning == false { evconnlistener_enable(listener) }
    }

    /// Disconnects the longest-idle client; if none is idle, pauses accepting.
    private func makeRoom() {
        connections.sweep()
        guard connections.isFull, !connections.makeRoom() else { return }
        waitABit("limit of \(connections.count) connections to the page reached")
    }

    private static let sweepMilliseconds = 1_000

    private func sweep() {
        connections.hangUpOverdue()
        connections.sweep()
        if connections.count > 0 { sweeping?.start(milliseconds: Self.sweepMilliseconds) }
        if hasRoom { resume() }
    }

    /// libevent hands its own server to this callback, so that ours is found by its listener. Both are addresses: loops of several threads may
    /// have servers.
    private static let servers = Mutex<[UInt: UInt]>([:])

    private static func register(_ server: UnsafeMutableRawPointer?, _ listener: OpaquePointer) {
        let (place, address) = (UInt(bitPattern: listener), server.map { UInt(bitPattern: $0) })
        servers.withLock { $0[place] = address }
    }

    private static let listenerHasFailed: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void = { listener, _ in
        let reason = systemErrorText(errno)
        let place = UInt(bitPattern: listener)
        let address = servers.withLock { $0[place] }
        owner(address.flatMap { UnsafeMutableRawPointer(bitPattern: $0) })?.waitABit(reason)
    }

    /// A connection that waits would wake the loop over and over.
    private func waitABit(_ reason: String) {
        guard let listener, let pause, !pause.isRunning else { return }
        evconnlistener_disable(listener)
        pause.start(milliseconds: Self.sweepMilliseconds)
        log.write(.warning, provokedBy: .descriptors, "not accepting connections to the page for now: \(reason)")
    }

    private var hasRoom: Bool { !connections.isFull && OpenDescriptors.areFreeForClients }

    private func resume() {
        guard let listener, let pause else { return }
        // Nothing reports that a client of another socket has left a descriptor.
        guard hasRoom else { return pause.start(milliseconds: Self.sweepMilliseconds) }
        pause.stop()
        evconnlistener_enable(listener)
    }

    // MARK: Requests

    private func handleRequest(_ handle: OpaquePointer) {
        guard let request = HTTPRequest(handle, from: { connections.peer(at: $0) }) else { return evhttp_request_free(handle) }
        // It may have been accepted in this turn.
        watchEnd(of: request.connection)
        requests.updateValue(request, forKey: request.connection)?.end()
        evhttp_request_set_on_complete_cb(
            handle, { request, me in if let request { HTTPServer.owner(me)?.handleResponseSent(request) } }, me)
        let stream = evhttp_connection_get_bufferevent(request.connection)
        let framingFault = stream.flatMap(connections.markAnswering)
        if let fault = framingFault ?? request.fault { return refuse(request, 400, fault) }
        if request.method == .unknown { return refuse(request, 405, "unknown method; available: GET, HEAD, POST, DELETE") }
        if let fault = request.unreadBody { return refuse(request, 405, fault) }
        loop.receive { self.handle(request) }
    }

    /// The bytes that follow on the connection may not be a request.
    private func refuse(_ request: HTTPRequest, _ status: Int, _ fault: String) {
        request.answer(HTTPResponse(ending: status, fault))
    }

    /// Called at the end of a turn, before output is written. All connections without a stream may hold this many bytes together. Returns how many they
    /// hold: of requests and unread responses. Streams have their own bounds.
    package func endTurn(maxBytes: @autoclosure () -> Int) -> Int {
        endedStreams = 0
        // Most turns have no request over HTTP, and do not read the limit.
        if connections.heldBytes > 0 { disconnectBiggest(within: maxBytes()) }
        guard connections.haveChanged else { return connections.heldBytes }
        connections.takeAccepted().forEach(watchEnd)
        if hasLeftSome { acceptTheRest() }
        connections.replaceErrorPages()
        if connections.releaseSomeEnded() { loop.schedule {} }
        return connections.heldBytes
    }

    private func disconnectBiggest(within maxBytes: Int) {
        guard connections.heldBytes > maxBytes else { return }
        connections.takeAccepted().forEach(watchEnd)
        for request in requests.values where request.isKnown {
            if let stream = evhttp_connection_get_bufferevent(request.connection) { connections.markKnown(stream) }
        }
        let held = connections.heldBytes
        let count = connections.releaseBytes(above: maxBytes)
        log.write(
            .notice, provokedBy: .cutOff,
            "disconnected \(count) clients of the page: all its clients together held \(held) bytes, "
                + "above their part of the limit client-bytes"
        )
    }

    private func forget(_ connection: OpaquePointer) {
        if let stream = streams.removeValue(forKey: connection) {
            stream.connectionIsGone()
            spreadEnds()
        }
        let request = requests.removeValue(forKey: connection)
        request?.connectionIsGone()
        request?.end()
        if let stream = evhttp_connection_get_bufferevent(connection) { connections.remove(stream) }
        if server != nil { loop.chargeWorkOfLibevent() }
    }

    /// Ends of streams in one turn, and streams that are read again in each turn after it.
    private static let (maxEndsOfTurn, readPerTurn) = (64, 32)

    /// Called at the end of a stream's connection. libevent would free all connections that the system reports as closed
    /// before it serves a client whose request comes later: 0.1 s for 2,000. So after 64 in a turn, the ends of the others
    /// are found in later turns, 32 in each.
    private func spreadEnds() {
        endedStreams += 1
        guard endedStreams == Self.maxEndsOfTurn, server != nil else { return }
        let isUnderWay = !unread.isEmpty
        for connection in streams.keys {
            guard let stream = evhttp_connection_get_bufferevent(connection),
                bufferevent_get_enabled(stream) & Int16(EV_READ) != 0
            else { continue }
            bufferevent_disable(stream, Int16(EV_READ))
            unread.append(connection)
        }
        if !isUnderWay { readSomeLater() }
    }

    private func readSomeLater() {
        loop.schedule { [weak self] in self?.readSome() }
    }

    private func readSome() {
        for connection in unread.suffix(Self.readPerTurn) where streams[connection] != nil {
            guard let stream = evhttp_connection_get_bufferevent(connection) else { continue }
            bufferevent_enable(stream, Int16(EV_READ))
        }
        unread.removeLast(min(Self.readPerTurn, unread.count))
        if !unread.isEmpty { readSomeLater() }
    }

    private func handleResponseSent(_ handle: OpaquePointer) {
        guard let connection = evhttp_request_get_connection(handle) else { return }
        let request = requests.removeValue(forKey: connection)
        // A stream may be ended without its reader.
        if streams.removeValue(forKey: connection) != nil { request?.connectionIsGone() }
        request?.end()
        if let stream = evhttp_connection_get_bufferevent(connection) {
            connections.markWaiting(stream, isKnown: request?.isKnown ?? false)
        }
    }

    /// Answers a request with a stream. Nil if its connection is gone.
    package func beginStream(_ request: HTTPRequest, _ headers: [(name: String, value: String)]) -> HTTPStream? {
        guard let stream = request.beginStream(headers) else { return nil }
        streams[request.connection] = stream
        if let input = evhttp_connection_get_bufferevent(request.connection) { connections.markStreaming(input) }
        return stream
    }
}

// MARK: - Limits of a client of the page

/// Bounds of what clients may send and hold.
package enum HTTPLimits {
    static let headerBytes = 16 << 10
    static let bodyBytes = 2 << 20
    package static let connections = 2_048
    /// A request must be complete within this time from the beginning of the connection, or from the last response.
    static let requestTimeout = Duration.seconds(30)
    /// A client that reads nothing for this time is disconnected.
    static let silenceSeconds = 30
}

/// A connection's use of a limit that clients of the page share.
package struct HTTPUse {
    package let machine: String
    package let amount: Int
}

/// An amount that connections must release together.
package enum HTTPExcess {
    case connections(Int)
    case bytes(Int)
}

// MARK: - The response to a request.

package struct HTTPResponse {
    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: Body

    package enum Body {
        case none
        case text(String)
        /// Bytes that live as long as the program.
        case asset([UInt8])
    }

    package init(_ status: Int, _ headers: [(name: String, value: String)] = [], _ body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The error after which its connection ends. `fault` needs no escapes in JSON.
    init(ending status: Int, _ fault: String) {
        let code = [405: "NOMETHOD", 413: "TOOLARGE"][status] ?? "ERR"
        let allowed = status == 405 ? [("Allow", "GET, HEAD, POST, DELETE")] : []
        let headers = [
            ("Connection", "close"), ("Content-Type", "application/json"), ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
        ]
        self.init(status, allowed + headers, .text(#"{"error":"\#(code)","message":"\#(fault)"}"#))
    }

    var length: Int {
        switch body {
        case .none: 0
        case .text(let text): text.utf8.count
        case .asset(let bytes): bytes.count
        }
    }

    /// Writes the head and the body, for a response that libevent does not write.
    func write(to buffer: OpaquePointer?) {
        let lines = headers.map { "\($0.name): \($0.value)\r\n" } + ["Content-Length: \(length)\r\n\r\n"]
        var head = "HTTP/1.1 \(status) \(Self.reason(status))\r\n" + lines.joined()
        head.withUTF8 { _ = evbuffer_add(buffer, $0.baseAddress, $0.count) }
        fill(buffer)
    }

    func fill(_ buffer: OpaquePointer?) {
        switch body {
        case .none: break
        case .text(var text): text.withUTF8 { _ = evbuffer_add(buffer, $0.baseAddress, $0.count) }
        case .asset(let bytes): bytes.withUnsafeBytes { _ = evbuffer_add(buffer, $0.baseAddress, $0.count) }
        }
    }

    /// The words that stand beside the number.
    static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 303: "See Other"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 421: "Misdirected Request"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: "Status \(status)"
        }
    }
}

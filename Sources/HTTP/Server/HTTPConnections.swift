// Open connections, so that they can be bounded: libevent tells of one only with its first request.

import CEvent
import EventLoop
import Glibc
import Posix
import Timers

/// Knows every connection from the moment that it is accepted, by its own reference to the connection's stream. Without TLS, the reference is released as
/// soon as libevent releases its reference: otherwise the stream would read the input of the next connection with the same descriptor.
final class HTTPConnections {
    /// Gets what connections use, in the order in which they make room. Returns indices of connections to close.
    typealias Displaced = (_ uses: [HTTPUse], _ excess: HTTPExcess) -> [Int]

    /// A class, since looking one up costs more than all that a request does with it.
    private final class Accepted {
        /// Since when a request is awaited; nil while one is being answered.
        var waitsSince: Instant?
        /// Requests that libevent has handed over: the index of the request that is awaited.
        var requests = 0
        /// Whether an error that libevent has answered was replaced. The connection ends with that response.
        var isErrorReplaced = false
        /// Whether the last sweep has seen a framing error: libevent, which reads on in the next turns, may still answer a new one.
        var hadFault = false
        /// Whether its last request came from a client with a token or a login.
        var isKnown = false
        let input: InputGuard
        /// The client; nil in the turn that accepts the connection, unless its address was needed.
        var peer: HTTPPeer?

        /// The framing error of the awaited request; nil without one, or if only a later request has it.
        var fault: String? { input.fault(ofRequest: requests) }

        /// The order in which connections release bytes: those without a token or login first, and of these the biggest.
        var rank: (Int, Int) { (isKnown ? 1 : 0, -input.held) }

        init(waitsSince: Instant, input: InputGuard) { (self.waitsSince, self.input) = (waitsSince, input) }
    }

    private var accepted: [OpaquePointer: Accepted] = [:]
    /// The connection that was looked up last: a request needs its own several times.
    private var recent: (stream: OpaquePointer, connection: Accepted)?
    private let clock = SystemClock()

    /// Nil for connections in clear.
    private let certificate: ServerCertificate?

    private let displaced: Displaced
    private let held = HeldBytes()
    /// Connections that have been hung up on for accepts to come.
    private var spare = 0

    init(_ certificate: ServerCertificate?, displaced: @escaping Displaced) {
        (self.certificate, self.displaced) = (certificate, displaced)
    }

    deinit {
        for stream in accepted.keys { remove(stream) }
        for stream in ended { bufferevent_decref(stream) }
    }

    /// Additional bytes for the sizes of a body's chunks.
    private static let chunkBytes = 64 << 10

    var count: Int { accepted.count }
    var isFull: Bool { accepted.count >= HTTPLimits.connections }
    /// Of all connections together. See `InputGuard.held`.
    var heldBytes: Int { held.count }

    /// The stream of a connection that has been accepted.
    func add(on base: OpaquePointer) -> OpaquePointer? {
        let made = if let certificate { certificate.stream(on: base) } else { bufferevent_socket_new(base, -1, 0) }
        guard let stream = made else { return nil }
        bufferevent_incref(stream)
        let most = HTTPLimits.headerBytes + HTTPLimits.bodyBytes + Self.chunkBytes
        let input = InputGuard(of: stream, maxBytes: most, countingIn: held) { [unowned self] in handleOutput(of: stream) }
        accepted[stream] = Accepted(waitsSince: clock.now, input: input)
        unwatched.append(stream)
        haveChanged = true
        return stream
    }

    /// Whether the end of the turn has something to do for connections. Apart from the lists, since each turn reads it.
    private(set) var haveChanged = false

    /// Streams that have been accepted in this turn.
    private var unwatched: [OpaquePointer] = []

    /// libevent's connections that have been accepted since the last call. Only now do they have descriptors.
    func takeAccepted() -> [OpaquePointer] {
        defer { unwatched = [] }
        return unwatched.compactMap { stream in
            guard let connection = accepted[stream] else { return nil }
            connection.peer = HTTPPeer(at: bufferevent_getfd(stream))
            return Self.owner(of: stream)
        }
    }

    private func connection(of stream: OpaquePointer) -> Accepted? {
        if let recent, recent.stream == stream { return recent.connection }
        guard let connection = accepted[stream] else { return nil }
        recent = (stream, connection)
        return connection
    }

    func remove(_ stream: OpaquePointer) {
        recent = nil
        guard let connection = accepted.removeValue(forKey: stream) else { return }
        connection.input.stop()
        guard certificate != nil else {
            bufferevent_decref(stream)
            return
        }
        ServerCertificate.sendCloseNotify(stream)
        bufferevent_disable(stream, Int16(EV_READ | EV_WRITE))
        ended.append(stream)
        haveChanged = true
    }

    /// Encrypted streams that libevent has let go of. They still have their descriptors, and releasing them takes long.
    private var ended: [OpaquePointer] = []
    private static let releasedPerTurn = 32

    /// Returns whether some are left.
    func releaseSomeEnded() -> Bool {
        for stream in ended.suffix(Self.releasedPerTurn) { bufferevent_decref(stream) }
        ended.removeLast(min(Self.releasedPerTurn, ended.count))
        haveChanged = !ended.isEmpty
        return haveChanged
    }

    // MARK: Errors that libevent answers

    /// Streams in whose output libevent has begun to write an error by itself, which is a page of HTML.
    private(set) var htmlPages: [OpaquePointer] = []

    /// libevent has written nothing else into such an output: a response is written once the one before is sent. The connection ends with it.
    func replaceErrorPages() {
        let streams = htmlPages
        htmlPages = []
        for stream in streams {
            guard let connection = accepted[stream], let output = bufferevent_get_output(stream) else { continue }
            // In clear, libevent freezes the front of an output after each write, and then nothing can be copied or removed.
            evbuffer_unfreeze(output, 1)
            guard let status = Self.status(in: output), status >= 400 else { continue }
            connection.isErrorReplaced = true
            evbuffer_drain(output, evbuffer_get_length(output))
            Self.response(to: connection.fault, status).write(to: output)
        }
    }

    /// The status of a response that has not been sent; nil without one.
    private static func status(in output: OpaquePointer) -> Int? {
        let line = [UInt8](unsafeUninitializedCapacity: 16) { bytes, filled in
            filled = max(0, Int(evbuffer_copyout(output, bytes.baseAddress, 16)))
        }
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count > 1, words[0].starts(with: "HTTP/".utf8) else { return nil }
        return Int(String(decoding: words[1], as: UTF8.self))
    }

    private static func response(to fault: String?, _ status: Int) -> HTTPResponse {
        if let fault { return HTTPResponse(ending: 400, fault) }
        return switch status {
        case 413: HTTPResponse(ending: 413, "the body has more than \(HTTPLimits.bodyBytes) bytes")
        case 417: HTTPResponse(ending: 400, "the only supported Expect is 100-continue")
        default:
            HTTPResponse(
                ending: 400, "the request line or a header is malformed, or they have more than \(HTTPLimits.headerBytes) bytes"
            )
        }
    }

    private func handleOutput(of stream: OpaquePointer) {
        // While a request is answered, it is ours.
        guard let connection = connection(of: stream), connection.waitsSince != nil, !connection.isErrorReplaced else { return }
        htmlPages.append(stream)
        haveChanged = true
    }

    /// Returns the client at the other end. Formats its address once per connection.
    func peer(at connection: OpaquePointer) -> HTTPPeer {
        let stream = evhttp_connection_get_bufferevent(connection)
        guard let known = stream.flatMap(self.connection) else { return HTTPPeer(of: connection) }
        let peer = known.peer ?? HTTPPeer(of: connection)
        known.peer = peer
        return peer
    }

    /// Called with each request that libevent hands over. Returns the request's framing error, or nil.
    func markAnswering(_ stream: OpaquePointer) -> String? {
        guard let connection = connection(of: stream) else { return nil }
        defer { connection.requests += 1 }
        connection.waitsSince = nil
        return connection.fault
    }

    /// It receives a stream, and sends no further requests.
    func markStreaming(_ stream: OpaquePointer) {
        guard let input = connection(of: stream)?.input else { return }
        input.maxBytes = Self.chunkBytes
        input.stopCounting()
    }

    func markWaiting(_ stream: OpaquePointer, isKnown: Bool) {
        guard let connection = connection(of: stream) else { return }
        (connection.waitsSince, connection.isKnown) = (clock.now, isKnown)
        connection.input.countAgain()
    }

    /// Its client has a token or a login.
    func markKnown(_ stream: OpaquePointer) { connection(of: stream)?.isKnown = true }

    /// Lets go of those that libevent has let go of in the turn that accepted them: their callbacks are gone.
    func sweep() {
        for stream in accepted.keys where Self.owner(of: stream) == nil { remove(stream) }
    }

    /// Disconnects clients with an overdue request.
    func hangUpOverdue() {
        let now = clock.now
        for (stream, connection) in accepted {
            guard let since = connection.waitsSince else { continue }
            let isOverdue = connection.hadFault || since.duration(to: now) >= HTTPLimits.requestTimeout
            connection.hadFault = connection.fault != nil
            if isOverdue, !isAnswered(stream, connection) { hangUp(stream) }
        }
    }

    /// Whether libevent has answered it by itself. The answer may still be to be sent.
    private func isAnswered(_ stream: OpaquePointer, _ connection: Accepted) -> Bool {
        connection.isErrorReplaced || htmlPages.contains(stream)
    }

    /// Hangs up on some that have said nothing: of addresses that have more than their share, if there are any, the oldest. False if all
    /// are being answered. Choosing takes long, so that several are chosen for the accepts to come.
    func makeRoom() -> Bool {
        if spare > 0 {
            spare -= 1
            return true
        }
        let waiting = accepted.compactMap { stream, connection in connection.waitsSince.map { (stream, $0) } }
            .sorted { $0.1 < $1.1 }.map(\.0)
        let uses = waiting.map { HTTPUse(machine: address(of: $0), amount: 1) }
        let chosen = displaced(uses, .connections(HTTPLimits.connections / Self.partDisplaced))
        for index in chosen where waiting.indices.contains(index) { hangUp(waiting[index]) }
        spare = max(0, chosen.count - 1)
        return !chosen.isEmpty
    }

    private static let partDisplaced = 64

    /// Ends the connections that hold most until all together hold at most `max` bytes. Returns their number.
    func releaseBytes(above max: Int) -> Int {
        let holding = accepted.filter { $0.value.input.held > 0 }.sorted { $0.value.rank < $1.value.rank }
        let uses = holding.map { HTTPUse(machine: address(of: $0.key), amount: $0.value.input.held) }
        let chosen = displaced(uses, .bytes(heldBytes - max + max / Self.partDisplaced)).filter(holding.indices.contains)
        for index in chosen { end(holding[index].key) }
        return chosen.count
    }

    /// At once: libevent would read on what has arrived before it found an end.
    private func end(_ stream: OpaquePointer) {
        // libevent frees the stream in a later turn, behind the events of all others.
        for buffer in [bufferevent_get_input(stream), bufferevent_get_output(stream)] {
            evbuffer_unfreeze(buffer, 1)
            evbuffer_drain(buffer, evbuffer_get_length(buffer))
        }
        if let owner = Self.owner(of: stream) { evhttp_connection_free(owner) }
        remove(stream)
    }

    /// libevent gives a stream its descriptor only after it was made.
    private func address(of stream: OpaquePointer) -> String {
        guard let known = accepted[stream] else { return "" }
        let descriptor = bufferevent_getfd(stream)
        if known.peer == nil, descriptor >= 0 { known.peer = HTTPPeer(at: descriptor) }
        return known.peer?.machine ?? ""
    }

    /// libevent then finds its end, and closes it.
    private func hangUp(_ stream: OpaquePointer) {
        accepted[stream]?.waitsSince = nil
        guard Self.owner(of: stream) != nil else { return }
        let descriptor = bufferevent_getfd(stream)
        if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    /// libevent's connection, for which it has the stream call.
    private static func owner(of stream: OpaquePointer) -> OpaquePointer? {
        var owner: UnsafeMutableRawPointer?
        bufferevent_getcb(stream, nil, nil, nil, &owner)
        return owner.map { OpaquePointer($0) }
    }
}

// MARK: - The target of a request, taken apart: `/api/sessions/room%207?count=3`.

/// A path and a query, decoded.
package struct HTTPTarget {
    /// The parts of the path between its slashes. A slash within a name comes as `%2F`, and is no end of the part.
    package let segments: [String]
    package let query: [(name: String, value: String)]

    /// Nil if it has characters that an address may not have, an invalid escape, or escapes that do not decode to UTF-8.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let address = bytes[..<(bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex)]
        let end = address.firstIndex(of: UInt8(ascii: "?")) ?? address.endIndex
        guard let segments = Self.segments(of: address[..<end]), let query = Self.query(in: address[end...].dropFirst()) else {
            return nil
        }
        (self.segments, self.query) = (segments, query)
    }

    private static func segments(of path: ArraySlice<UInt8>) -> [String]? {
        guard path.first == UInt8(ascii: "/") else { return nil }
        var (segments, rest): ([String], ArraySlice<UInt8>) = ([], path)
        while rest.first != nil {
            rest = rest.dropFirst()
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            guard let segment = decoded(rest[..<end]) else { return nil }
            segments.append(segment)
            rest = rest[end...]
        }
        if segments.last == "" { segments.removeLast() }
        return segments
    }

    private static func query(in text: ArraySlice<UInt8>) -> [(name: String, value: String)]? {
        guard !text.isEmpty else { return [] }
        var query: [(name: String, value: String)] = []
        for pair in text.split(separator: UInt8(ascii: "&")) {
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = decoded(pair[..<end], plusIsBlank: true),
                let value = decoded(pair[end...].dropFirst(), plusIsBlank: true)
            else { return nil }
            query.append((name, value))
        }
        return query
    }

    package func value(_ name: String) -> String? { query.first { $0.name == name }?.value }

    package func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

    private static func decoded(_ text: ArraySlice<UInt8>, plusIsBlank: Bool = false) -> String? {
        // Most have nothing to decode.
        guard text.contains(UInt8(ascii: "%")) || plusIsBlank else { return String(decoding: text, as: UTF8.self) }
        var (bytes, rest): ([UInt8], ArraySlice<UInt8>) = ([], text)
        bytes.reserveCapacity(text.count)
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            } else {
                bytes.append(plusIsBlank && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}

// MARK: - The absolute form of a target: `http://localhost:7650/api/clock`.

/// A target as clients send it to proxies. A server must accept it, too (RFC 9112, section 3.2.2).
package struct AbsoluteTarget {
    /// The host, and the port if there is one: they count in place of the header Host.
    package let authority: String
    /// The path and the query.
    package let target: String

    /// Nil for a target of another form.
    package init?(_ text: String) {
        // Nearly every target is a path.
        guard text.utf8.first != UInt8(ascii: "/"),
            let scheme = ["http://", "https://"].first(where: { text.prefix($0.count).lowercased() == $0 })
        else { return nil }
        let rest = text.dropFirst(scheme.count)
        let end = rest.firstIndex(where: { "/?#".contains($0) }) ?? rest.endIndex
        let path = String(rest[end...])
        (authority, target) = (String(rest[..<end]), path.hasPrefix("/") ? path : "/" + path)
    }
}

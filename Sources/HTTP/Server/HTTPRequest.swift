// A request that has come whole, and is answered once: at once or later.

import CEvent
import Glibc
import Posix

package final class HTTPRequest {
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
        case options = "OPTIONS"
        case trace = "TRACE"
        case connect = "CONNECT"
        /// Any other, also one in lower case.
        case unknown = ""

        /// By libevent's numbers. All are taken in, so that a wrong one gets a sentence.
        static let byCommand: [UInt32: Method] = [
            EVHTTP_REQ_GET.rawValue: .get, EVHTTP_REQ_HEAD.rawValue: .head, EVHTTP_REQ_POST.rawValue: .post,
            EVHTTP_REQ_PUT.rawValue: .put, EVHTTP_REQ_PATCH.rawValue: .patch, EVHTTP_REQ_DELETE.rawValue: .delete,
            EVHTTP_REQ_OPTIONS.rawValue: .options, EVHTTP_REQ_TRACE.rawValue: .trace, EVHTTP_REQ_CONNECT.rawValue: .connect,
        ]
    }

    package let method: Method
    /// The path and the query, as they came; all of a target that has another form.
    package let target: String
    /// The host and the port of a target in the absolute form; nil for any other.
    package let authority: String?
    package let body: [UInt8]
    package let peer: HTTPPeer
    /// Whether its client has a token or a login. Set by the handler: connections of others make room first.
    package var isKnown = false
    /// Nil once it has been answered, or its connection is gone.
    private var handle: OpaquePointer?
    let connection: OpaquePointer
    /// Called when the connection is gone before the answer, or when the stream is over. Set by the handler that has the request, which ends with
    /// it.
    package var onGone: () -> Void = {}
    /// Called once when its answer is sent, or its connection is gone: it does not hold the connection after that. Set by the server, which
    /// counts requests.
    package var onEnd: () -> Void = {}

    func end() {
        let then = onEnd
        // `onGone` may hold an object that holds this request.
        (onEnd, onGone) = ({}, {})
        then()
    }

    init?(_ handle: OpaquePointer, from peer: (_ connection: OpaquePointer) -> HTTPPeer) {
        guard let connection = evhttp_request_get_connection(handle) else { return nil }
        self.handle = handle
        self.connection = connection
        method = Method.byCommand[evhttp_request_get_command(handle).rawValue] ?? .unknown
        let written = evhttp_request_get_uri(handle).map { String(cString: $0) } ?? ""
        let absolute = AbsoluteTarget(written)
        (target, authority) = (absolute?.target ?? written, absolute?.authority)
        body = Self.bytes(of: evhttp_request_get_input_buffer(handle))
        self.peer = peer(connection)
    }

    private static func bytes(of buffer: OpaquePointer?) -> [UInt8] {
        guard let buffer else { return [] }
        let count = evbuffer_get_length(buffer)
        return [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            filled = max(0, Int(evbuffer_copyout(buffer, bytes.baseAddress, count)))
        }
    }

    /// Nil also once it has been answered.
    package func header(_ name: String) -> String? {
        guard let handle, let headers = evhttp_request_get_input_headers(handle) else { return nil }
        return name.withCString { evhttp_find_header(headers, $0) }.map { String(cString: $0) }
    }

    package var isGone: Bool { handle == nil }

    /// libevent reads no body of these: it would be taken for the next request.
    var unreadBody: String? {
        guard [.head, .trace, .connect].contains(method),
            (header("Content-Length") ?? "0") != "0" || header("Transfer-Encoding") != nil
        else { return nil }
        return "\(method.rawValue) has no body"
    }

    /// The error in its headers; nil without one.
    var fault: String? { handle.flatMap(evhttp_request_get_input_headers).flatMap(HeaderCheck.fault) }

    // MARK: Answering

    package func answer(_ response: HTTPResponse) {
        guard let handle = consumeHandle() else { return }
        let buffer = evbuffer_new()
        var headers = response.headers
        if method == .head {
            // libevent would send a body that is not expected.
            if response.status != 204, response.status != 304 { headers.append(("Content-Length", "\(response.length)")) }
        } else {
            response.fill(buffer)
        }
        add(headers, to: handle)
        evhttp_send_reply(handle, Int32(response.status), HTTPResponse.reason(response.status), buffer)
        evbuffer_free(buffer)
    }

    /// Begins an answer that goes on. Nil if the connection is gone. The connection is closed after it: while it streams, its requests are not
    /// counted.
    package func beginStream(_ headers: [(name: String, value: String)]) -> HTTPStream? {
        guard let handle = consumeHandle() else { return nil }
        add(headers + [("Connection", "close")], to: handle)
        evhttp_send_reply_start(handle, 200, "OK")
        return HTTPStream(handle, on: connection)
    }

    /// Adds the head of an answer.
    private func add(_ headers: [(name: String, value: String)], to handle: OpaquePointer) {
        let output = evhttp_request_get_output_headers(handle)
        // libevent leaves out headers that would break out of their line.
        for header in headers {
            // An argument that is a String would be copied first.
            _ = header.name.withCString { name in header.value.withCString { evhttp_add_header(output, name, $0) } }
        }
        // libevent compares the whole header of the request, which may be a list.
        guard Self.isLast(handle), !headers.contains(where: { $0.name == "Connection" }) else { return }
        evhttp_add_header(output, "Connection", "close")
    }

    /// Whether the client closes the connection after this request.
    private static func isLast(_ handle: OpaquePointer) -> Bool {
        guard let headers = evhttp_request_get_input_headers(handle), evhttp_find_header(headers, "connection") != nil else {
            return false
        }
        return HeaderLines(headers).contains { $0.name.equalsIgnoringCase("connection") && $0.value.isList(with: "close") }
    }

    /// libevent frees a request once it has been answered.
    private func consumeHandle() -> OpaquePointer? {
        defer { handle = nil }
        return handle
    }

    /// A request that its connection has let go of is ours to free.
    static func release(_ handle: OpaquePointer) {
        if evhttp_request_get_connection(handle) == nil { evhttp_request_free(handle) }
    }

    func connectionIsGone() {
        if let handle { Self.release(handle) }
        handle = nil
        let notify = onGone
        onGone = {}
        notify()
    }
}

// MARK: - The other end of a connection

/// A client's address.
package struct HTTPPeer: Sendable {
    /// The address without a port; `?` if it is unknown.
    package let machine: String
    /// The address with its port, for logs.
    package let name: String

    init(of connection: OpaquePointer) {
        var (address, port): (UnsafeMutablePointer<CChar>?, UInt16) = (nil, 0)
        evhttp_connection_get_peer(connection, &address, &port)
        machine = address.map { String(cString: $0) } ?? "?"
        name = address == nil ? machine : HostAndPort(host: machine, port: port).description
    }

    /// Nil if the connection is over.
    init?(at descriptor: Int32) {
        guard let name = TcpAddress.text(of: descriptor, peer: true), let address = HostAndPort(name) else { return nil }
        (self.name, machine) = (name, address.host)
    }
}

// MARK: - The headers of a request

/// Reads the headers of a request in place. They live as long as the request.
private struct HeaderLines: Sequence, IteratorProtocol {
    private var first: UnsafeMutablePointer<evkeyval>?

    init(_ headers: UnsafeMutablePointer<evkeyvalq>) { first = headers.pointee.tqh_first }

    mutating func next() -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        guard let header = first?.pointee else { return nil }
        first = header.next.tqe_next
        return (Self.bytes(of: header.key), Self.bytes(of: header.value))
    }

    private static func bytes(of text: UnsafeMutablePointer<CChar>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text, count: strlen(text))
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are a list of words with this one, which is in lower case.
    fileprivate func isList(with word: StaticString) -> Bool {
        var rest = self[...]
        while !rest.isEmpty {
            let first = rest.prefix { !", \t".utf8.contains($0) }
            if UnsafeRawBufferPointer(rebasing: first).equalsIgnoringCase(word) { return true }
            rest = rest[first.endIndex...].dropFirst()
        }
        return false
    }
}

// MARK: - Headers that libevent takes and others would read otherwise

enum HeaderCheck {
    /// Headers that may occur once: HTTP parsers differ in which of two they use.
    private static let unique: [StaticString] = [
        "content-length", "transfer-encoding", "host", "authorization", "content-type", "origin", "idempotency-key",
        "last-event-id",
    ]
    private static let (length, encoding) = (0, 1)

    /// The error in the headers; nil without one.
    static func fault(_ headers: UnsafeMutablePointer<evkeyvalq>) -> String? {
        // A bit for each of `unique`.
        var seen: UInt8 = 0
        for (name, value) in HeaderLines(headers) {
            guard name.allSatisfy(isOfName) else { return "a header's name has an invalid character" }
            guard let place = place(of: name) else { continue }
            guard seen & bit(place) == 0 else { return "the header \(unique[place]) occurs twice" }
            seen |= bit(place)
            if let fault = fault(place, value) { return fault }
        }
        let both = bit(length) | bit(encoding)
        return seen & both == both ? "there are both Content-Length and Transfer-Encoding" : nil
    }

    /// Its index in `unique`; nil for others.
    private static func place(of name: UnsafeRawBufferPointer) -> Int? {
        for place in unique.indices where name.equalsIgnoringCase(unique[place]) { return place }
        return nil
    }

    private static func bit(_ place: Int) -> UInt8 { 1 << UInt8(place) }

    private static func fault(_ place: Int, _ value: UnsafeRawBufferPointer) -> String? {
        switch place {
        case length: value.allSatisfy { (0x30...0x39).contains($0) } ? nil : "Content-Length is not a number"
        case encoding: value.equalsIgnoringCase("chunked") ? nil : "the only supported Transfer-Encoding is chunked"
        default: nil
        }
    }

    /// The characters of a token, after RFC 9110.
    private static func isOfName(_ byte: UInt8) -> Bool {
        let isLetterOrDigit = (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
        return isLetterOrDigit || byte == UInt8(ascii: "-") || "!#$%&'*+.^_`|~".utf8.contains(byte)
    }
}

// MARK: - An answer that goes on: the client is sent more whenever there is more

package final class HTTPStream {
    /// Nil once it has ended.
    private var handle: OpaquePointer?
    private let connection: OpaquePointer

    init(_ handle: OpaquePointer, on connection: OpaquePointer) {
        self.handle = handle
        self.connection = connection
        // Its client has nothing to say. One that takes nothing is cut off.
        var silence = timeval(tv_sec: HTTPLimits.silenceSeconds, tv_usec: 0)
        bufferevent_set_timeouts(evhttp_connection_get_bufferevent(connection), nil, &silence)
    }

    /// Bytes that the client has not taken.
    package var unsent: Int {
        guard handle != nil, let stream = evhttp_connection_get_bufferevent(connection) else { return 0 }
        return evbuffer_get_length(bufferevent_get_output(stream))
    }

    /// Bytes that may not be sent yet: counted by the side that holds them.
    package var held = 0

    package func send(_ bytes: UnsafeRawBufferPointer) {
        guard let handle, !bytes.isEmpty else { return }
        let buffer = evbuffer_new()
        evbuffer_add(buffer, bytes.baseAddress, bytes.count)
        evhttp_send_reply_chunk(handle, buffer)
        evbuffer_free(buffer)
    }

    package func end() {
        guard let handle else { return }
        self.handle = nil
        evhttp_send_reply_end(handle)
    }

    func connectionIsGone() {
        if let handle { HTTPRequest.release(handle) }
        handle = nil
    }
}

// Errors of requests on a connection without a network: bytes are put into libevent's buffers.

import CEvent
import Glibc
import Testing
@testable import HTTP

@Suite final class `An error of a request` {
    private static let next = "GET / HTTP/1.1\r\n\r\n"
    private static let faulty = "POST / HTTP/1.1\r\nContent-Length: +2\r\n\r\n{}"
    private static let page = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n<html></html>"

    private let base: OpaquePointer
    private let stream: OpaquePointer
    private let connections: HTTPConnections

    init() throws {
        let base = try #require(event_base_new())
        let connections = HTTPConnections(nil) { _, _ in [] }
        let stream = try #require(connections.add(on: base))
        (self.base, self.stream, self.connections) = (base, stream, connections)
        // Adding to an input, which only a socket does otherwise.
        evbuffer_unfreeze(bufferevent_get_input(stream), 0)
    }

    deinit {
        connections.remove(stream)
        bufferevent_free(stream)
        event_base_free(base)
    }

    private func receive(_ text: String) { evbuffer_add(bufferevent_get_input(stream), text, text.utf8.count) }

    /// libevent writes this by itself.
    private func write(_ text: String) { evbuffer_add(bufferevent_get_output(stream), text, text.utf8.count) }

    private var output: String {
        let output = bufferevent_get_output(stream)
        let count = evbuffer_get_length(output)
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            filled = max(0, Int(evbuffer_copyout(output, bytes.baseAddress, count)))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [false, true])
    func `libevent's page is replaced with JSON once, also in an output that a response before has frozen`(_ isFrozen: Bool) {
        if isFrozen { evbuffer_freeze(bufferevent_get_output(stream), 1) }
        write(Self.page)
        #expect(connections.haveChanged && !connections.htmlPages.isEmpty)
        connections.replaceErrorPages()
        #expect(output.contains("Content-Type: application/json\r\n") && !output.contains("html"), "\(output)")
        #expect(connections.htmlPages.isEmpty, "the replacement is no page to replace")
    }

    @Test func `Only the request that has the framing error is refused, and those before it are answered`() {
        receive(Self.next + Self.next + Self.faulty)
        #expect(connections.markAnswering(stream) == nil)
        #expect(connections.markAnswering(stream) == nil)
        #expect(connections.markAnswering(stream) == "Content-Length is not a number")
        #expect(connections.markAnswering(stream) == "Content-Length is not a number", "nothing behind it is answered")
    }

    @Test func `An error that libevent answers has its own reason if only a later request has a framing error`() {
        receive(Self.next + Self.faulty)
        write(Self.page)
        connections.replaceErrorPages()
        #expect(output.contains("malformed") && !output.contains("Content-Length is"), "\(output)")
    }

    enum Answer: CaseIterable { case beforeTheFirstSweep, beforeTheSecond, never }

    @Test(arguments: Answer.allCases)
    func `The second sweep hangs up on a connection with a framing error, unless libevent answers it`(_ answer: Answer) {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        receive(Self.faulty)
        bufferevent_setfd(stream, ends[0])
        // As libevent's connection does.
        bufferevent_setcb(stream, nil, nil, nil, UnsafeMutableRawPointer(stream))
        func isOpen() -> Bool {
            var byte: UInt8 = 0
            return recv(ends[1], &byte, 1, Int32(MSG_DONTWAIT)) == -1
        }
        if answer == .beforeTheFirstSweep { write(Self.page) }
        connections.hangUpOverdue()
        connections.replaceErrorPages()
        #expect(isOpen())
        if answer == .beforeTheSecond { write(Self.page) }
        connections.hangUpOverdue()
        #expect(isOpen() == (answer != .never))
    }
}

// A stream from another node for one reader here: forwards its messages to the reader.

import Cluster
import Commands
import HTTP
import Memory
import RESP
import Timers

final class NodeStream {
    enum Subject: Hashable {
        /// All that a node tells of itself and its sessions.
        case node(String)
        case session(ByteString)
    }

    /// A node tells something each second.
    private static let silence = 5_000
    private static let timeout = Duration.seconds(1)
    /// Bytes of an answer that is no stream: a node's errors are short.
    private static let maxRefusal = 64 << 10

    let node: RemoteNode
    private let topics: [String]
    private let relay: Relay
    private let bearer: VisitorIdentity
    private let consumer: Consumer
    private var exchange: HTTPExchange?
    private var parser = EventParser()
    /// An answer that is no stream, as far as it has come.
    private var refusal: Relay.Answer?
    private let clock = SystemClock()
    private var nextTry = Instant.zero
    private(set) var isHeard = false
    /// Why it is not heard; nil if it is, or nothing is known yet.
    private(set) var reason: String?
    private(set) var isPaused = false

    unowned let reader: ReaderNodeStreams

    init(
        to node: RemoteNode, _ topics: [String], _ relay: Relay, for bearer: VisitorIdentity, _ consumer: Consumer,
        _ reader: ReaderNodeStreams
    ) {
        (self.node, self.topics, self.relay, self.bearer, self.consumer) = (node, topics, relay, bearer, consumer)
        self.reader = reader
    }

    deinit { end() }

    /// Tries, if it is time.
    func begin() {
        guard exchange == nil, clock.now >= nextTry else { return }
        nextTry = clock.now.advanced(by: Self.timeout)
        let query = topics.map { "topic=\($0.escapedForQuery)" }.joined(separator: "&")
        do throws(CommandError) {
            let exchange = try relay.stream(node, "/api/stream?" + query, for: bearer, consumer, silence: Self.silence)
            self.exchange = exchange
            exchange.delegate = self
            relay.start(exchange)
        } catch {
            reason = error.sentence
        }
    }

    func end() {
        guard let exchange else { return }
        self.exchange = nil
        exchange.cancel()
        relay.endStream(of: consumer)
        (isHeard, isPaused) = (false, false)
    }

    func pause() {
        isPaused = true
        exchange?.pause()
    }

    func resume() {
        isPaused = false
        exchange?.resume()
    }

    private func fail(_ sentence: String) {
        guard exchange != nil else { return }
        end()
        reason = sentence
        reader.linkDidEnd()
    }
}

// MARK: Messages of the node

extension NodeStream: ExchangeDelegate {
    func exchange(_: HTTPExchange, didReceive head: AnswerHead) {
        parser = EventParser()
        refusal = head.status == 200 ? nil : Relay.Answer(head: head, body: [])
    }

    func exchange(_: HTTPExchange, didReceive bytes: [UInt8]) {
        if let refusal {
            guard refusal.body.count + bytes.count <= Self.maxRefusal else {
                return fail("it returned status \(refusal.head.status)")
            }
            return self.refusal = Relay.Answer(head: refusal.head, body: refusal.body + bytes)
        }
        guard let events = parser.add(bytes) else { return fail("it sent an event that is too large") }
        if !isHeard { (isHeard, reason) = (true, nil) }
        for event in events { reader.link(self, didReceive: event) }
    }

    func exchange(_: HTTPExchange, didEnd outcome: HTTPExchange.Outcome) {
        switch outcome {
        case .complete: fail(refusal?.error?.sentence ?? "it closed the connection")
        case .failed(let reason, _): fail(reason)
        }
    }
}

// MARK: - Server-sent events

struct EventParser {
    struct Event: Equatable {
        var name: String
        let data: ArraySlice<UInt8>
    }

    /// More than an event may take.
    private static let maxBytes = 8 << 20
    private static let newline = UInt8(ascii: "\n")

    private var bytes: [UInt8] = []
    /// So much of them has no end of an event in it.
    private var searched = 0

    /// The events that are whole with these bytes. Nil if one is longer than any may be.
    mutating func add(_ more: [UInt8]) -> [Event]? {
        bytes += more
        var (events, begin): ([Event], Int) = ([], 0)
        while let end = endOfEvent(from: max(begin, searched)) {
            if let event = Self.event(bytes[begin..<end]) { events.append(event) }
            (begin, searched) = (end + 2, end + 2)
        }
        bytes.removeFirst(begin)
        searched = max(0, bytes.count - 1)
        return bytes.count <= Self.maxBytes ? events : nil
    }

    /// Where two line breaks follow each other.
    private func endOfEvent(from start: Int) -> Int? {
        var place = start
        while let found = bytes[place...].firstIndex(of: Self.newline), found + 1 < bytes.count {
            if bytes[found + 1] == Self.newline { return found }
            place = found + 1
        }
        return nil
    }

    /// Nil for a comment.
    private static func event(_ lines: ArraySlice<UInt8>) -> Event? {
        var (name, data): (String?, ArraySlice<UInt8>?) = (nil, nil)
        for line in lines.split(separator: newline) {
            if let value = line.dropping("event: ") { name = String(validating: value, as: UTF8.self) }
            if let value = line.dropping("data: ") { data = value }
        }
        guard let name, let data else { return nil }
        return Event(name: name, data: data)
    }
}

extension ArraySlice<UInt8> {
    fileprivate func dropping(_ prefix: String) -> ArraySlice<UInt8>? {
        starts(with: prefix.utf8) ? dropFirst(prefix.utf8.count) : nil
    }
}

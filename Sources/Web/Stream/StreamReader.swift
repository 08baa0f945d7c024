// A stream of the page: its pending events, and how they are written.

import Commands
import GameFlow
import HTTP
import Memory
import Monitoring
import Posix
import RESP
import Sessions
import Texts

final class StreamReader: FeedEncoder {
    /// The connection and its rights.
    struct Subscriber {
        let stream: HTTPStream
        /// The sessions that it may see; nil for all.
        let scope: SessionScope?
        let consumer: Consumer
        /// Whether it is another node that reads for its own client.
        let isNode: Bool
        /// Whether a login in a browser admits it.
        let hasLogin: Bool
        /// Whether its login still holds.
        let isLoggedIn: () -> Bool
    }

    private let subscriber: Subscriber
    let topics: [Topic]
    unowned let streams: Streams
    private let queue: FeedQueue
    private(set) lazy var feedReader = FeedReader(self, in: queue)
    /// Its streams from other nodes; nil if it has none.
    var links: ReaderNodeStreams?
    /// Its place in the table of all sessions; nil if it does not read them.
    var rows: RowReader?
    /// The bytes of this turn, not yet sent.
    private var fresh: [UInt8] = []
    /// The newest entries of histories that its client has been sent. `rows` has the place in the table.
    private var position = StreamPosition()
    /// Histories that an earlier stream of the client began, and this one has not continued yet.
    private var resumed: Set<ByteString> = []
    private(set) var needsHello = true
    var needsStatus = false
    var needsFlows = false
    var needsBeat = false
    /// When its client took something last, or had nothing to take.
    private var tookLast: Instant
    private var unsentBefore = 0

    init(
        _ subscriber: Subscriber, _ topics: [Topic], after position: StreamPosition, of streams: Streams, in queue: FeedQueue
    ) {
        (self.subscriber, self.topics, self.streams, self.queue) = (subscriber, topics, streams, queue)
        tookLast = streams.clock.now
        for case .history(let name) in topics {
            guard let entry = position[name] else { continue }
            self.position[name] = entry
            resumed.insert(name)
        }
    }

    var stream: HTTPStream { subscriber.stream }
    var scope: SessionScope? { subscriber.scope }
    var consumer: Consumer { subscriber.consumer }
    var isNode: Bool { subscriber.isNode }
    var isLoggedIn: Bool { subscriber.isLoggedIn() }
    var host: Host { streams.host }

    /// Whether fewer than this many bytes wait to be sent, those that wait for the disk among them.
    func hasRoom(_ bytes: Int) -> Bool { stream.unsent + stream.held + fresh.count < bytes }
    var hasRoom: Bool { hasRoom(streams.room) }

    /// Whether its client has read nothing for this time.
    func isStuck(at now: Instant, after timeout: Duration) -> Bool {
        let unsent = stream.unsent
        if unsent == 0 || unsent < unsentBefore { tookLast = now }
        unsentBefore = unsent
        return tookLast.duration(to: now) >= timeout
    }

    // MARK: Pending events

    var hasMore: Bool { needsHello || needsStatus || needsFlows || needsBeat }

    func enqueueAll(of name: ByteString) {
        if topics.contains(.session(name)) { feedReader.enqueue(viewOf: name) }
        if topics.contains(.history(name)) { feedReader.enqueue(historyOf: name) }
    }

    func session(_ name: ByteString, isHere: Bool) { streams.session(name, isHere: isHere, for: self) }

    // MARK: Writing

    /// Links report another node's sessions.
    private func isOwn(_ name: ByteString) -> Bool { links == nil || streams.isOwn(name) }

    func write(viewOf name: ByteString) -> Int {
        guard isOwn(name) else { return 0 }
        if let session = host.sessions.find(name) { host.feed.resume(session) }
        let view = host.feed.texts.text(of: name)
        return append("view", #"{"session":"# + JSON.string(name.text).description + #","view":"# + view + "}")
    }

    /// The entries of a history that the reader has not been sent, as far as they are kept.
    func write(historyOf name: ByteString) -> Int {
        guard isOwn(name) else { return 0 }
        // Before the position changes: a client may be gone again with nothing but this event.
        greet()
        guard let session = host.sessions.find(name) else { return write(historyOfAbsent: name) }
        host.feed.resume(session)
        let (last, newest) = (position[name], StreamPosition.Entry(life: session.life, seq: session.seq))
        guard newest != last else { return 0 }
        position[name] = newest
        // The end of an earlier life was sent before it ended, unless the client was away.
        let isResumed = resumed.remove(name) != nil
        let known = isResumed || last?.life == newest.life ? last : nil
        let key = Streams.LinesKey(session: name, newest: newest, known: known, isFirst: last == nil)
        let text = streams.linesText(key) {
            // With one more, which shows whether there are earlier ones.
            let entries = session.entries(
                after: known?.seq ?? 0, ofLife: known?.life, atMost: Lines.maxCount + 1, at: host.wallNanoseconds)
            let hasEarlier = entries.texts.count > Lines.maxCount
            let part: Lines.Part =
                last == nil ? .newest(hasEarlier: hasEarlier) : entries.isComplete && !hasEarlier ? .next : .afterGap
            return Lines.text(entries.texts.suffix(Lines.maxCount), of: session.name, session.life, part)
        }
        return append("lines", text)
    }

    /// The next lines come as to a client that was away.
    func skip(historyOf name: ByteString) { if position[name] != nil { resumed.insert(name) } }

    /// Once, for a session that is not there, or has gone while the client was away.
    private func write(historyOfAbsent name: ByteString) -> Int {
        let (last, isResumed) = (position[name], resumed.remove(name) != nil)
        position[name] = StreamPosition.Entry(life: 0, seq: 0)
        guard last == nil || isResumed && last?.life != 0 else { return 0 }
        return append("lines", Lines.text([], of: name.text, nil, last == nil ? .newest(hasEarlier: false) : .afterGap))
    }

    func writeMore(_ budget: inout Int) {
        let before = fresh.count
        greet()
        if needsStatus { append("status", statusText) }
        if needsFlows { append("flows", streams.flowsText()) }
        // It keeps the connection alive, and a client without it knows that the connection is lost.
        if needsBeat { append("beat", "{}") }
        (needsStatus, needsFlows, needsBeat) = (false, false, false)
        budget -= FeedReader.pieces(of: fresh.count - before)
    }

    /// The first event of a stream.
    private func greet() {
        guard needsHello else { return }
        needsHello = false
        let clock: JSON = host.virtualClock == nil ? "system" : "virtual"
        var hello: [JSON.Member] = [
            .init("boot", .string(host.feed.boot)), .init("version", .string(gamedVersion)), .init("clock", clock),
            .init("now_ms", .integer(host.wallMilliseconds)),
        ]
        if let node = host.cluster?.name { hello.append(.init("node", .string(node))) }
        if subscriber.hasLogin { hello.append(.init("login", true)) }
        append("hello", JSON.object(hello).description)
    }

    /// Appends an event, with the id that a reconnecting client sends back. Returns its bytes.
    @discardableResult
    func append(_ event: StaticString, _ data: String) -> Int {
        greet()
        let before = fresh.count
        fresh += "event: ".utf8
        event.withUTF8Buffer { fresh += $0 }
        fresh += "\nid: ".utf8
        fresh += position.id(rows?.place.number, of: scope, in: host.feed).utf8
        fresh += "\ndata: ".utf8
        fresh += data.utf8
        fresh += "\n\n".utf8
        return fresh.count - before
    }

    /// An event from another node, or about nodes. It has no id: a client that reconnects gets it again.
    func append(foreign event: String, _ data: some Sequence<UInt8>) {
        greet()
        fresh += "event: ".utf8
        fresh += event.utf8
        fresh += "\ndata: ".utf8
        fresh += data
        fresh += "\n\n".utf8
    }

    func flush() -> Int {
        if feedReader.hasPending, !hasRoom { streams.wait(for: self) }
        let bytes = fresh
        fresh = []
        if !bytes.isEmpty { streams.delegate?.send(bytes[...], to: stream) }
        return bytes.count
    }
}

// MARK: - Contents of a stream

enum Topic: Hashable {
    case sessions, status, flows
    /// A session's view, by name.
    case session(ByteString)
    /// A session's history, by name.
    case history(ByteString)

    var name: ByteString? {
        switch self {
        case .session(let name), .history(let name): name
        case .sessions, .status, .flows: nil
        }
    }

    static let maxCount = 16

    static func read(_ words: [String]) throws(CommandError) -> [Topic] {
        guard words.count <= maxCount else {
            throw CommandError(.limit, "a stream has at most \(maxCount) topics, not \(words.count)")
        }
        var topics: [Topic] = []
        for word in words {
            let topic = try Topic(word)
            if !topics.contains(topic) { topics.append(topic) }
        }
        guard !topics.isEmpty else { throw CommandError(.generic, "a stream needs a topic: \(forms)") }
        return topics
    }

    private static let forms = "sessions, status, flows, session:NAME or history:NAME"

    private init(_ word: String) throws(CommandError) {
        switch word {
        case "sessions": self = .sessions
        case "status": self = .status
        case "flows": self = .flows
        default:
            // Bytes are compared: a name may begin with what would join a character before it.
            if let name = word.utf8.dropping("session:".utf8) {
                self = .session(name)
            } else if let name = word.utf8.dropping("history:".utf8) {
                self = .history(name)
            } else {
                throw CommandError(.generic, "there is no topic '\(word.shortened)'; available: \(Self.forms)")
            }
        }
    }
}

extension String.UTF8View {
    /// The part after a prefix; nil without the prefix.
    fileprivate func dropping(_ prefix: String.UTF8View) -> ByteString? {
        guard starts(with: prefix) else { return nil }
        return Array(dropFirst(prefix.count)).withUnsafeBytes { ByteString($0) }
    }
}

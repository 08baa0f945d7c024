// A stub of the daemon for `gamectl watch`. It implements a part of the protocol, sends what the test sets, and can stop.

import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

final class StubDaemon: Sendable {
    private struct Client {
        let descriptor: Int32
        var channels: Set<String> = []
        var patterns: [String] = []
    }

    private struct State {
        var clients: [Client] = []
        var requests: [[String]] = []
        /// The sessions' views by session name.
        var views: [String: String]
        /// The address to which STATE redirects; nil if sessions are on this node.
        var elsewhere: String?
        /// Other replies, by the request's first word.
        var replies: [String: String]
        /// Whether requests get no replies.
        var isHanging = false
    }

    let path: String
    private let listener: Int32
    private let state: Mutex<State>

    /// Listens at the path. A view is a JSON object.
    init(
        at path: String, views: [String: String], elsewhere: String? = nil, replies: [String: String] = [:]
    ) throws {
        self.path = path
        state = Mutex(State(views: views, elsewhere: elsewhere, replies: replies))
        unlink(path)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let status = withUnsafeBytes(of: &address) { bytes in
            bind(listener, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        try #require(status == 0 && listen(listener, 8) == 0)
        Thread.detachNewThread { [self] in acceptAll() }
    }

    /// Disconnects all clients and stops listening.
    func leave() {
        shutdown(listener, Int32(SHUT_RDWR))
        unlink(path)
        state.withLock { state in
            for client in state.clients { shutdown(client.descriptor, Int32(SHUT_RDWR)) }
            state.clients = []
        }
    }

    /// The number of requests that began with these words.
    func count(of words: String...) -> Int {
        state.withLock { $0.requests.count { $0.starts(with: words) } }
    }

    var requests: Int { state.withLock(\.requests.count) }

    /// Sets the reply to requests that begin with this word.
    func reply(_ reply: String, to word: String) { state.withLock { $0.replies[word] = reply } }

    /// Leaves all further requests without a reply.
    func hang() { state.withLock { $0.isHanging = true } }

    /// Sets a session's view and publishes it; nil drops the session.
    func show(_ name: String, _ view: String?) {
        state.withLock { $0.views[name] = view }
        publish("view:" + name, view ?? "null")
    }

    /// Sends the message to all subscribers of the channel.
    func publish(_ channel: String, _ message: String) {
        state.withLock { state in
            for client in state.clients {
                if client.channels.contains(channel) { Self.say(Self.push(["message", channel, message]), client.descriptor) }
                for pattern in client.patterns where channel.hasPrefix(pattern.dropLast()) {
                    Self.say(Self.push(["pmessage", pattern, channel, message]), client.descriptor)
                }
            }
        }
    }

    // MARK: Serving

    private func acceptAll() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { break }
            state.withLock { $0.clients.append(Client(descriptor: descriptor)) }
            Thread.detachNewThread { [self] in serve(descriptor) }
        }
        close(listener)
    }

    private func serve(_ descriptor: Int32) {
        var (input, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            input += buffer[..<count]
            while let words = Self.takeRequest(&input) { answer(words, descriptor) }
        }
        state.withLock { $0.clients.removeAll { $0.descriptor == descriptor } }
        close(descriptor)
    }

    private func answer(_ words: [String], _ descriptor: Int32) {
        state.withLock { state in
            state.requests.append(words)
            guard !state.isHanging, let index = state.clients.firstIndex(where: { $0.descriptor == descriptor }) else { return }
            var reply = ""
            switch words[0] {
            case "SUBSCRIBE":
                for channel in words.dropFirst() {
                    state.clients[index].channels.insert(channel)
                    let view = state.views[String(channel.dropFirst("view:".count))] ?? "null"
                    reply += Self.push(["subscribe", channel, "1"]) + Self.push(["message", channel, view])
                }
            case "UNSUBSCRIBE":
                for channel in words.dropFirst() {
                    state.clients[index].channels.remove(channel)
                    reply += Self.push(["unsubscribe", channel, "0"])
                }
            case "PSUBSCRIBE":
                state.clients[index].patterns.append(words[1])
                reply = Self.push(["psubscribe", words[1], "1"])
            case "SESSIONS":
                reply = "*2\r\n" + Self.bulk("0") + "*\(state.views.count)\r\n" + state.views.keys.map(Self.bulk).joined()
            case "STATE":
                reply = state.elsewhere.map { "-MOVED 7638 \($0)\r\n" } ?? state.replies["STATE"] ?? "+OK\r\n"
            case "CLOCK": reply = "%1\r\n" + Self.bulk("clock") + Self.bulk("system")
            default: reply = state.replies[words[0]] ?? "+OK\r\n"
            }
            Self.say(reply, descriptor)
        }
    }

    private static func say(_ text: String, _ descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    private static func bulk(_ text: String) -> String { "$\(text.utf8.count)\r\n\(text)\r\n" }

    private static func push(_ words: [String]) -> String { ">\(words.count)\r\n" + words.map(bulk).joined() }

    /// Removes a complete request from the input and returns its words. Words must not contain line ends.
    private static func takeRequest(_ input: inout [UInt8]) -> [String]? {
        let lines = String(decoding: input, as: UTF8.self).components(separatedBy: "\r\n")
        guard let count = lines[0].first == "*" ? Int(lines[0].dropFirst()) : nil, lines.count > 2 * count + 1 else {
            return nil
        }
        let used = lines[...(2 * count)].reduce(0) { $0 + $1.utf8.count + 2 }
        input.removeFirst(used)
        return (1...count).map { lines[2 * $0] }
    }
}

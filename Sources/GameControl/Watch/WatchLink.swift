// The subscription of a watch, which outlives the daemon: it subscribes again once one listens at the same address.

import Client
import GameFlow
import GamedClient
import Glibc
import RESP
import Texts

final class WatchLink {
    /// An event since the last call.
    enum Event {
        case received(WatchEvent)
        /// The daemon has ended, hung up, or does not reply.
        case lost
        /// It is back, and was subscribed to again.
        case back(after: Duration)
    }

    private enum State {
        case connected(ServerConnection)
        case away(since: ContinuousClock.Instant, nextTry: ContinuousClock.Instant, pause: Duration)
    }

    private static let (minPause, maxPause) = (Duration.milliseconds(50), Duration.seconds(1))

    private let daemon: DaemonClient
    private let subscribe: (DaemonClient) throws(ControlError) -> Void
    private let clock = ContinuousClock()
    private var state: State
    /// Whether the next events() has to report the loss.
    private var isLossUnreported = false
    /// Whether messages may have been read together with replies: then nothing is waited for.
    private var mayHaveMessages = true

    /// Connects, and throws if there is no daemon. `subscribe` is called for each connection.
    init(_ daemon: DaemonClient, subscribe: @escaping (DaemonClient) throws(ControlError) -> Void) throws(ControlError) {
        self.daemon = daemon
        self.subscribe = subscribe
        state = .connected(try daemon.connect())
        try subscribe(daemon)
    }

    deinit {
        daemon.disconnect()
    }

    /// Since when there is no daemon; nil if there is one.
    var awaySince: ContinuousClock.Instant? { if case .away(let since, _, _) = state { since } else { nil } }

    // MARK: Waiting

    /// Waits for the daemons or for `input`, but no longer than `limit`. Returns false if `input` is closed, or `output` has lost its reader.
    static func wait(for links: [WatchLink], atMost limit: Duration?, input: Int32? = nil, output: Int32? = nil) -> Bool {
        var watched = [input, output].compactMap(\.self).map {
            pollfd(fd: $0, events: $0 == input ? Int16(POLLIN) : 0, revents: 0)
        }
        let others = watched.count
        var time = limit
        for link in links {
            if let descriptor = link.descriptor { watched.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
            if let rest = link.rest { time = min(time ?? rest, rest) }
        }
        poll(&watched, nfds_t(watched.count), time.map { Int32(clamping: $0.milliseconds) } ?? -1)
        return watched.prefix(others).allSatisfy { $0.revents & Int16(POLLHUP | POLLERR | POLLNVAL) == 0 }
    }

    private var descriptor: Int32? { if case .connected(let connection) = state { connection.descriptor } else { nil } }

    /// The time after which it is checked even without input; nil if it needs input.
    private var rest: Duration? {
        if mayHaveMessages { return .zero }
        guard case .away(_, let nextTry, _) = state else { return nil }
        return max(.zero, clock.now.duration(to: nextTry))
    }

    /// Returns the events since the last call, in order. Throws only errors that waiting cannot fix.
    func events() throws(ControlError) -> [Event] {
        mayHaveMessages = false
        switch state {
        case .connected(let connection):
            do throws(ControlError) { try connection.receivePending() } catch { try lose(because: error) }
            return events(from: connection) + unreportedLoss()
        case .away(let since, let nextTry, let pause):
            let loss = unreportedLoss()
            guard clock.now >= nextTry else { return loss }
            guard let connection = try attempt() else {
                let longer = min(pause * 2, Self.maxPause)
                state = .away(since: since, nextTry: clock.now + longer, pause: longer)
                return loss
            }
            state = .connected(connection)
            mayHaveMessages = true
            return loss + [.back(after: since.duration(to: clock.now))] + events(from: connection)
        }
    }

    private func unreportedLoss() -> [Event] {
        defer { isLossUnreported = false }
        return isLossUnreported ? [.lost] : []
    }

    private func events(from connection: ServerConnection) -> [Event] {
        connection.takeMessages().compactMap(WatchEvent.init).map { .received($0) }
    }

    // MARK: Asking

    /// Asks, and returns the replies; none if the daemon is away. Messages that arrive meanwhile are kept for the next look.
    @discardableResult
    func ask(all requests: [[String]]) throws(ControlError) -> [Reply] {
        guard case .connected(let connection) = state, !requests.isEmpty else { return [] }
        mayHaveMessages = true
        do throws(ControlError) {
            return try connection.ask(all: requests)
        } catch {
            try lose(because: error)
            return []
        }
    }

    private func lose(because error: ControlError) throws(ControlError) {
        guard error.maySubside else { throw error }
        daemon.disconnect()
        isLossUnreported = true
        state = .away(since: clock.now, nextTry: clock.now + Self.minPause, pause: Self.minPause)
    }

    /// Nil if there is no daemon yet.
    private func attempt() throws(ControlError) -> ServerConnection? {
        do throws(ControlError) {
            let connection = try daemon.connect()
            try subscribe(daemon)
            return connection
        } catch {
            daemon.disconnect()
            guard error.maySubside else { throw error }
            return nil
        }
    }
}

extension ControlError {
    /// Whether a watch tries again: the daemon is gone or not ready yet, or a file of TLS is being replaced.
    var maySubside: Bool {
        switch self {
        case .noDaemon, .noConnection: true
        case .refused(let code, _): code.maySubside
        case .usage, .badFlow, .badFile, .unreadable, .file, .stream: false
        }
    }
}

// MARK: - The daemon's messages to watchers: everything that happens to a session, and its views.

/// One message of a subscription.
package enum WatchEvent {
    /// Something has happened to a session.
    case happened(WatchMessage)
    /// A session as it is now; nil if there is no session of that name.
    case view(String, SessionView?)
    /// The views of a session have ended, since another node of the cluster has it now.
    case viewsEnded(String)

    /// Nil for a reply that is no message, such as the confirmation of a subscription.
    package init?(_ reply: Reply) {
        guard case .push(let parts) = reply, parts.count >= 3, let kind = parts[0].text else { return nil }
        if kind == "unsubscribe", let name = parts[1].text?.viewedSession {
            self = .viewsEnded(name)
            return
        }
        guard ["message", "pmessage"].contains(kind),
            let channel = parts[parts.count - 2].text, let text = parts[parts.count - 1].text,
            let json = try? JSON(parsing: text)
        else { return nil }
        if let name = channel.viewedSession {
            self = .view(name, SessionView(json))
        } else if let message = WatchMessage(json) {
            self = .happened(message)
        } else {
            return nil
        }
    }
}

extension String {
    /// The session of a channel with views; nil for another channel.
    fileprivate var viewedSession: String? { hasPrefix("view:") ? String(dropFirst("view:".count)) : nil }
}

/// Something that has happened to a session.
package struct WatchMessage: Equatable, Sendable {
    package let session: String
    package let what: HistoryEntry.Kind
    /// The message itself.
    package let json: JSON

    /// Nil if it is another kind of message, perhaps of a newer daemon.
    init?(_ json: JSON) {
        guard let session = json["session"]?.text, let word = json["what"]?.text,
            let what = HistoryEntry.Kind.allCases.first(where: { $0.name == word })
        else { return nil }
        (self.session, self.what, self.json) = (session, what, json)
    }

    /// `room-7  introduction -> choosingEpisode  startPlaying (network)`, and what changes no state with the state that it is in.
    package var line: String {
        let by = "(\(cause))"
        let outcome =
            switch what {
            case .taken: "\(change)  \(text("event")) \(by)"
            case .forced: "\(change)  FORCE \(by)"
            case .postponed, .waiting, .ignored, .withdrawn: "\(text("to"))  \(text("event")) \(by) \(what.name)"
            case .refused: "\(text("to"))  \(text("event")) \(by) refused: \(text("refused"))"
            case .paused, .resumed, .extended: "\(text("to"))  \(action) \(by)"
            case .begun: "begun in \(text("to")) (\(text("flow")))"
            case .dropped: "dropped"
            }
        return "\(session)  \(outcome)".printable
    }

    private var change: String { stateChange(from: text("from"), to: text("to")) }

    /// `PAUSE`, or `PAUSE tick` of a timer.
    private var action: String { [what.command, json["timer"]?.text].compactMap(\.self).joined(separator: " ") }

    private func text(_ name: String) -> String { json[name]?.text ?? "?" }

    /// The actor, the timer that fired, or the kind of client.
    private var cause: String {
        if let actor = json["actor"]?.text { return actor }
        guard what.command == nil, let timer = json["timer"]?.text else { return text("source") }
        return "timer \(timer)"
    }
}

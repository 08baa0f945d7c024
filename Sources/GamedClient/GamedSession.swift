// One session of a daemon.

import GameFlow
import JSON
import RESP
import Texts

/// A session of a daemon: its views and events, and what can be done with it.
public struct GamedSession: Sendable {
    /// The session's name.
    public let name: String
    private let gamed: Gamed

    init(name: String, of gamed: Gamed) { (self.name, self.gamed) = (name, gamed) }

    // MARK: Reading

    /// The view now, and again after each change, over lost connections. A slow reader gets the newest one. They end when the session is dropped.
    public var views: AsyncStream<SessionView> { gamed.views(of: name) }

    /// Everything that happens from now on, over lost connections.
    public var events: AsyncStream<SessionEvent> { gamed.events(of: name) }

    /// The view now.
    public func view() async throws -> SessionView {
        let reply = try await gamed.ask(["VIEW", name], isRepeatable: true)
        guard let text = reply.text, let json = try? JSON(parsing: text), let view = SessionView(json) else {
            throw GamedError.unreadable("the daemon's reply is no view")
        }
        return view
    }

    // MARK: Changing

    /// The condition under which an event is taken.
    public enum Condition: Sendable {
        /// Nothing has changed since this view, other than by a timer that stayed in its state. Otherwise the event is refused with STALE.
        case unchanged(since: SessionView)
    }

    /// The outcome of an event that was not refused.
    public struct Sent: Sendable, Equatable {
        /// Whether it was taken.
        public enum Outcome: Sendable {
            /// It was taken.
            case taken
            /// It waits for a state that accepts it.
            case postponed
            /// It is not valid here, and the flow ignores that.
            case ignored
        }

        /// Whether the event was taken.
        public let outcome: Outcome
        /// The session's state after it.
        public let state: String
    }

    /// Sends an event without a payload. A refusal lists the accepted events. The event is taken once, however often the connection is lost meanwhile.
    @discardableResult
    public func send(_ event: String, if condition: Condition? = nil) async throws -> Sent {
        try await send(event, text: nil, condition)
    }

    /// Sends an event with its payload: a value, or an object with the payload's members.
    @discardableResult
    public func send(_ event: String, _ payload: some Encodable, if condition: Condition? = nil) async throws -> Sent {
        try await send(event, text: try Gamed.encoded(payload).description, condition)
    }

    private func send(_ event: String, text: String?, _ condition: Condition?) async throws -> Sent {
        var words = ["SEND", name, event] + (text.map { [$0] } ?? [])
        if case .unchanged(let view) = condition { words += ["IF", "\(view.life):\(view.version)"] }
        words += ["ID", Self.newID()]
        do {
            return Sent(try await gamed.ask(words, isRepeatable: true))
        } catch GamedError.refused(let refused) where refused.code == .noTransition {
            throw GamedError.refused(
                GamedError.Refused(code: refused.code, message: refused.message, accepted: try await acceptedEvents()))
        }
    }

    private func acceptedEvents() async throws -> [String] {
        guard case .array(let events) = try await gamed.ask(["EVENTS", name], isRepeatable: true) else { return [] }
        return events.compactMap(\.text)
    }

    /// 128 random bits.
    private static func newID() -> String {
        [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)].map { String($0, radix: 36) }.joined(
            separator: "-")
    }

    /// Stops the session's time, or one of its timers.
    public func pause(_ timer: String? = nil) async throws {
        _ = try await gamed.ask(["PAUSE", name] + (timer.map { [$0] } ?? []), isRepeatable: true)
    }

    /// Lets the session's time, or one of its timers, go on.
    public func resume(_ timer: String? = nil) async throws {
        _ = try await gamed.ask(["RESUME", name] + (timer.map { [$0] } ?? []), isRepeatable: true)
    }

    /// Adds time to a timer, or takes some away. Throws `unknownOutcome` if the connection is lost meanwhile.
    public func extend(_ timer: String, by duration: Duration) async throws {
        _ = try await gamed.ask(["EXTEND", name, timer, "\(duration.milliseconds)ms"])
    }

    /// Takes a postponed event back.
    public func withdraw(_ id: Int) async throws { _ = try await gamed.ask(["WITHDRAW", name, "\(id)"]) }

    /// Ends the session.
    public func drop() async throws { _ = try await gamed.ask(["DROP", name]) }
}

extension GamedSession.Sent {
    fileprivate init(_ reply: Reply) {
        let words = (reply.text ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        switch words.first {
        case "POSTPONED" where words.count == 2: self.init(outcome: .postponed, state: words[1])
        case "IGNORED" where words.count == 2: self.init(outcome: .ignored, state: words[1])
        default: self.init(outcome: .taken, state: reply.text ?? "")
        }
    }
}

// One session of a daemon.

import Client
import GameFlow
import RESP

/// A session of a daemon: its views and events, and what can be done with it.
public struct GamedSession: Sendable {
    /// The session's name.
    public let name: String
    private let gamed: Gamed

    init(name: String, of gamed: Gamed) { (self.name, self.gamed) = (name, gamed) }

    // MARK: Reading

    /// The view now, and again after each change, over lost connections. A slow reader gets the newest one. They end when the session is dropped.
    public var views: AsyncStream<SessionView> { gamed.views(of: name) }

    /// The entries of the session's history from now on, over lost connections. A reader that is 1,000 entries behind loses the oldest. They end with
    /// `close` of the client.
    public var events: AsyncStream<SessionEvent> { gamed.events(of: name) }

    /// The view now.
    public func view() async throws -> SessionView {
        let reply = try await gamed.ask(["VIEW", name], isRepeatable: true)
        guard let text = reply.text, let json = try? JSON(parsing: text), let view = SessionView(json) else {
            throw GamedError.unreadable("the daemon's reply is not a view")
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
    public struct SendResult: Sendable, Equatable {
        /// Whether it was taken.
        public enum Outcome: Sendable {
            /// It was taken.
            case taken
            /// It waits until the state changes.
            case postponed
            /// It is not valid here, and the flow ignores that.
            case ignored
        }

        /// Whether the event was taken.
        public let outcome: Outcome
        /// The session's state after it.
        public let state: String
    }

    /// Sends an event without a payload. A refusal lists the accepted events. After a lost connection the event is sent again with the same id, so that it
    /// is accepted at most once. Throws `unknownOutcome` if no reply comes in time.
    @discardableResult
    public func send(_ event: String, if condition: Condition? = nil) async throws -> SendResult {
        try await send(event, text: nil, condition)
    }

    /// Sends an event with its payload: a value, or an object with the payload's members.
    @discardableResult
    public func send(_ event: String, _ payload: some Encodable, if condition: Condition? = nil) async throws -> SendResult {
        try await send(event, text: try Gamed.encoded(payload).description, condition)
    }

    private func send(_ event: String, text: String?, _ condition: Condition?) async throws -> SendResult {
        var words = ["SEND", name, event] + (text.map { [$0] } ?? [])
        if case .unchanged(let view) = condition { words += ["IF", "\(view.life):\(view.version)"] }
        words += ["ID", Self.newID()]
        do {
            return SendResult(try await gamed.ask(words, isRepeatable: true))
        } catch GamedError.refused(let refused) where refused.code == .noTransition {
            throw GamedError.refused(
                GamedError.Refusal(
                    code: refused.code, message: refused.message, accepted: (try? await acceptedEvents()) ?? []))
        }
    }

    /// An event of `send(together:)`.
    public struct Event: Sendable {
        let words: [String]

        /// An event without a payload.
        public init(_ name: String) { words = [name] }

        /// An event with its payload: a value, or an object with the payload's members.
        public init(_ name: String, _ payload: some Encodable) throws {
            words = [name, try Gamed.encoded(payload).description]
        }
    }

    /// Sends events one after the other, with no other client's request in between; 30 at most. Each has its own result: a refused event does not
    /// undo those before it. After a lost connection they are sent again with the same ids.
    public func send(together events: [Event]) async throws -> [Result<SendResult, GamedError>] {
        guard !events.isEmpty else { return [] }
        let most = RequestQueue.maxSent - 2
        guard events.count <= most else {
            throw GamedError.unreadable("cannot send \(events.count) events together; the maximum is \(most)")
        }
        let sends = events.map { ["SEND", name] + $0.words + ["ID", Self.newID()] }
        let reply = try await gamed.ask([["MULTI"]] + sends + [["EXEC"]], isRepeatable: true)
        guard case .array(let replies) = reply, replies.count == events.count else {
            throw GamedError.unreadable("the daemon's reply is not one of EXEC")
        }
        return replies.map { reply in
            if case .error(let code, let message) = reply {
                .failure(Gamed.error(code, message))
            } else {
                .success(SendResult(reply))
            }
        }
    }

    private func acceptedEvents() async throws -> [String] {
        try await gamed.ask(["EVENTS", name], isRepeatable: true).elements.compactMap(\.text)
    }

    /// 128 random bits.
    private static func newID() -> String {
        [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)].map { String($0, radix: 36) }.joined(
            separator: "-")
    }

    /// Pauses the session's clock, and with it all timers, or one timer.
    public func pause(timer: String? = nil) async throws {
        _ = try await gamed.ask(["PAUSE", name] + (timer.map { [$0] } ?? []), isRepeatable: true)
    }

    /// Resumes the session's clock, or one timer.
    public func resume(timer: String? = nil) async throws {
        _ = try await gamed.ask(["RESUME", name] + (timer.map { [$0] } ?? []), isRepeatable: true)
    }

    /// Adds time to a timer; a negative duration subtracts. Throws `unknownOutcome` if the connection is lost before the reply.
    public func extend(_ timer: String, by duration: Duration) async throws {
        _ = try await gamed.ask(["EXTEND", name, timer, "\(duration.milliseconds)ms"])
    }

    /// Takes a postponed event back. Throws `unknownOutcome` if the connection is lost before the reply.
    public func withdraw(postponed id: Int) async throws { _ = try await gamed.ask(["WITHDRAW", name, "\(id)"]) }

    /// Drops the session. Throws `unknownOutcome` if the connection is lost before the reply.
    public func drop() async throws { _ = try await gamed.ask(["DROP", name]) }
}

extension GamedSession.SendResult {
    fileprivate init(_ reply: Reply) {
        let words = (reply.text ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        switch words.first {
        case "POSTPONED" where words.count == 2: self.init(outcome: .postponed, state: words[1])
        case "IGNORED" where words.count == 2: self.init(outcome: .ignored, state: words[1])
        default: self.init(outcome: .taken, state: reply.text ?? "")
        }
    }
}

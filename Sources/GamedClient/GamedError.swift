// The errors of a client.

/// Why a request has failed.
public enum GamedError: Error, Equatable, CustomStringConvertible {
    /// The daemon has refused it, and nothing has changed.
    case refused(Refusal)
    /// The connection was lost, or no reply came in time: a change may or may not have happened.
    case unknownOutcome(String)
    /// There is no connection to the daemon, and nothing has changed.
    case unavailable(String)
    /// A payload cannot be encoded, or a reply cannot be read.
    case unreadable(String)

    /// A refusal, for programs and for people.
    public struct Refusal: Error, Equatable, Sendable {
        /// The error code, such as NOTRANSITION.
        public let code: ErrorCode
        /// The reason, for people.
        public let message: String
        /// The events that the session accepts; empty where the reason is another one than its state, and in the results of `send(together:)`.
        public let accepted: [String]
    }

    /// Of a request without a reply. One that was sent may have been accepted.
    static func unanswered(_ wasSent: Bool, because reason: String) -> GamedError {
        wasSent ? .unknownOutcome(reason) : .unavailable(reason)
    }

    public var description: String {
        switch self {
        case .refused(let refused): "\(refused.code) \(refused.message)"
        case .unknownOutcome(let reason), .unavailable(let reason), .unreadable(let reason): reason
        }
    }
}

// The bounds that clients share, each with a share for one client and a reserve. docs/OPERATIONS.md lists them.

/// A bound on what all clients use together.
package enum SharedBound: String, CaseIterable, Sendable {
    case connections
    case strangers
    case clientBytes = "client-bytes"
    case patternPieces = "pattern-pieces"
    case httpRequests = "HTTP requests"
    case streams
    case relayedRequests = "relayed requests"
    case relayedStreams = "relayed streams"
    case logins
    case sandboxes
    case sandboxTime = "sandbox time"

    /// Treatment of a client that has its share, or when only the reserve is left.
    package enum Rule: Sendable {
        /// It gets an error.
        case refuses
        /// Once the bound is reached, the client above its share loses its oldest or biggest entries.
        case displaces
        /// Clients take turns.
        case alternates
    }

    package var rule: Rule {
        switch self {
        case .connections, .patternPieces, .httpRequests, .streams, .relayedRequests, .relayedStreams: .refuses
        case .strangers, .clientBytes, .logins, .sandboxes: .displaces
        case .sandboxTime: .alternates
        }
    }

    /// The counted unit, for errors.
    var unit: String {
        switch self {
        case .connections: "connections"
        case .strangers: "connections without a token"
        case .clientBytes: "bytes of replies"
        case .patternPieces: "bytes behind the stars of patterns"
        case .httpRequests: "HTTP requests being answered"
        case .streams: "streams"
        case .relayedRequests: "requests that wait for other nodes"
        case .relayedStreams: "streams of other nodes"
        case .logins: "logins"
        case .sandboxes: "sandboxes"
        case .sandboxTime: "slices of sandboxes"
        }
    }
}

extension Limits {
    /// The most of a shared bound that one token, or one address, may have. It is rounded up.
    package func share(of bound: Int) -> Int { bound - part(of: bound, 100 - sharePercent) }

    /// The part of a shared bound that only the UNIX socket, administrators and health checks may use. It is rounded down.
    package func reserve(of bound: Int) -> Int { part(of: bound, reservePercent) }

    /// Both factors are small: a bound is at most 2^40.
    private func part(of bound: Int, _ percent: Int) -> Int { bound / 100 * percent + bound % 100 * percent / 100 }
}

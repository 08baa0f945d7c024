// The bounds that clients share, each with a share for one client and a reserve. docs/OPERATIONS.md lists them.

/// A bound on what all clients use together.
package enum SharedBound: String, CaseIterable, Sendable {
    // A client that has its share gets an error, as does one without a right to the reserve where only that is left.
    case connections
    case patternPieces = "pattern-pieces"
    case httpRequests = "HTTP requests"
    case streams
    case relayedRequests = "relayed requests"
    case relayedStreams = "relayed streams"
    // Once the bound is reached, the client above its share loses its oldest or biggest entries.
    case strangers
    case clientBytes = "client-bytes"
    case logins
    case sandboxes
    // Clients take turns.
    case sandboxTime = "sandbox time"

    /// The counted unit, for errors.
    var unit: String {
        switch self {
        case .connections: "connections"
        case .strangers: "connections without a token"
        case .clientBytes: "bytes of replies"
        case .patternPieces: "bytes after the stars of patterns"
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

    /// The bytes that sockets may hold beside those of HTTP, and the reverse. Each side can always have half of the bound.
    package func clientBytes(besides other: Int) -> Int { max(clientBytes / 2, clientBytes - other) }

    /// Both factors are small: a bound is at most 2^40.
    private func part(of bound: Int, _ percent: Int) -> Int { bound / 100 * percent + bound % 100 * percent / 100 }
}

// How far a client is trusted, which decides what it may ask.

/// How far a client is trusted.
package enum ClientTrust: UInt8, Sendable {
    /// A network client that has not sent the token.
    case stranger
    /// A network client of a daemon without a token.
    case guest
    /// The daemon's own user or root on the UNIX socket, or a client that has sent the token.
    case trusted
}

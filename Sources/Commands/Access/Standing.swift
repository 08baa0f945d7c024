// Who a client is, as far as that decides what it may ask.

/// What is known of a client.
package enum Standing: UInt8, Sendable {
    /// It came over the network, where a token is asked for, and has not said it.
    case stranger
    /// It came over the network, where nobody asked for a token.
    case guest
    /// The system knows it as the daemon's own user or root, or it has said the token.
    case trusted
}

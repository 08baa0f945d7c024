// What the UNIX and the TCP listener have in common.

import EventLoop
import Posix

/// Why the daemon cannot listen at an address.
package struct ListenerError: Error, CustomStringConvertible {
    package let description: String
    /// Whether somebody else listens there.
    package var isInUse = false
}

/// Accepts connections.
package protocol Listener: EventInput {
    /// Where it listens, as shown to people.
    var address: String { get }
    /// Resumes accepting after it ran out of descriptors.
    func resume()
}

/// How a client connected, which decides how it is authenticated.
package enum Transport: String, Sendable {
    /// By the peer's user id.
    case unix
    /// By a token.
    case tcp
}

/// Takes an accepted connection.
package typealias ConnectionHandler = (consuming Descriptor, Transport) -> Void

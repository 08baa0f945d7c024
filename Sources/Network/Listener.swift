// A place where the daemon can be reached.

import EventLoop
import Posix

/// Why nobody can be listened to at a place.
package struct ListenerError: Error, CustomStringConvertible {
    package let description: String
}

/// A source that takes in connections.
package protocol Listener: EventInput {
    /// Where it listens, as people write it.
    var place: String { get }
    /// Takes up accepting again, after it had to stop for want of descriptors.
    func resume()
}

/// How somebody came in, which decides how they are known.
package enum Door: String, Sendable {
    /// The system says who is there.
    case unix
    /// A token says who is there.
    case tcp
}

/// What is done with a connection that has been taken in.
package typealias Reception = (consuming Descriptor, Door) -> Void

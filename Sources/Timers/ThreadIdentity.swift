// Which thread code runs on.

import Glibc

/// A thread, to be compared with another one.
package struct ThreadIdentity: Equatable, Sendable {
    private let bits: UInt

    /// The thread that this is called on.
    package static var current: ThreadIdentity { ThreadIdentity(bits: UInt(pthread_self())) }
}

// Identifies the current thread.

import Glibc

/// A thread's identity, for comparison.
package struct ThreadIdentity: Equatable, Sendable {
    private let bits: UInt

    /// The calling thread.
    package static var current: ThreadIdentity { ThreadIdentity(bits: UInt(pthread_self())) }
}

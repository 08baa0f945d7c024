// What ends the waiting of a connection, from any thread.

import CLinux
import Glibc

package final class Interrupter: Sendable {
    /// Readable once it is interrupted. Below zero if the system has no descriptor left.
    let descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))

    package init() {}

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Ends whatever its connections wait for, now and later: they are lost, and the outcome of what is under way is unknown.
    package func interrupt() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }
}

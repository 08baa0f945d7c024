import CLinux
import Glibc

/// Whether something keeps the machine's clock right, as the kernel knows it.
package enum ClockSynchronization {
    /// Nil where the kernel does not say.
    package static var isThere: Bool? {
        var clock = timex()
        let state = adjtimex(&clock)
        guard state >= 0 else { return nil }
        return state != TIME_ERROR
    }
}

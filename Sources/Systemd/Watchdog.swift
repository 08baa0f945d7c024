// How often systemd wants to hear from a service.

import Glibc

package enum Watchdog {
    /// The interval of WATCHDOG_USEC in microseconds; nil if nobody waits for a beat, or for another process's.
    package static func interval(_ value: (String) -> String?) -> Int? {
        guard let interval = value("WATCHDOG_USEC").flatMap({ Int($0) }), interval > 0 else { return nil }
        guard let process = value("WATCHDOG_PID") else { return interval }
        return Int32(process) == getpid() ? interval : nil
    }
}

// How a date is written for people: in this machine's time, or in UTC.

import CLinux
import Glibc

package enum DateZone: String, Sendable, CaseIterable {
    case local, utc

    /// Seconds since 1970, in strftime's format; nil if they are no date.
    package func text(_ seconds: Int, _ format: String) -> String? {
        var (time, parts) = (time_t(seconds), tm())
        guard (self == .utc ? gmtime_r(&time, &parts) : localtime_r(&time, &parts)) != nil else { return nil }
        var text = [CChar](repeating: 0, count: 64)
        return strftime(&text, text.count, format, &parts) > 0 ? String(systemText: text) : ""
    }

    /// `Z`, or the distance from UTC at that time: `+01:00`.
    package func offset(at seconds: Int) -> String {
        guard self == .local, let text = text(seconds, "%z") else { return "Z" }
        return "\(text.dropLast(2)):\(text.suffix(2))"
    }
}

/// Whether something keeps the machine's clock right, as the kernel knows it.
package enum ClockSynchronization {
    /// Nil where the kernel does not provide it.
    package static var isThere: Bool? {
        var clock = timex()
        let state = adjtimex(&clock)
        guard state >= 0 else { return nil }
        return state != TIME_ERROR
    }
}

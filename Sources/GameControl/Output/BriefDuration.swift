// Durations at a glance.

import RESP
import Timers

package enum BriefDuration {
    /// `9.3s`, `1m30s`, `2h05m`, `3d04h`: at most two numbers, rounded up.
    package static func text(_ left: Duration) -> String {
        let (whole, rest) = left.wholeNanoseconds.quotientAndRemainder(dividingBy: 100_000_000)
        let tenths = rest > 0 ? whole + 1 : whole
        guard tenths >= 600 else { return "\(tenths / 10).\(tenths % 10)s" }
        let seconds = (tenths + 9) / 10
        if seconds < 3_600 { return "\(seconds / 60)m" + two(seconds % 60) + "s" }
        if seconds < 86_400 { return "\(seconds / 3_600)h" + two(seconds / 60 % 60) + "m" }
        return "\(seconds / 86_400)d" + two(seconds / 3_600 % 24) + "h"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Reply {
    var milliseconds: Duration? {
        if case .integer(let value) = self { .milliseconds(value) } else { nil }
    }
}

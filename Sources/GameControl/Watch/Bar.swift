// A bar that runs down, and the time beside it.

import Terminal
import Timers

package struct Bar {
    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    private let style: Style
    private let isUnicode: Bool

    package init(style: Style, isUnicode: Bool) {
        self.style = style
        self.isUnicode = isUnicode
    }

    package func drawn(_ left: Duration, of length: Duration, width: Int, isPaused: Bool) -> String {
        let part = length > .zero ? min(1, max(0, left / length)) : 0
        let eighths = Int((part * Double(width) * 8).rounded(.up))
        let look: Look = isPaused ? .stopped : part < 0.2 ? .bad : .good
        guard isUnicode else {
            let full = min(width, (eighths + 7) / 8)
            return "[" + style(String(repeating: "#", count: full), look) + String(repeating: " ", count: width - full) + "]"
        }
        let full = String(repeating: "█", count: eighths / 8) + Self.eighths[eighths % 8]
        return style(full, look) + style(String(repeating: "·", count: width - full.count), .faint)
    }

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

// A bar that runs down.

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
        let look: TextAttribute = isPaused ? .stopped : part < 0.2 ? .bad : .good
        guard isUnicode else {
            let full = min(width, (eighths + 7) / 8)
            return "[" + style(String(repeating: "#", count: full), look) + String(repeating: " ", count: width - full) + "]"
        }
        let full = String(repeating: "█", count: eighths / 8) + Self.eighths[eighths % 8]
        return style(full, look) + style(String(repeating: "·", count: width - full.count), .faint)
    }
}

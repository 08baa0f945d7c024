// Colours, where they are wanted.

import Glibc
import Posix

/// The role of a piece of text, which decides its look.
package enum TextAttribute: String, Sendable {
    case plain = ""
    case strong = "1"
    case faint = "2"
    case good = "32"
    case bad = "31"
    case stopped = "33"
    case name = "36"
}

package struct Style: Sendable {
    package let hasColours: Bool

    package init(hasColours: Bool) {
        self.hasColours = hasColours
    }

    /// Colours only on a terminal that has them, and only if NO_COLOR is not set (no-color.org).
    package static func of(descriptor: Int32) -> Style {
        let wantsNone = environmentVariable("NO_COLOR") != nil
        return Style(hasColours: isatty(descriptor) == 1 && !wantsNone && !TerminalKind.isDumb)
    }

    package func callAsFunction(_ text: String, _ look: TextAttribute) -> String {
        hasColours && look != .plain && !text.isEmpty ? "\u{1B}[\(look.rawValue)m\(text)\u{1B}[0m" : text
    }
}

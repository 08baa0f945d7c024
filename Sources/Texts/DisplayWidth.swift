// How many columns of a terminal a text takes, and text that is made to fit.

extension String {
    /// The columns that it takes on a terminal.
    package var displayWidth: Int {
        if utf8.count == unicodeScalars.count { return utf8.count }
        return reduce(0) { $0 + $1.displayWidth }
    }

    /// The text with blanks after it.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - displayWidth))
    }

    /// The text with blanks before it.
    package func leftPadded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - displayWidth)) + self
    }

    /// As much of the text as fits, with an ellipsis where something is missing.
    package func clipped(to width: Int) -> String {
        guard displayWidth > width else { return self }
        var (text, used) = ("", 0)
        for character in self {
            used += character.displayWidth
            guard used <= width - 1 else { break }
            text.append(character)
        }
        return width > 0 ? text + "…" : ""
    }
}

extension Character {
    fileprivate var displayWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: return first.isWide || unicodeScalars.contains("\u{FE0F}") ? 2 : 1
        }
    }
}

extension Unicode.Scalar {
    /// The blocks of East Asian writing, and what is an emoji by itself.
    fileprivate var isWide: Bool {
        switch value {
        case ..<0x1100: false
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            true
        default: properties.isEmojiPresentation
        }
    }
}

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

    /// The text with blanks or zeros before it.
    package func leftPadded(to width: Int, with filler: String = " ") -> String {
        String(repeating: filler, count: max(0, width - displayWidth)) + self
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
    /// The blocks of East Asian writing, and characters that are emoji by themselves.
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

// MARK: - Untrusted text

extension String {
    /// The text, or its beginning with an ellipsis if it has more bytes of UTF-8 than that; cut between two scalars.
    @inlinable package func cut(to most: Int) -> String {
        guard utf8.count > most else { return self }
        let mark = "…"
        var end = utf8.index(startIndex, offsetBy: max(0, most - mark.utf8.count))
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end] + mark
    }

    /// As much of an input as an error message should quote.
    @inlinable package var shortened: String {
        let most = 64
        guard utf8.count > most,
            let end = unicodeScalars.index(startIndex, offsetBy: most, limitedBy: endIndex), end < endIndex
        else { return self }
        return String(unicodeScalars[..<end]) + "…"
    }
}

// MARK: - Sanitizes untrusted text before it is printed

extension Unicode.Scalar {
    /// Whether it affects the text around it or the terminal: control characters, line separators, and characters that change the direction of text
    /// or are invisible. Code that writes untrusted text escapes these.
    @inlinable package var isUnprintable: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x2064, 0x2066...0x2069, 0xFEFF,
            0xFFF9...0xFFFB:
            true
        default: false
        }
    }
}

extension String {
    /// The text on one line, with unprintable characters as escapes: `\n`, `\u{1b}`.
    package var printable: String {
        unicodeScalars.contains(where: \.isUnprintable) ? escaped(escapesBackslash: false, limit: .max) : self
    }

    /// The same for a record of a limited size. Backslashes are escaped too, so that no text can imitate an escape.
    package func printableRecord(limit: Int) -> String {
        escaped(escapesBackslash: true, limit: limit)
    }

    /// The same for text of several lines, which keeps its line ends and tabs.
    package var printableLines: String {
        split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false)
                .map { String($0).printable }.joined(separator: "\t")
        }.joined(separator: "\n")
    }

    private func escaped(escapesBackslash: Bool, limit: Int) -> String {
        var text = ""
        for scalar in unicodeScalars {
            guard text.utf8.count < limit else { return text + "…" }
            if scalar.isUnprintable || (escapesBackslash && scalar == "\\") {
                text += scalar.escape
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    fileprivate var escape: String {
        switch self {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        case "\\": "\\\\"
        default: "\\u{\(String(value, radix: 16))}"
        }
    }
}

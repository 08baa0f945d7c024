// Sanitizes untrusted text before it is printed, so that it cannot move a cursor, end a line or hide what follows.

extension Unicode.Scalar {
    /// Whether it affects the text around it or the terminal: control characters, line separators, and characters that change the
    /// direction of text or are invisible. Wherever untrusted text is written, these are escaped.
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

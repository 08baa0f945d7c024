// Text of others on a terminal: how wide it is, and nothing in it that a terminal would obey.

import CEdit
import GameFlow
import Glibc

extension String {
    /// What is not to be printed is shown and not sent: a session's name must not be able to move somebody's cursor.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isUnprintable { text += Self.escape(scalar) } else { text.unicodeScalars.append(scalar) }
        }
        return text
    }

    /// The same, for text of several lines.
    var printableLines: String {
        split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false)
                .map { String($0).printable }.joined(separator: "\t")
        }.joined(separator: "\n")
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(scalar.value, radix: 16))}"
        }
    }

    /// How many columns of a terminal it takes.
    package var displayWidth: Int {
        if utf8.count == unicodeScalars.count { return utf8.count }
        return reduce(0) { width, character in
            width + (character.unicodeScalars.map { max(0, Int(wcwidth(wchar_t($0.value)))) }.max() ?? 0).clampedToCharacter
        }
    }

    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - displayWidth))
    }

    /// As much of it as fits, with a sign where something is missing.
    func clipped(to width: Int) -> String {
        guard displayWidth > width else { return self }
        var (text, used) = ("", 0)
        for character in self {
            let next = String(character).displayWidth
            guard used + next <= width - 1 else { break }
            text.append(character)
            used += next
        }
        return width > 0 ? text + "…" : ""
    }
}

extension Int {
    /// What the system knows no width of, takes a column.
    fileprivate var clampedToCharacter: Int { Swift.min(2, Swift.max(1, self)) }
}

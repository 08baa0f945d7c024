// Text as a terminal shows it: how wide it is, and nothing in it that a terminal would take as an order.

enum TerminalText {
    /// The text in one line, with nothing in it that moves the cursor, colours or rings.
    static func plain(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isSafe($0) ? $0 : "\u{fffd}" }))
    }

    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        // Joiners make emoji; all else of this kind turns text around or hides it.
        case .format: scalar == "\u{200d}"
        default: true
        }
    }

    /// How many columns it takes.
    static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if scalar.properties.generalCategory == .nonspacingMark { return 0 }
        switch scalar.value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
            0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1faff, 0x20000...0x3fffd:
            return 2
        default: return character.unicodeScalars.contains("\u{fe0f}") ? 2 : 1
        }
    }

    /// The text, cut to so many columns.
    static func clipped(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        var (clipped, used) = ("", 1)
        for character in text {
            used += width(character)
            guard used <= columns else { break }
            clipped.append(character)
        }
        return columns > 0 ? clipped + "…" : ""
    }

    /// The text with blanks behind it.
    static func padded(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - width(text)))
    }
}

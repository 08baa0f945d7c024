// What people write who come from other languages, or forget the quotes, and how Lua has it.

enum SyntaxHints {
    /// What to add to a sentence about a text that Lua does not parse, and minds at this offset; empty if it looks like nothing known.
    static func hint(for text: String, at offset: Int, _ tokens: [Token]) -> String {
        if let advice = adviceAboutQuotes(text, tokens) { return "; " + advice }
        let bytes = Array(text.utf8)
        // Lua minds the first or the second of two signs, or the word behind them.
        let starts = [offset, offset - 1, offset - 2].filter { bytes.indices.contains($0) && !isInText($0, tokens) }
        let habit = signs.first { habit in starts.contains { bytes[$0...].starts(with: habit.sign.utf8) } }
        return habit.map { "; " + $0.advice } ?? ""
    }

    /// For a text of plain words only: it was meant to be a text, and is none without quotes of its own.
    static func adviceAboutQuotes(_ text: String, _ tokens: [Token]) -> String? {
        let isOfWords = tokens.allSatisfy { $0.name != nil } && tokens.first?.range.lowerBound == 0
        guard isOfWords, text.utf8.count <= 40, !text.contains("--") else { return nil }
        return "a text has quotes of its own: \"'\(text)'\""
    }

    private static func isInText(_ offset: Int, _ tokens: [Token]) -> Bool {
        guard let token = tokens.first(where: { $0.range.contains(offset) }) else { return false }
        switch token.kind {
        case .text, .textWithZero: return true
        case .name, .keyword, .number, .symbol: return false
        }
    }

    private static let value = "write the new value alone, such as n + 1"
    /// Longer ones before those that they contain.
    private static let signs: [(sign: String, advice: String)] = [
        ("!=", "'~=' means not equal"), ("&&", "write 'and'"), ("||", "write 'or'"), ("!", "write 'not'"), ("+=", value),
        ("-=", value), ("*=", value), ("/=", value), ("++", value), ("?", "'a and b or c' takes b if a is true, and else c"),
        ("=", "'==' compares, and '=' is no part of an expression"),
    ]
}

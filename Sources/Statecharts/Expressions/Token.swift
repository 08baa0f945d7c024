// The words of an expression. Lua itself parses; this tells which names a text mentions, whatever stands in its texts and comments.

/// A word of Lua, and where it stands among the text's bytes.
struct Token: Equatable {
    enum Kind: Equatable {
        case name(String)
        case keyword(String)
        case number
        /// A text between quotes or long brackets, with what is between them; nil if it has escapes.
        case text(String?)
        /// A text in quotes that has the character 0.
        case textWithZero
        case symbol(String)
    }

    var kind: Kind
    var range: Range<Int>

    func isSymbol(_ symbol: String) -> Bool { kind == .symbol(symbol) }
    func isKeyword(_ word: String) -> Bool { kind == .keyword(word) }

    var name: String? {
        if case .name(let name) = kind { name } else { nil }
    }

    static let keywords: Set<String> = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil", "not",
        "or",
        "repeat", "return", "then", "true", "until", "while",
    ]
}

// Token patterns: the meaning of a token from the tokens around it.

extension [Token] {
    private func token(_ index: Int) -> Token? { indices.contains(index) ? self[index] : nil }

    /// `name` in `x.name` and `x:name`.
    func isField(_ index: Int) -> Bool {
        guard let before = token(index - 1) else { return false }
        return before.isSymbol(".") || before.isSymbol(":")
    }

    /// `name` in `::name::` and `goto name`, and `const` in `local x <const>`.
    func isLabel(_ index: Int) -> Bool {
        guard let before = token(index - 1) else { return false }
        let isAttribute =
            before.isSymbol("<") && token(index + 1)?.isSymbol(">") == true && token(index - 3)?.isKeyword("local") == true
        return before.isSymbol("::") || before.isKeyword("goto") || isAttribute
    }

    /// `name` in `{ name = 1 }`, and in `name = 1`.
    func isAssigned(_ index: Int) -> Bool { token(index + 1)?.isSymbol("=") == true }

    /// `field` behind `x` in `x.field`.
    func fieldName(after index: Int) -> String? {
        token(index + 1)?.isSymbol(".") == true ? token(index + 2)?.name : nil
    }

    /// The text in `f("text")` and `f "text"`, the only argument, and where it and the call's last token are.
    func textArgument(after index: Int) -> (text: String, index: Int, last: Int)? {
        let isInParentheses = token(index + 1)?.isSymbol("(") == true
        let argument = isInParentheses ? index + 2 : index + 1
        guard case .text(let text?)? = token(argument)?.kind else { return nil }
        guard isInParentheses else { return (text, argument, argument) }
        return token(argument + 1)?.isSymbol(")") == true ? (text, argument, argument + 1) : nil
    }

    /// The first `,` or `;` that is in no bracket and in no function.
    var separator: Token? {
        var depth = 0
        for token in self {
            switch token.kind {
            case .symbol("("), .symbol("["), .symbol("{"), .keyword("function"), .keyword("do"), .keyword("if"),
                .keyword("repeat"):
                depth += 1
            case .symbol(")"), .symbol("]"), .symbol("}"), .keyword("end"), .keyword("until"): depth -= 1
            case .symbol(","), .symbol(";"):
                if depth == 0 { return token }
            case .name, .keyword, .number, .text, .textWithZero, .symbol: break
            }
        }
        return nil
    }

    /// The names that functions declare, in any scope. The use of a name before its declaration shows only when the expression is evaluated.
    var declaredNames: Set<String> {
        var names: Set<String> = []
        var isDeclaration = false
        for token in self {
            switch token.kind {
            case .name(let name): if isDeclaration { names.insert(name) }
            case .keyword("local"), .keyword("for"), .keyword("function"): isDeclaration = true
            case .symbol(","), .symbol("("), .symbol("<"), .symbol(">"): break
            case .keyword, .number, .text, .textWithZero, .symbol: isDeclaration = false
            }
        }
        return names
    }
}

/// A word of Lua, and where it stands among the text's bytes.
struct Token: Equatable {
    enum Kind: Equatable {
        case name(String)
        case keyword(String)
        case number
        /// A text between quotes or long brackets, with its content; nil if it has escapes, or ends of lines that Lua changes.
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

// Checks an expression's text and compiles it.

import CLua
import Texts

/// Compiles for one state of Lua and one context.
struct Compiler {
    let lua: LuaState
    let variables: [String: Int]

    /// `variables` are the names of the context, in its order.
    init(variables: [String]) throws(TextProblem) {
        do throws(LuaFailure) { lua = try LuaState() } catch { throw TextProblem(sentence: "there is no memory for it") }
        self.variables = Dictionary(variables.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The names and texts in it, for readers of files, which evaluate nothing.
    func mentions(in text: String) throws(TextProblem) -> ExpressionMentions {
        let compiled = try compile(text)
        lua.forget(compiled.function)
        return compiled.text.mentions
    }

    /// The parameters' texts are numbered from `firstText`.
    func compile(_ text: String, firstText: Int = 0) throws(TextProblem) -> (function: Int32, text: ExpressionText) {
        let read = try read(text, firstText)
        do throws(LuaFailure) {
            return (try lua.compile(read.chunk, libraries: read.libraries), read)
        } catch {
            let isFull = error.kind == .outOfMemory
            throw TextProblem(
                sentence: isFull
                    ? "and the expressions before it take more than \(GL_COMPILED_MEMORY.rawValue >> 20) MiB"
                    : LuaMessage.sentence(of: error, names: read.names), isAboutWhole: isFull)
        }
    }

    private func read(_ text: String, _ firstText: Int) throws(TextProblem) -> ExpressionText {
        let length = text.utf8.count
        guard length <= GL_TEXT_LENGTH.rawValue else {
            throw TextProblem(
                sentence: "has \(length) bytes; an expression has at most \(GL_TEXT_LENGTH.rawValue)",
                isAboutWhole: true)
        }
        if let zero = text.utf8.firstIndex(of: 0) {
            let offset = text.utf8.distance(from: text.startIndex, to: zero)
            throw TextProblem(offset: offset, sentence: "texts cannot have the character 0")
        }
        let tokens = Lexer.tokens(of: text)
        try checkBeginning(tokens)
        try parse(text, tokens)
        if let separator = tokens.separator {
            throw TextProblem(
                offset: separator.range.lowerBound, sentence: "is more than one expression; write just one", isAboutWhole: true)
        }
        if let zero = tokens.first(where: { $0.kind == .textWithZero }) {
            throw TextProblem(offset: zero.range.lowerBound, sentence: "texts cannot have the character 0")
        }
        return try ExpressionText(text, tokens: tokens, variables: variables, firstText: firstText)
    }

    private func checkBeginning(_ tokens: [Token]) throws(TextProblem) {
        guard let first = tokens.first else {
            throw TextProblem(sentence: "is empty; an expression is wanted", isAboutWhole: true)
        }
        guard case .keyword(let word) = first.kind, !["not", "nil", "true", "false", "function"].contains(word) else { return }
        throw TextProblem(
            offset: first.range.lowerBound, sentence: "'\(word)' begins no expression; statements are only allowed in functions"
        )
    }

    private func parse(_ text: String, _ tokens: [Token]) throws(TextProblem) {
        do throws(LuaFailure) { try lua.parse(text) } catch {
            let offset = offset(of: error, tokens, text)
            if error.kind == .message, let sentence = SyntaxHints.foreignCharacter(in: text, at: offset) {
                throw TextProblem(offset: offset, sentence: sentence)
            }
            let hint = error.kind == .message ? SyntaxHints.hint(for: text, at: offset, tokens) : ""
            throw TextProblem(
                offset: offset, sentence: LuaMessage.sentence(of: error) + hint, isAboutWhole: LuaMessage.isAboutWhole(error))
        }
    }

    /// Lua has read the token that it rejects, and one byte more.
    private func offset(of failure: LuaFailure, _ tokens: [Token], _ text: String) -> Int {
        if LuaMessage.endsTooEarly(failure) { return text.utf8.count }
        return tokens.last { $0.range.lowerBound < max(1, failure.consumed - 1) }?.range.lowerBound ?? 0
    }
}

// MARK: - Hints for syntax of other languages

enum SyntaxHints {
    /// The advice to add to a sentence about a text that Lua cannot parse at this offset; empty if no known mistake matches.
    static func hint(for text: String, at offset: Int, _ tokens: [Token]) -> String {
        if let advice = adviceAboutQuotes(text, tokens) { return "; " + advice }
        let bytes = Array(text.utf8)
        // Lua rejects the first or the second of two signs, or the word behind them.
        let starts = [offset, offset - 1, offset - 2].filter { bytes.indices.contains($0) && !isInText($0, tokens) }
        let habit = signs.first { habit in starts.contains { bytes[$0...].starts(with: habit.sign.utf8) } }
        return habit.map { "; " + $0.advice } ?? ""
    }

    /// The sentence about a character that no expression has outside of its texts; nil for one of Lua's, which are ASCII.
    static func foreignCharacter(in text: String, at offset: Int) -> String? {
        guard offset < text.utf8.count else { return nil }
        let index = text.utf8.index(text.startIndex, offsetBy: offset)
        guard text.utf8[index] >= 0x80, let start = text.indices.last(where: { $0 <= index }) else { return nil }
        let advice = foreignSigns[text[start]].map { "write \($0)" } ?? "outside of texts, names have letters from a to z"
        return "unexpected '\(text[start])'; \(advice)"
    }

    private static let foreignSigns: [Character: String] = [
        "–": "-", "−": "-", "×": "*", "÷": "/", "≥": ">=", "≤": "<=", "≠": "~=", "…": "..", "’": "'", "‘": "'", "“": "'",
        "”": "'",
    ]

    /// Advice for a text of plain words only: the author meant a text, and forgot its quotes.
    static func adviceAboutQuotes(_ text: String, _ tokens: [Token]) -> String? {
        let isOfWords = tokens.allSatisfy { $0.name != nil } && tokens.first?.range.lowerBound == 0
        guard isOfWords, text.utf8.count <= 40, !text.contains("--") else { return nil }
        return "a text needs its own quotes: \"'\(text)'\""
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

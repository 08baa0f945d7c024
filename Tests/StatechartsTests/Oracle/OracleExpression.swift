// The expressions of random charts, as a tree: a small part of Lua, so that the oracle does not depend on Lua.

import JSON
import Synchronization

/// Integers, texts, true, false, nil; variables and `event.value`; `state("path")`; + - * // %, comparisons, and, or, not.
indirect enum OracleExpression: Equatable {
    case constant(JSON)
    case variable(String)
    case event(member: String)
    case state(String)
    case not(OracleExpression)
    case negated(OracleExpression)
    case binary(String, OracleExpression, OracleExpression)

    private static let parsed = Mutex<[String: OracleExpression]>([:])

    /// A text is parsed once: thousands of sessions have the same expressions.
    init(_ text: String) throws {
        self = try Self.parsed.withLock { parsed in
            if let known = parsed[text] { return known }
            var parser = OracleExpressionParser(text)
            let expression = try parser.whole()
            parsed[text] = expression
            return expression
        }
    }
}

/// Reads an expression by Lua's precedence.
struct OracleExpressionParser {
    private var tokens: [String]
    private let text: String

    init(_ text: String) {
        self.text = text
        tokens = Self.tokens(of: text)
    }

    private static let levels: [[String]] = [
        ["or"], ["and"], ["<", ">", "<=", ">=", "~=", "=="], ["+", "-"], ["*", "//", "%"],
    ]

    mutating func whole() throws -> OracleExpression {
        let expression = try binary(0)
        guard tokens.isEmpty else { throw OracleError.expression(text) }
        return expression
    }

    private mutating func binary(_ level: Int) throws -> OracleExpression {
        guard level < Self.levels.count else { return try unary() }
        var left = try binary(level + 1)
        while let sign = tokens.first, Self.levels[level].contains(sign) {
            tokens.removeFirst()
            left = .binary(sign, left, try binary(level + 1))
        }
        return left
    }

    private mutating func unary() throws -> OracleExpression {
        switch tokens.first {
        case "not":
            tokens.removeFirst()
            return .not(try unary())
        case "-":
            tokens.removeFirst()
            return .negated(try unary())
        default: return try primary()
        }
    }

    private mutating func primary() throws -> OracleExpression {
        guard !tokens.isEmpty else { throw OracleError.expression(text) }
        let token = tokens.removeFirst()
        switch token {
        case "(":
            let inner = try binary(0)
            try expect(")")
            return inner
        case "state":
            try expect("(")
            let path = tokens.removeFirst()
            try expect(")")
            return .state(String(path.dropFirst()))
        case "event":
            try expect(".")
            return .event(member: tokens.removeFirst())
        case "true", "false": return .constant(.bool(token == "true"))
        case "nil": return .constant(.null)
        default: return named(token)
        }
    }

    private func named(_ token: String) -> OracleExpression {
        if let number = Int(token) { return .constant(.integer(number)) }
        return token.hasPrefix("'") ? .constant(.string(String(token.dropFirst()))) : .variable(token)
    }

    private mutating func expect(_ token: String) throws {
        guard tokens.first == token else { throw OracleError.expression(text) }
        tokens.removeFirst()
    }

    /// A text's token begins with its quote, and has none at the end.
    private static func tokens(of text: String) -> [String] {
        var (tokens, rest) = ([String](), Substring(text))
        while let first = rest.first {
            if first == " " {
                rest.removeFirst()
            } else if first == "'" {
                let inner = rest.dropFirst().prefix { $0 != "'" }
                tokens.append("'" + inner)
                rest = rest.dropFirst(inner.count + 2)
            } else {
                let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                let sign = ["<=", ">=", "~=", "==", "//"].first { rest.hasPrefix($0) } ?? String(first)
                tokens.append(word.isEmpty ? sign : String(word))
                rest = rest.dropFirst(word.isEmpty ? sign.count : word.count)
            }
        }
        return tokens
    }
}

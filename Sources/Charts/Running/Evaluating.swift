// Formulas and templates: values and texts with expressions in them.

import GameFlow

extension Formula {
    func value(_ engine: ExpressionEngine, in scope: Scope) throws(ExpressionError) -> JSON {
        switch self {
        case .constant(let value): return value
        case .expression(let expression): return try engine.value(of: expression, in: scope)
        case .object(let members):
            var found: [JSON.Member] = []
            for member in members { found.append(JSON.Member(member.name, try member.value.value(engine, in: scope))) }
            return .object(found)
        case .array(let elements):
            var found: [JSON] = []
            for element in elements { found.append(try element.value(engine, in: scope)) }
            return .array(found)
        }
    }
}

extension Template {
    func text(_ engine: ExpressionEngine, in scope: Scope) throws(ExpressionError) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .text(let words): text += words
            case .expression(let expression): text += try engine.value(of: expression, in: scope).inWords
            }
        }
        return text
    }
}

extension JSON {
    /// As it stands in a text: without quotes, and nothing for null.
    fileprivate var inWords: String {
        switch self {
        case .null: ""
        case .string(let text): text
        case .bool, .integer, .number, .array, .object: description
        }
    }
}

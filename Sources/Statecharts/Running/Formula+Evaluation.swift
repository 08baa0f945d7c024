// Formulas and templates: values and texts with expressions in them.

import GameFlow

extension Formula {
    /// The value, which is refused as soon as it has grown too large.
    func value(_ engine: ExpressionEngine, in scope: borrowing Scope) throws(FlowError) -> JSON {
        var room = ChartBounds.valueBytes
        return try value(engine, scope, &room)
    }

    private func value(_ engine: ExpressionEngine, _ scope: borrowing Scope, _ room: inout Int) throws(FlowError) -> JSON {
        switch self {
        case .constant(let value): return try value.taking(from: &room)
        case .expression(let expression): return try engine.value(of: expression, in: scope).taking(from: &room)
        case .object(let members):
            var found: [JSON.Member] = []
            for member in members {
                room -= member.name.utf8.count
                found.append(JSON.Member(member.name, try member.value.value(engine, scope, &room)))
            }
            return .object(found)
        case .array(let elements):
            var found: [JSON] = []
            for element in elements { found.append(try element.value(engine, scope, &room)) }
            return .array(found)
        }
    }
}

extension JSON {
    fileprivate func taking(from room: inout Int) throws(FlowError) -> JSON {
        room -= minSize
        guard room >= 0 else {
            throw .refused("a value has at most \(ChartBounds.valueBytes) bytes, and this one would have more")
        }
        return self
    }

    /// Whether no bound is near, so that its exact length need not be known.
    var isSurelyShort: Bool {
        switch self {
        case .null, .bool, .integer, .number: true
        // An escaped character has six bytes at most.
        case .string(let text): text.utf8.count < ChartBounds.valueBytes / 8
        case .array, .object: false
        }
    }

    /// Its bytes as JSON, or fewer: characters that are escaped count once, and a fraction counts as three.
    var minSize: Int {
        switch self {
        case .null, .bool: 4
        case .integer(let value): value.digits
        case .number: 3
        case .string(let text): text.utf8.count + 2
        case .array(let values): values.reduce(1) { $0 + 1 + $1.minSize }
        case .object(let members): members.reduce(1) { $0 + 4 + $1.name.utf8.count + $1.value.minSize }
        }
    }
}

extension Int {
    fileprivate var digits: Int {
        var (count, rest) = (self < 0 ? 2 : 1, magnitude / 10)
        while rest > 0 { (count, rest) = (count + 1, rest / 10) }
        return count
    }
}

extension Template {
    func text(_ engine: ExpressionEngine, in scope: borrowing Scope) throws(FlowError) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .text(let words): text += words
            case .expression(let expression): text += try engine.value(of: expression, in: scope).inWords
            }
            guard text.utf8.count <= ChartBounds.textBytes else {
                throw .refused("a text has at most \(ChartBounds.textBytes) bytes, and this one would have more")
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

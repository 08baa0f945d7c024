// The type and the bounds of a value, as JSON Schema says them.

import GameFlow
import JSON
import Texts

extension ChartReader {
    /// Nil if it is wrong, which is reported, and if a type has no bounds to declare.
    func valueKind(_ name: String, _ fields: Fields<ValueKey>) -> PayloadKind? {
        let hint = fields.value(.description).flatMap { problems.text($0, "a 'description'") }
        guard let type = valueType(fields) else { return nil }
        for (key, member) in fields.list where !type.has(key) {
            problems.error(member.offset, "'\(key.rawValue)' bounds no \(type.rawValue)")
        }
        switch type {
        case .integer: return .integer(name, in: integers(fields), hint: hint)
        case .number: return .number(name, in: numbers(fields), hint: hint)
        case .string: return text(name, fields, hint)
        case .boolean: return .boolean(name, hint: hint)
        case .object, .array: return nil
        }
    }

    private func valueType(_ fields: Fields<ValueKey>) -> ValueType? {
        guard let value = fields.value(.type) else {
            if fields.has(.choices) || fields.has(.minLength) || fields.has(.maxLength) { return .string }
            problems.error(fields.offset, "'type' is missing; \(ValueType.bounded.available)")
            return nil
        }
        guard let text = problems.text(value, "a 'type'") else { return nil }
        if let type = ValueType(rawValue: text) { return type }
        let hints = ["text": "string", "int": "integer", "float": "number", "double": "number", "bool": "boolean"]
        let advice = hints[text].map { "write '\($0)'" } ?? ValueType.bounded.nearest(to: text)
        problems.error(value.offset, "there is no type \(text.quoted); \(advice)")
        return nil
    }

    private func integers(_ fields: Fields<ValueKey>) -> ClosedRange<Int>? {
        guard fields.has(.minimum) || fields.has(.maximum) else { return nil }
        let least = fields.value(.minimum).flatMap { problems.integer($0, "'minimum'") } ?? .min
        let most = fields.value(.maximum).flatMap { problems.integer($0, "'maximum'") } ?? .max
        return range(least, most, fields, .maximum)
    }

    private func numbers(_ fields: Fields<ValueKey>) -> ClosedRange<Double>? {
        guard fields.has(.minimum) || fields.has(.maximum) else { return nil }
        let least = fields.value(.minimum).flatMap { problems.number($0, "'minimum'") } ?? -.infinity
        let most = fields.value(.maximum).flatMap { problems.number($0, "'maximum'") } ?? .infinity
        return range(least, most, fields, .maximum)
    }

    private func text(_ name: String, _ fields: Fields<ValueKey>, _ hint: String?) -> PayloadKind {
        if let choices = fields.value(.choices) {
            for (key, member) in fields.list where key == .minLength || key == .maxLength {
                problems.error(member.offset, "'enum' says all, and '\(key.rawValue)' beside it nothing more")
            }
            return .text(name, oneOf: self.choices(choices), hint: hint)
        }
        guard fields.has(.minLength) || fields.has(.maxLength) else { return .text(name, hint: hint) }
        let least = fields.value(.minLength).flatMap { problems.integer($0, "'minLength'") } ?? 0
        let most = fields.value(.maxLength).flatMap { problems.integer($0, "'maxLength'") } ?? .max
        return .text(name, length: range(max(0, least), most, fields, .maxLength) ?? 0...Int.max, hint: hint)
    }

    private func choices(_ value: LocatedJSON) -> [String] {
        guard case .array(let values) = value.content else {
            problems.wrong(value, "'enum' is an array of texts")
            return []
        }
        if values.isEmpty { problems.error(value.offset, "'enum' is empty; it has one text at least") }
        return values.compactMap { problems.text($0, "what 'enum' allows") }
    }

    private func range<Bound: Comparable>(
        _ least: Bound, _ most: Bound, _ fields: Fields<ValueKey>, _ key: ValueKey
    ) -> ClosedRange<Bound>? {
        if least <= most { return least...most }
        problems.error(fields[key]?.offset ?? fields.offset, "nothing is between \(least) and \(most)")
        return nil
    }
}

private enum ValueType: String, CaseIterable {
    case integer, number, string, boolean, object, array

    /// The types that can have bounds.
    static let bounded = [ValueType.integer, .number, .string, .boolean].map(\.rawValue)

    func has(_ key: ValueKey) -> Bool {
        switch key {
        case .type, .optional, .standard, .description: true
        case .minimum, .maximum: self == .integer || self == .number
        case .choices, .minLength, .maxLength: self == .string
        }
    }
}

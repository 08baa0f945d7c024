// The type and the bounds of a value, as JSON Schema says them.

import GameFlow
import Texts

extension ChartReader {
    /// Nil if it is wrong, which is reported, and if a type has no bounds to declare.
    func valueKind(_ name: String, _ fields: Fields<ValueKey>) -> PayloadKind? {
        let hint = fields.value(.description).flatMap { problems.text($0, "a 'description'") }
        guard let type = valueType(fields) else { return nil }
        for (key, member) in fields.list where !type.has(key) {
            let advice =
                key == .choices && type.has(.minimum) ? "; it lists texts, and numbers have 'minimum' and 'maximum'" : ""
            problems.error(member.offset, "'\(key.rawValue)' bounds no \(type.rawValue)\(advice)")
        }
        switch type {
        case .integer:
            let range = range(fields, (.minimum, .maximum), in: Int.min...Int.max, problems.integer)
            return .integer(name, in: range, hint: hint)
        case .number:
            let range = range(fields, (.minimum, .maximum), in: -Double.infinity...Double.infinity, problems.number)
            return .number(name, in: range, hint: hint)
        case .string: return text(name, fields, hint)
        case .boolean: return .boolean(name, hint: hint)
        case .object, .array: return nil
        }
    }

    /// The type for a word of other languages.
    private static let usualTypes = [
        "text": "string", "str": "string", "int": "integer", "float": "number", "double": "number", "bool": "boolean",
    ]

    /// The declaration of a field for which a file has the type alone.
    static func declaration(of field: String, type: String) -> String {
        let isType = ValueType.bounded.contains(type)
        return "{ \(field.shortened): { type: \"\(isType ? type : usualTypes[type] ?? "integer")\" } }"
    }

    private func valueType(_ fields: Fields<ValueKey>) -> ValueType? {
        guard let value = fields.value(.type) else {
            if fields.has(.choices) || fields.has(.minLength) || fields.has(.maxLength) { return .string }
            problems.missing(from: fields, "'type' is missing; \(ValueType.bounded.available)")
            return nil
        }
        guard let text = problems.text(value, "a 'type'") else { return nil }
        if let type = ValueType(rawValue: text) { return type }
        let advice = Self.usualTypes[text].map { "write '\($0)'" } ?? ValueType.bounded.nearest(to: text)
        problems.error(value.offset, "there is no type \(text.quoted); \(advice)")
        return nil
    }

    private func text(_ name: String, _ fields: Fields<ValueKey>, _ hint: String?) -> PayloadKind {
        if let choices = fields.value(.choices) {
            for (key, member) in fields.list where key == .minLength || key == .maxLength {
                problems.error(member.offset, "'enum' lists all values; leave out '\(key.rawValue)'")
            }
            return .text(name, oneOf: self.choices(choices), hint: hint)
        }
        guard let length = range(fields, (.minLength, .maxLength), in: 0...Int.max, problems.integer) else {
            return .text(name, hint: hint)
        }
        return .text(name, length: length, hint: hint)
    }

    private func choices(_ value: LocatedJSON) -> [String] {
        guard case .array(let values) = value.content else {
            problems.wrong(value, "'enum' is an array of texts")
            return []
        }
        if values.isEmpty {
            problems.error(value.offset, "'enum' is empty, so no value would fit; list its texts: [\"red\", \"blue\"]")
        }
        for value in values where value.text == nil && !value.isUnreadable {
            problems.error(value.offset, "'enum' lists texts alone, and not \(value.typeInWords)")
        }
        // With a wrong one, no default is compared with the others.
        let texts = values.compactMap(\.text)
        return texts.count == values.count ? texts : []
    }

    /// The bounds that two keys give; nil if there is neither, and if they are wrong, which is reported.
    private func range<Bound: Comparable>(
        _ fields: Fields<ValueKey>, _ keys: (min: ValueKey, max: ValueKey), in widest: ClosedRange<Bound>,
        _ read: (LocatedJSON, String) -> Bound?
    ) -> ClosedRange<Bound>? {
        guard fields.has(keys.min) || fields.has(keys.max) else { return nil }
        func bound(_ key: ValueKey) -> Bound? { fields.value(key).flatMap { read($0, "'\(key.rawValue)'") } }
        let least = max(bound(keys.min) ?? widest.lowerBound, widest.lowerBound)
        let most = bound(keys.max) ?? widest.upperBound
        if least <= most { return least...most }
        problems.error(fields[keys.max]?.offset ?? fields.offset, "nothing is between \(least) and \(most)")
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

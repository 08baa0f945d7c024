// Sample values for an event and for a parameter, made from the declaration: the ends of each range, each choice, and the values just outside.

extension PayloadKind {
    /// Payloads that are allowed.
    package var samplePayloads: [JSON] { shape == .object ? sampleObjects : sampleValues.map(asPayload) }

    /// Payloads that are not allowed, as far as there are bounds.
    var refusedPayloads: [JSON] {
        guard shape == .object else { return refusedValues.map(asPayload) }
        return fields.flatMap { field in field.refusedValues.map { objectOfFirsts(with: field.name, $0) } }
    }

    private func asPayload(_ value: JSON) -> JSON { .object([JSON.Member(name, value)]) }

    /// One with the first value of each member; then each member's other values, one at a time.
    private var sampleObjects: [JSON] {
        let others = fields.flatMap { field in
            field.sampleValues.dropFirst().map { objectOfFirsts(with: field.name, $0) }
        }
        let without = fields.filter(\.isOptional).map { objectOfFirsts(with: $0.name, nil) }
        return [objectOfFirsts(with: nil, nil)] + others + without
    }

    /// An object with the first value of each member, except for the one that is named.
    private func objectOfFirsts(with name: String?, _ value: JSON?) -> JSON {
        .object(
            fields.compactMap { field in
                let value = field.name == name ? value : field.sampleValues.first
                return value.map { JSON.Member(field.name, $0) }
            })
    }

    /// A value without bounds is tried with these few.
    fileprivate var sampleValues: [JSON] {
        switch shape {
        case .integer: bounds.sampleIntegers.map { .integer($0) }
        case .number: bounds.sampleNumbers.map { .number($0) }
        case .text: bounds.sampleTexts.map { .string($0) }
        case .boolean: [true, false]
        case .object: sampleObjects
        }
    }

    private var refusedValues: [JSON] {
        switch bounds {
        case .integers(let range):
            [range.minimum.map { $0 - 1 }, range.maximum.map { $0 + 1 }].compactMap { $0.map { .integer($0) } }
        case .numbers(let range):
            [range.minimum.map { $0 - 1 }, range.maximum.map { $0 + 1 }].compactMap { $0.map { .number($0) } }
        case .texts(let choices): choices.contains(ValueBounds.noChoice) ? [] : [.string(ValueBounds.noChoice)]
        case .lengths(let range):
            [range.minimum.map { $0 - 1 }, range.maximum.map { $0 + 1 }].compactMap { $0.flatMap(ValueBounds.text) }
                .map { .string($0) }
        case .none: []
        }
    }
}

extension FlowKind {
    /// Values for the parameters that have no default; nil if all have one.
    var sampleContext: JSON? {
        let required = parameters.filter { $0.standard == nil }
        return required.isEmpty ? nil : .object(required.map { JSON.Member($0.name, $0.kind.sampleValues.first ?? .null) })
    }
}

extension ValueBounds {
    fileprivate static let noChoice = "?"
    /// Longer texts are not tried.
    private static let maxTextLength = 1_000

    fileprivate var sampleIntegers: [Int] {
        guard case .integers(let range) = self else { return [1, 0] }
        let first = range.minimum ?? range.maximum.map { max($0, .min + 1) - 1 } ?? 0
        let second = first == .max ? first : first + 1
        return [first, second, range.maximum ?? second].filter(range.contains).withoutRepeats
    }

    fileprivate var sampleNumbers: [Double] {
        guard case .numbers(let range) = self else { return [1, 0.5] }
        let first = range.minimum ?? range.maximum.map { $0 - 1 } ?? 0
        return [first, first + 0.5, range.maximum ?? first + 1].filter(range.contains).withoutRepeats
    }

    fileprivate var sampleTexts: [String] {
        switch self {
        case .texts(let choices): choices
        case .lengths(let range):
            [range.minimum ?? 1, range.maximum ?? min(range.minimum ?? 1, Self.maxTextLength) + 1].withoutRepeats
                .compactMap(Self.text)
        case .none, .integers, .numbers: ["a"]
        }
    }

    /// A text with this many characters; nil if that is too long to be tried.
    fileprivate static func text(ofLength length: Int) -> String? {
        (0...maxTextLength).contains(length) ? String(repeating: "a", count: length) : nil
    }
}

extension Array where Element: Equatable {
    /// In the order of their first occurrence.
    var withoutRepeats: [Element] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

// Sample values for an event and for a parameter, made from the declaration: the ends of each range, each choice, and the values just outside.

extension PayloadKind {
    /// Payloads that are allowed, at most that many. The fields of these names are varied before the others.
    package func samplePayloads(atMost count: Int, varying names: Set<String> = []) -> [JSON] {
        shape == .object ? sampleObjects(atMost: count, varying: names) : sampleValues(atMost: count).map(asPayload)
    }

    /// Payloads that are not allowed, as far as there are bounds, at most that many.
    func refusedPayloads(atMost count: Int, varying names: Set<String> = []) -> [JSON] {
        guard shape == .object else { return refusedValues.prefix(count).map(asPayload) }
        var objects: [JSON] = []
        for field in fields(first: names).joined() where objects.count < count {
            objects += field.refusedValues.prefix(count - objects.count).map { objectOfFirsts(with: field.name, $0) }
        }
        return objects
    }

    /// The fields of these names, and the others.
    private func fields(first names: Set<String>) -> [[PayloadKind]] {
        [fields.filter { names.contains($0.name) }, fields.filter { !names.contains($0.name) }]
    }

    private func asPayload(_ value: JSON) -> JSON { .object([JSON.Member(name, value)]) }

    /// One with the first value of each member; then each member's other values, one at a time. At most `count`, since
    /// each has all members.
    private func sampleObjects(atMost count: Int, varying names: Set<String> = []) -> [JSON] {
        var objects = [objectOfFirsts(with: nil, nil)]
        for fields in fields(first: names) {
            for field in fields where objects.count < count {
                let others = field.sampleValues(atMost: count).dropFirst().prefix(count - objects.count)
                objects += others.map { objectOfFirsts(with: field.name, $0) }
            }
            let without = fields.filter(\.isOptional).prefix(max(0, count - objects.count))
            objects += without.map { objectOfFirsts(with: $0.name, nil) }
        }
        return objects
    }

    /// An object with the first value of each member, except for the one that is named.
    private func objectOfFirsts(with name: String?, _ value: JSON?) -> JSON {
        .object(
            fields.compactMap { field in
                let value = field.name == name ? value : field.sampleValues(atMost: 1).first
                return value.map { JSON.Member(field.name, $0) }
            })
    }

    /// A value without bounds is tried with these few.
    fileprivate func sampleValues(atMost count: Int) -> [JSON] {
        switch shape {
        case .integer: bounds.sampleIntegers.prefix(count).map { .integer($0) }
        case .number: bounds.sampleNumbers.prefix(count).map { .number($0) }
        case .text: bounds.sampleTexts.prefix(count).map { .string($0) }
        case .boolean: Array([true, false].prefix(count))
        case .object: sampleObjects(atMost: count)
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
        return required.isEmpty
            ? nil : .object(required.map { JSON.Member($0.name, $0.kind.sampleValues(atMost: 1).first ?? .null) })
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

extension Array where Element: Hashable {
    /// In the order of their first occurrence.
    package var withoutRepeats: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

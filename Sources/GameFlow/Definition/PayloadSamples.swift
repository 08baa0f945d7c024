// Values that a payload may have, for events that are made at run time and come with no samples of their own.

extension PayloadKind {
    /// No more than this many, however many fields it has.
    private static let mostSamples = 12

    /// Some allowed values: all choices, and the ends of ranges.
    package var samples: [JSON] {
        switch shape {
        case .integer: integers.map { .integer($0) }
        case .number: numbers.map { .number($0) }
        case .text: texts.map { .string($0) }
        case .boolean: [.bool(true), .bool(false)]
        case .object: objects
        }
    }

    private var integers: [Int] {
        guard case .integers(let range) = bounds else { return [1] }
        let (least, most) = (range.lowerBound, range.upperBound)
        if most.subtractingReportingOverflow(least).partialValue < Self.mostSamples, !most.subtractingReportingOverflow(least).overflow {
            return Array(range)
        }
        return least == .min || most == .max ? [least == .min ? (most == .max ? 1 : most) : least] : [least, most]
    }

    private var numbers: [Double] {
        guard case .numbers(let range) = bounds else { return [0.5] }
        return [range.lowerBound, range.upperBound].filter(\.isFinite).ifEmpty([0.5])
    }

    private var texts: [String] {
        switch bounds {
        case .texts(let choices): Array(choices.prefix(Self.mostSamples))
        case .lengths(let range): [String(repeating: "a", count: min(max(range.lowerBound, 1), range.upperBound, 4_096))]
        case .none, .integers, .numbers: ["a"]
        }
    }

    /// Each field's samples in turn, with the others at their first.
    private var objects: [JSON] {
        let choices = fields.map { ($0.name, $0.samples) }
        let first = choices.compactMap { name, samples in samples.first.map { JSON.Member(name, $0) } }
        var found = [JSON.object(first)]
        for (place, (name, samples)) in choices.enumerated() where first.count == choices.count {
            for sample in samples.dropFirst() {
                var members = first
                members[place] = JSON.Member(name, sample)
                found.append(.object(members))
            }
        }
        return Array(found.prefix(Self.mostSamples))
    }
}

extension Array {
    fileprivate func ifEmpty(_ other: [Element]) -> [Element] { isEmpty ? other : self }
}

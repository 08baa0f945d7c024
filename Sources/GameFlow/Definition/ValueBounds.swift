// Bounds of values. Events, states and parameters declare them once; the check, its words and JSON Schema are made from them.

import Texts

/// The bounds of a value. A range that ends with the least or the greatest number there is has no bound on that side.
@usableFromInline
enum ValueBounds: Sendable, Equatable {
    case none
    case integers(ClosedRange<Int>)
    case numbers(ClosedRange<Double>)
    /// One of these texts.
    case texts([String])
    /// This many characters, as Unicode counts them.
    case lengths(ClosedRange<Int>)

    // MARK: Checking

    @inlinable
    func allow(_ value: Int) -> Bool {
        switch self {
        case .integers(let range): range.contains(value)
        case .numbers(let range): range.contains(Double(value))
        case .none, .texts, .lengths: true
        }
    }

    func allow(_ value: Double) -> Bool {
        switch self {
        case .numbers(let range): range.contains(value)
        case .integers(let range): Int(exactly: value).map(range.contains) ?? false
        case .none, .texts, .lengths: true
        }
    }

    func allow(_ value: String) -> Bool {
        switch self {
        // By bytes, as names and guards are compared: `String` takes composed and decomposed characters for equal.
        case .texts(let choices): choices.contains { $0.utf8.elementsEqual(value.utf8) }
        case .lengths(let range): range.contains(value.unicodeScalars.count)
        case .none, .integers, .numbers: true
        }
    }

    // MARK: Telling

    /// `1 to 4`, `0 or more`, `red, green or blue`; nil where there is nothing to say.
    var words: String? {
        switch self {
        case .none: nil
        case .integers(let range): Self.words(range.minimum.map(String.init), range.maximum.map(String.init))
        case .numbers(let range): Self.words(range.minimum.map(Self.short), range.maximum.map(Self.short))
        case .texts(let choices): choices.alternatives
        case .lengths(let range):
            Self.words(range.minimum.map(String.init), range.maximum.map(String.init)).map { $0 + " characters" }
        }
    }

    private static func words(_ least: String?, _ most: String?) -> String? {
        switch (least, most) {
        case (let least?, let most?): least == most ? least : "\(least) to \(most)"
        case (let least?, nil): "\(least) or more"
        case (nil, let most?): "\(most) or less"
        case (nil, nil): nil
        }
    }

    /// Without a fraction if the number is whole.
    private static func short(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? "\(number)" }

    /// The same as JSON Schema says it.
    var schema: KeyValuePairs<String, JSON?> {
        switch self {
        case .none: [:]
        case .integers(let range):
            ["minimum": range.minimum.map { .integer($0) }, "maximum": range.maximum.map { .integer($0) }]
        case .numbers(let range):
            ["minimum": range.minimum.map { .number($0) }, "maximum": range.maximum.map { .number($0) }]
        case .texts(let choices): ["enum": .array(choices.map { .string($0) })]
        case .lengths(let range):
            ["minLength": range.minimum.map { .integer($0) }, "maxLength": range.maximum.map { .integer($0) }]
        }
    }
}

extension ClosedRange<Int> {
    var minimum: Int? { lowerBound == .min ? nil : lowerBound }
    var maximum: Int? { upperBound == .max ? nil : upperBound }
}

extension ClosedRange<Double> {
    var minimum: Double? { lowerBound == -.infinity ? nil : lowerBound }
    var maximum: Double? { upperBound == .infinity ? nil : upperBound }
}

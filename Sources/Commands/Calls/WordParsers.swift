// How words become values: names, numbers, durations, JSON.

import GameFlow
import Memory
import RESP
import Sessions
import Texts

extension WordParser<String> {
    /// Invalid UTF-8 is repaired, so it matches nothing.
    static let text = WordParser(type: .text) { $0 }
    /// In JSON it may be any value, such as a number.
    static let anyText = WordParser(type: .any) { $0 }
}

extension WordParser<ByteString> {
    static let bytes = WordParser(type: .text) { word, _ throws(CommandError) in
        ByteString(word.bytes)
    } fromJSON: { json, _ throws(CommandError) in
        ByteString(json.text ?? "")
    }
}

extension WordParser<Argument> {
    /// A view of the word itself, valid until the command is carried out.
    static let view = view(of: .text)
    static let payload = view(of: .any)

    private static func view(of type: ArgumentType) -> WordParser { WordParser(type: type) { word, _ in word } }
}

extension WordParser<Glob> {
    static let pattern = WordParser(type: .text) { word, _ throws(CommandError) in
        try Glob(checked: word)
    } fromJSON: { json, _ throws(CommandError) in
        try (json.text ?? "*").withView { view throws(CommandError) in try Glob(checked: view) }
    }
}

extension Glob {
    /// A pattern for names, which may need several bytes per byte of a name.
    init(checked pattern: Argument) throws(CommandError) {
        let longest = 4 * SessionName.maxLength
        guard pattern.count <= longest else {
            throw CommandError(.limit, "a pattern has at most \(longest) bytes, not \(pattern.count)")
        }
        self.init(ByteString(pattern.bytes))
    }
}

extension String {
    /// Lends its bytes.
    func withView<Result, Failure>(_ body: (Argument) throws(Failure) -> Result) throws(Failure) -> Result {
        try utf8Span.span.withUnsafeBytes { bytes throws(Failure) in try body(Argument(bytes)) }
    }
}

extension WordParser<Int> {
    /// A count behind a word such as COUNT.
    static let positive = WordParser(type: .integer(from: 1)) { word, reader throws(CommandError) in
        guard let number = word.integer, number > 0 else {
            throw CommandError(.generic, "'\(word.quoted)' is not a positive whole number; usage: \(reader.usage)")
        }
        return number
    } fromJSON: { json, _ throws(CommandError) in
        json.integer ?? 0
    }

    static let cursor = WordParser(type: .integer(from: 0)) { word, reader throws(CommandError) in
        guard let number = word.integer, number >= 0 else { throw .syntax(reader.usage) }
        return number
    } fromJSON: { json, _ throws(CommandError) in
        json.integer ?? 0
    }
}

/// A duration, and how it was given.
struct WrittenDuration {
    let duration: Duration
    let text: String

    init(_ text: String) throws(CommandError) {
        guard let duration = Duration(text: text) else {
            throw CommandError(.generic, Duration.complaint(about: text.shortened))
        }
        (self.duration, self.text) = (duration, text)
    }
}

extension WordParser<WrittenDuration> {
    /// `90s`, `1m30s`, or a number of milliseconds.
    static let duration = WordParser(type: .duration, text: WrittenDuration.init)
}

extension WordParser where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
    /// One of some words, in capitals or not.
    static func choice() -> WordParser {
        WordParser(type: .choice(Value.allCases.map(\.rawValue))) { word, reader throws(CommandError) in
            guard let value = Value(rawValue: word.repairedText.lowercased()) else { throw .syntax(reader.usage) }
            return value
        }
    }
}

extension CommandError {
    /// The argument is for RESP clients only.
    static let notInJSON = CommandError(.generic, "this argument cannot be given as JSON")
}

// MARK: - A version or an entry's number, perhaps with the life of its session: `17`, `3:17`.

struct NumberInLife {
    /// Nil for the session's present life.
    let life: Life?
    let number: UInt32

    /// Returns nil if the text has another form.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { UInt32($0) }
        guard let last = parts.last, let number = last, parts.count == 1 || parts[0] != nil else { return nil }
        self.number = number
        life = parts.count == 2 ? parts[0] : nil
    }
}

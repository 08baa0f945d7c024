// Errors of JSON texts, with their positions.

public struct JSONError: Error, Equatable, CustomStringConvertible {
    public let problem: String
    /// The offset in bytes.
    public let offset: Int

    public var description: String { "\(problem) at byte \(offset + 1)" }
}

/// The same without its sentence: one byte, so that throwing it costs the scanner nothing. The scanner knows the position.
enum JSONFault: Error {
    case noValue, notOne, noWord, noNumber, noName, noColon, noCommaInObject, noCommaInArray, tooDeep
    case noEnd, control, noEscape, noDigits, noLowHalf, noCharacter

    /// `rest` is the text from the fault on.
    func sentence(_ rest: UnsafeRawBufferPointer) -> String {
        switch self {
        case .noValue: "the text ends where a value should be"
        case .notOne: "there is more than one value"
        case .noWord: "this is no JSON value"
        case .noNumber: "'\(Self.number(rest))' is no number"
        case .noName: "a member's name in quotes is missing"
        case .noColon: "a ':' is missing"
        case .noCommaInObject: "a ',' or '}' is missing"
        case .noCommaInArray: "a ',' or ']' is missing"
        case .tooDeep: "more than \(JSONScanner.deepest) values inside each other"
        case .noEnd: "a text has no end"
        case .control: "a control character must be escaped"
        case .noEscape: "there is no such escape"
        case .noDigits: "four hexadecimal digits are missing"
        case .noLowHalf: "half a character is missing"
        case .noCharacter: "this is no character"
        }
    }

    /// The beginning of a bad number: an error need not repeat a megabyte of digits.
    private static func number(_ rest: UnsafeRawBufferPointer) -> String {
        let text = rest.prefix { $0.isPartOfNumber }
        let shown = String(decoding: text.prefix(64), as: UTF8.self)
        return text.count > 64 ? shown + "…" : shown
    }
}

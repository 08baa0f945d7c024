// Validates JSON (RFC 8259) and locates the first fault: in place, in one pass, without building nodes. Readers of scanned text need
// no checks of their own.

/// The bounds of a text: how many values it may have, nested ones included, and how many arrays and objects inside each other.
package enum JSONBounds {
    /// A text that the daemon has written, or a file.
    case stored
    /// The payload of an event. It is stored inside of other JSON, some levels deeper.
    case payload
    /// A part of a request that is built as a whole.
    case request

    var values: Int { self == .request ? JSON.maxBuilt : .max }
    var depth: Int { self == .stored ? JSONScanner.deepest : JSON.deepestSent }
}

/// Scans one value, which must be all of the bytes. They must be valid UTF-8.
struct JSONScanner {
    /// The deepest nesting. A number has a bit for each level.
    static let deepest = 64

    var cursor: JSONCursor
    /// The open values: one for an object, zero for an array, the innermost in the lowest bit.
    private var kinds: UInt64 = 0
    private var depth = 0
    private let maxDepth: Int

    static func check(_ bytes: UnsafeRawBufferPointer, within bounds: JSONBounds = .stored) throws(JSONError) {
        guard let cursor = JSONCursor(bytes) else {
            throw JSONError(at: 0, JSONFault.noValue.sentence(bytes, bounds))
        }
        var scanner = JSONScanner(cursor: cursor, maxDepth: bounds.depth)
        do throws(JSONFault) {
            try scanner.scanWhole(atMost: bounds.values)
        } catch {
            throw JSONError(
                at: scanner.cursor.position - cursor.position, error.sentence(scanner.cursor.rest, bounds),
                hasTooManyValues: error == .tooMany)
        }
    }

    private init(cursor: JSONCursor, maxDepth: Int) {
        (self.cursor, self.maxDepth) = (cursor, maxDepth)
    }

    private mutating func scanWhole(atMost most: Int) throws(JSONFault) {
        var left = most
        while true {
            cursor.skipBlanks()
            guard left > 0 else { throw .tooMany }
            left &-= 1
            if try opensMore() { continue }
            guard try hasMore() else { break }
        }
        guard cursor.isAtEnd else { throw .notOne }
    }

    /// Scans a value. One that contains values is left open, and the first of them comes next.
    private mutating func opensMore() throws(JSONFault) -> Bool {
        switch cursor.byte {
        case .openBrace: return try openObject()
        case .openBracket: return try openArray()
        case .quote: try scanText()
        case .minus, .zero...UInt8(ascii: "9"): try scanNumber()
        default: try scanWord()
        }
        return false
    }

    /// After a value: closes the values that end here. False at the end of the whole text.
    private mutating func hasMore() throws(JSONFault) -> Bool {
        while true {
            cursor.skipBlanks()
            guard depth > 0 else { return false }
            let isObject = kinds & 1 == 1
            if cursor.consume(.comma) {
                if isObject { try scanName() }
                return true
            }
            guard cursor.consume(isObject ? .closeBrace : .closeBracket) else {
                throw isObject ? .noCommaInObject : .noCommaInArray
            }
            close()
        }
    }

    private mutating func openObject() throws(JSONFault) -> Bool {
        try open(kind: 1)
        if cursor.consume(.closeBrace) {
            close()
            return false
        }
        try scanName()
        return true
    }

    private mutating func openArray() throws(JSONFault) -> Bool {
        try open(kind: 0)
        guard cursor.consume(.closeBracket) else { return true }
        close()
        return false
    }

    private mutating func open(kind: UInt64) throws(JSONFault) {
        guard depth < maxDepth else { throw .tooDeep }
        depth &+= 1
        kinds = kinds << 1 | kind
        cursor.step()
        cursor.skipBlanks()
    }

    private mutating func close() {
        depth &-= 1
        kinds >>= 1
    }

    /// A member's name and its colon.
    private mutating func scanName() throws(JSONFault) {
        cursor.skipBlanks()
        guard cursor.byte == .quote else { throw .noName }
        try scanText()
        cursor.skipBlanks()
        guard cursor.consume(.colon) else { throw .noColon }
    }

    private mutating func scanWord() throws(JSONFault) {
        guard !cursor.isAtEnd else { throw .noValue }
        guard cursor.consume(word: "true") || cursor.consume(word: "false") || cursor.consume(word: "null") else {
            throw .noWord
        }
    }
}

// MARK: - Errors of JSON texts, with their positions

public struct JSONError: Error, Hashable, CustomStringConvertible {
    public let problem: String
    /// The offset in bytes.
    public let offset: Int
    /// Whether the text may be JSON, but has more than `JSON.maxBuilt` values.
    package let hasTooManyValues: Bool

    package init(at offset: Int, _ problem: String, hasTooManyValues: Bool = false) {
        (self.problem, self.offset, self.hasTooManyValues) = (problem, offset, hasTooManyValues)
    }

    public var description: String { "\(problem) at byte \(offset + 1)" }
}

/// The same without its sentence: one byte, so that throwing it costs the scanner nothing. The scanner knows the position.
enum JSONFault: Error {
    case noValue, notOne, noWord, noNumber, noName, noColon, noCommaInObject, noCommaInArray, tooDeep, tooMany
    case noEnd, control, noEscape, noDigits, noLowHalf, noCharacter

    /// `rest` is the text from the fault on.
    func sentence(_ rest: UnsafeRawBufferPointer, _ bounds: JSONBounds) -> String {
        switch self {
        case .noValue: "the text ends where a value should be"
        case .notOne: "there is more than one value"
        case .noWord: "this is no JSON value"
        case .noNumber: Self.numberSentence(rest)
        case .noName: "a member's name in quotes is missing"
        case .noColon: "a ':' is missing"
        case .noCommaInObject: "a ',' or '}' is missing"
        case .noCommaInArray: "a ',' or ']' is missing"
        case .tooDeep: "more than \(bounds.depth) values inside each other"
        case .tooMany: "more than \(JSON.maxBuilt) values, counting arrays, objects and what they contain"
        case .noEnd: "a text has no end"
        case .control: "a control character must be escaped"
        case .noEscape: "there is no such escape"
        case .noDigits: "four hexadecimal digits are missing"
        case .noLowHalf: "half a character is missing"
        case .noCharacter: "this is no character"
        }
    }

    /// Shows the beginning of a bad number: an error need not repeat a megabyte of digits.
    private static func numberSentence(_ rest: UnsafeRawBufferPointer) -> String {
        let text = rest.prefix { $0.isPartOfNumber }
        let shown = String(decoding: text.prefix(64), as: UTF8.self)
        let isTooLarge = Double(String(decoding: text.prefix(1_024), as: UTF8.self))?.isInfinite == true
        return "'\(text.count > 64 ? shown + "…" : shown)' \(isTooLarge ? "is too large a number" : "is no number")"
    }
}

// MARK: - Strings in quotes, and their escapes.

extension JSONScanner {
    mutating func scanText() throws(JSONFault) {
        cursor.step()
        while true {
            cursor.skipPlainText()
            guard !cursor.isAtEnd else { throw .noEnd }
            if cursor.consume(.quote) { return }
            let isEscape = cursor.byte == .backslash
            cursor.step()
            guard isEscape else { throw .control }
            try scanEscape()
        }
    }

    private mutating func scanEscape() throws(JSONFault) {
        guard !cursor.isAtEnd else { throw .noEnd }
        let byte = cursor.byte
        cursor.step()
        if byte == UInt8(ascii: "u") { return try scanCharacter() }
        guard byte.unescaped != nil else { throw .noEscape }
    }

    private mutating func scanCharacter() throws(JSONFault) {
        let first = try scanFourDigits()
        if 0xD800..<0xDC00 ~= first, cursor.consume(word: "\\u") {
            guard 0xDC00..<0xE000 ~= (try scanFourDigits()) else { throw .noLowHalf }
        } else if 0xD800..<0xE000 ~= first {
            throw .noCharacter
        }
    }

    private mutating func scanFourDigits() throws(JSONFault) -> UInt32 {
        guard let value = cursor.fourHexadecimalDigits else { throw .noDigits }
        cursor.step(4)
        return value
    }
}

extension JSONCursor {
    var fourHexadecimalDigits: UInt32? {
        guard left >= 4 else { return nil }
        var value: UInt32 = 0
        for offset in 0..<4 {
            guard let digit = position.load(fromByteOffset: offset, as: UInt8.self).hexadecimalValue else { return nil }
            value = value << 4 | digit
        }
        return value
    }
}

extension UInt8 {
    /// The character that this byte means after a backslash.
    var unescaped: UInt8? {
        switch self {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case .quote, .backslash, UInt8(ascii: "/"): self
        default: nil
        }
    }
}

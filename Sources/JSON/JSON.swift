// JSON values: what events carry and what states are saved as. Objects keep the order of their members.

/// One JSON value.
public enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([Member])

    public struct Member: Sendable, Hashable {
        public let name: String
        public let value: JSON

        public init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }

        /// Names are compared byte by byte, without Unicode equivalence.
        func isNamed(_ other: String) -> Bool { name == other && name.utf8.elementsEqual(other.utf8) }
    }

    /// An object's member, the last one of a repeated name. Names are compared by their bytes.
    public subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.isNamed(name) }?.value
    }

    /// An object's field; a value that is not an object is its own only field.
    public func field(_ name: String) -> JSON? {
        guard case .object = self else { return self }
        return self[name]
    }

    public var integer: Int? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    public var text: String? {
        if case .string(let value) = self { value } else { nil }
    }

    public var boolean: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// Empty for all but an array.
    package var elements: [JSON] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// Empty for all but an object.
    package var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    /// Whether the values are equal: 1 equals 1.0, and the order of members does not matter.
    package func means(_ other: JSON) -> Bool {
        switch (self, other) {
        case (.integer, .number), (.number, .integer): double == other.double
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.means($1) }
        case (.object(let left), .object(let right)):
            left.count == right.count && left.allSatisfy { member in other[member.name].map(member.value.means) ?? false }
        default: self == other
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(elements.map { Member($0, $1) }) }
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

extension JSON {
    /// An object of the members that have a value, in this order.
    package static func object(having members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(members.compactMap { name, value in value.map { Member(name, $0) } })
    }
}

extension JSON: CustomStringConvertible {
    /// The value as text, without spaces, members in their order.
    public var description: String { JSONText.withText(of: self) { String(decoding: $0, as: UTF8.self) } }
}

// MARK: - A payload as the history stores it: its text, cut if it is too long

extension JSON {
    /// Bytes of a payload in the history; longer ones are cut.
    public static var maxKept: Int { 1_024 }

    /// The text for the history: all of it or, if it is too long, its beginning and `…`, with which it is no longer JSON.
    public var kept: String { JSONText.withText(of: self, atMost: Self.maxKept, Self.kept) }

    public static func kept(_ text: String) -> String {
        text.utf8.count > maxKept ? text.utf8Span.span.withUnsafeBytes(kept) : text
    }

    /// How many bytes its text has. Counting stops soon after `most` bytes.
    package func length(atMost most: Int) -> Int { JSONText.withText(of: self, atMost: most, \.count) }

    /// The same from bytes: more than `maxKept` of them stand for a text of any greater length.
    static func kept(_ bytes: UnsafeRawBufferPointer) -> String {
        guard bytes.count > maxKept else { return String(decoding: bytes, as: UTF8.self) }
        var end = maxKept
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self) + "…"
    }

    // MARK: Reading JSON (RFC 8259)

    /// The most values that one request may have built, nested ones included. 20,000 take less than 10 ms.
    package static var maxBuilt: Int { 20_000 }

    /// The most arrays and objects inside each other that a client may send. The daemon puts them into other JSON, a few levels deeper,
    /// which it must be able to read: for that, the bound is `JSONScanner.deepest`.
    package static var deepestSent: Int { 48 }

    /// Reads one value, which must be the whole text.
    public init(parsing text: String) throws(JSONError) {
        try self.init(parsing: text, within: .stored)
    }

    /// The same within other bounds.
    package init(parsing text: String, within bounds: JSONBounds) throws(JSONError) {
        self = try text.utf8Span.span.withUnsafeBytes { bytes throws(JSONError) -> JSON in
            try JSONScanner.check(bytes, within: bounds)
            return JSON(scanned: bytes)
        }
    }

    /// Reads an event's payload: JSON, or a bare word, which stands for a string.
    public init(payload text: String) throws(JSONError) {
        self = try Payload(text: text).json
    }

    /// Bytes that the scanner has accepted.
    init(scanned bytes: UnsafeRawBufferPointer) {
        self = JSONCursor(bytes).map { JSONBuilder.value(at: $0) } ?? .null
    }
}

extension JSONError {
    static func checkUTF8(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.assumingMemoryBound(to: UInt8.self).span)
        } catch {
            throw JSONError(at: error.byteOffsets.lowerBound, "the text is not UTF-8")
        }
    }
}

// MARK: - Names that occur twice in one object: JSON permits them, and parsers differ in which one they use

extension JSON {
    /// The first name that occurs twice in one object of this value; nil without one. Names are compared by their bytes.
    package var repeatedName: String? {
        switch self {
        case .array(let elements): elements.firstRepeatedName
        case .object(let members): Self.repeatedName(in: members) ?? members.lazy.map(\.value).firstRepeatedName
        case .null, .bool, .integer, .number, .string: nil
        }
    }

    private static func repeatedName(in members: [Member]) -> String? {
        guard members.count > 1 else { return nil }
        var seen = Set<[UInt8]>(minimumCapacity: members.count)
        return members.first { !seen.insert(Array($0.name.utf8)).inserted }?.name
    }
}

extension Sequence<JSON> {
    fileprivate var firstRepeatedName: String? {
        for value in self { if let name = value.repeatedName { return name } }
        return nil
    }
}

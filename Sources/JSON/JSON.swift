// JSON values: what events carry and what states are saved as. Objects keep the order of their members.

/// One JSON value.
public enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([Member])

    public struct Member: Sendable, Equatable {
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

extension JSON: CustomStringConvertible {
    /// The value as text, without spaces, members in their order.
    public var description: String { String(decoding: JSONWriter.bytes(of: self), as: UTF8.self) }
}

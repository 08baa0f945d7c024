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
    }

    /// A member of an object; of a repeated name, the last.
    public subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// A field of an object; a value that is no object stands for its one field.
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

// MARK: Writing

extension JSON: CustomStringConvertible {
    /// The value as text, without spaces, members in their order.
    public var description: String {
        var out = ""
        write(to: &out)
        return out
    }

    private func write(to out: inout String) {
        switch self {
        case .null: out += "null"
        case .bool(let value): out += value ? "true" : "false"
        case .integer(let value): out += String(value)
        case .number(let value): out += value.isFinite ? "\(value)" : "null"
        case .string(let value): Self.quote(value, to: &out)
        case .array(let values): Self.list(values, "[", "]", to: &out) { $0.write(to: &$1) }
        case .object(let members):
            Self.list(members, "{", "}", to: &out) { member, out in
                Self.quote(member.name, to: &out)
                out += ":"
                member.value.write(to: &out)
            }
        }
    }

    private static func list<Element>(
        _ elements: [Element], _ open: String, _ close: String, to out: inout String,
        _ write: (Element, inout String) -> Void
    ) {
        out += open
        for (index, element) in elements.enumerated() {
            if index > 0 { out += "," }
            write(element, &out)
        }
        out += close
    }

    private static func quote(_ text: String, to out: inout String) {
        out += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}": out += "\\u" + hex(scalar.value)
            default: out.unicodeScalars.append(scalar)
            }
        }
        out += "\""
    }

    private static func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

// Why bytes are not a valid reply. The next reply cannot be found after that, so the connection must close.

public enum ReplyError: Error, Equatable, Sendable, CustomStringConvertible {
    case unknownType(UInt8)
    /// A line longer than `ReplyLimits.line`, or one that ends in a carriage return without a line feed.
    case badLine
    /// Invalid contents for the type, such as a malformed number.
    case badValue(type: UInt8)
    /// A malformed length or count, or one beyond the limit.
    case badLength(type: UInt8)
    /// A bulk that does not end at its announced length.
    case badBulkEnd
    case tooDeep(limit: Int)

    public var description: String {
        switch self {
        case .unknownType(let byte): "no reply begins with \(Self.name(of: byte))"
        case .badLine: "a line of the reply does not end as it should, in CR LF, or is too long"
        case .badValue(let type): "the reply of type \(Self.name(of: type)) holds something else"
        case .badLength(let type): "the reply of type \(Self.name(of: type)) has a length that is no number, or is too long"
        case .badBulkEnd: "a bulk of the reply does not end where its length says"
        case .tooDeep(let limit): "the reply is nested more than \(limit) deep"
        }
    }

    private static func name(of byte: UInt8) -> String {
        (33...126).contains(byte) ? "'\(Character(UnicodeScalar(byte)))'" : "the byte \(byte)"
    }
}

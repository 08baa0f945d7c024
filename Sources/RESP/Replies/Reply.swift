// What a server says, as a client sees it: both versions of the protocol.

public enum Reply: Equatable, Sendable {
    case simple(String)
    /// `CODE text`: the code is the first word.
    case error(code: String, text: String)
    case integer(Int)
    case bulk([UInt8])
    case null
    case array([Reply])
    /// In the order in which they came.
    case map([Pair])
    case set([Reply])
    /// What nobody asked for: a message.
    case push([Reply])
    case double(Double)
    case boolean(Bool)
    /// Text for people, and its format: `txt` or `mkd`.
    case verbatim(format: String, text: String)
    /// A whole number of any length, in digits.
    case bigNumber(String)

    public struct Pair: Equatable, Sendable {
        public let key: Reply
        public let value: Reply

        public init(key: Reply, value: Reply) {
            self.key = key
            self.value = value
        }
    }

    /// A bulk of text.
    public static func bulk(text: String) -> Reply { .bulk(Array(text.utf8)) }

    /// The text of a simple string, a bulk or a verbatim text; nil for all else.
    public var text: String? {
        switch self {
        case .simple(let text), .verbatim(_, let text): text
        case .bulk(let bytes): String(decoding: bytes, as: UTF8.self)
        case .error, .integer, .null, .array, .map, .set, .push, .double, .boolean, .bigNumber: nil
        }
    }
}

// A reply as a client receives it, in either version of the protocol.

import Texts

public enum Reply: Equatable, Sendable {
    case simple(String)
    /// `CODE text`: the code is the first word.
    case error(code: ErrorCode, text: String)
    case integer(Int)
    case bulk([UInt8])
    case null
    case array([Reply])
    /// In order of arrival.
    case map([Pair])
    case set([Reply])
    /// A message that is no answer to a request.
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

    /// A bulk string of text.
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

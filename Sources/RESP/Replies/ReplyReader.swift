// Parses replies incrementally. However small the pieces are, nothing is scanned twice, and no memory is allocated for elements that
// are only announced.

import Texts

public struct ReplyLimits: Sendable {
    /// The longest line, in bytes.
    public var line = 64 * 1024
    /// The longest bulk, in bytes.
    public var bulk = 512 * 1024 * 1024
    /// The most elements of an aggregate.
    public var elements = 1024 * 1024
    /// How deep replies may be nested.
    public var depth = 32

    public init() {}
}

/// One connection's parser. Remembers its offset in an incomplete reply; the caller keeps the bytes until the reply is complete.
public struct ReplyReader {
    private let limits: ReplyLimits
    private var scanner = ReplyScanner()
    /// Incomplete aggregates, outermost first.
    private var open: [OpenAggregate] = []

    public init(limits: ReplyLimits = ReplyLimits()) {
        self.limits = limits
    }

    /// Reads the reply at the start of `bytes` and returns it with its length; nil if it is incomplete.
    public mutating func next(in bytes: UnsafeRawBufferPointer) throws(ReplyError) -> (reply: Reply, length: Int)? {
        while let item = try scanner.next(in: bytes, limits: limits) {
            guard let reply = try receive(item) else { continue }
            let length = scanner.position
            scanner = ReplyScanner()
            return (reply, length)
        }
        return nil
    }

    /// The reply that this item completes, if any.
    private mutating func receive(_ item: ReplyItem) throws(ReplyError) -> Reply? {
        switch item {
        case .value(let reply): return close(with: reply)
        case .aggregate(let type, let count):
            guard open.count < limits.depth else { throw .tooDeep(limit: limits.depth) }
            open.append(OpenAggregate(type: type, missing: count))
            return count == 0 ? closeLast() : nil
        }
    }

    private mutating func close(with reply: Reply) -> Reply? {
        guard !open.isEmpty else { return reply }
        return open[open.count - 1].isComplete(with: reply) ? closeLast() : nil
    }

    /// Attributes are dropped; the reply that they describe follows.
    private mutating func closeLast() -> Reply? {
        guard let reply = open.removeLast().reply else { return nil }
        return close(with: reply)
    }
}

/// An incomplete aggregate.
private struct OpenAggregate {
    let type: ReplyType
    var missing: Int
    var replies: [Reply] = []

    mutating func isComplete(with reply: Reply) -> Bool {
        replies.append(reply)
        missing -= 1
        return missing == 0
    }

    /// The complete reply; nil for an attribute.
    var reply: Reply? {
        switch type {
        case .array: .array(replies)
        case .set: .set(replies)
        case .push: .push(replies)
        case .map: .map(stride(from: 1, to: replies.count, by: 2).map { .init(key: replies[$0 - 1], value: replies[$0]) })
        case .attribute, .simple, .error, .integer, .null, .double, .boolean, .bigNumber, .bulk, .bulkError, .verbatim: nil
        }
    }
}

// MARK: - A reply as a client receives it, in either version of the protocol

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

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

    /// Nil for all but an integer.
    package var integer: Int? { if case .integer(let value) = self { value } else { nil } }

    /// Nil for all but a boolean.
    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

    /// Empty for all but an array.
    package var elements: [Reply] { if case .array(let elements) = self { elements } else { [] } }
}

// MARK: - The types of replies by their first byte, and how their contents are parsed.

enum ReplyType: Unicode.Scalar {
    case simple = "+"
    case error = "-"
    case integer = ":"
    case null = "_"
    case double = ","
    case boolean = "#"
    case bigNumber = "("
    case bulk = "$"
    case bulkError = "!"
    case verbatim = "="
    case array = "*"
    case set = "~"
    case push = ">"
    case map = "%"
    case attribute = "|"

    init(_ byte: UInt8) throws(ReplyError) {
        guard let type = ReplyType(rawValue: Unicode.Scalar(byte)) else { throw .unknownType(byte) }
        self = type
    }

    var byte: UInt8 { UInt8(truncatingIfNeeded: rawValue.value) }

    /// Parses a type that is a single line; nil if it is malformed.
    func value(ofLine line: UnsafeRawBufferPointer) -> Reply? {
        let text = String(decoding: line, as: UTF8.self)
        return switch self {
        case .simple: .simple(text)
        case .error: .error(text)
        case .integer: Self.integer(line).map { .integer($0) }
        case .null: line.isEmpty ? .null : nil
        case .double: Self.double(text).map { .double($0) }
        case .boolean: text == "t" ? .boolean(true) : text == "f" ? .boolean(false) : nil
        case .bigNumber: Self.isWholeNumber(line) ? .bigNumber(text) : nil
        case .bulk, .bulkError, .verbatim, .array, .set, .push, .map, .attribute: nil
        }
    }

    /// Parses a type with a length; nil if it is malformed.
    func value(ofBulk bytes: UnsafeRawBufferPointer) -> Reply? {
        switch self {
        case .bulk: return .bulk(Array(bytes))
        case .bulkError: return .error(String(decoding: bytes, as: UTF8.self))
        case .verbatim:
            guard bytes.count >= 4, bytes[3] == UInt8(ascii: ":") else { return nil }
            let format = String(decoding: bytes.slice(from: 0, to: 3), as: UTF8.self)
            return .verbatim(format: format, text: String(decoding: bytes.slice(from: 4, to: bytes.count), as: UTF8.self))
        case .simple, .error, .integer, .null, .double, .boolean, .bigNumber, .array, .set, .push, .map, .attribute: return nil
        }
    }

    /// A plus is allowed here.
    private static func integer(_ line: UnsafeRawBufferPointer) -> Int? {
        Decimal.parse(line.first == UInt8(ascii: "+") ? line.slice(from: 1, to: line.count) : line)
    }

    /// `inf`, `-inf`, `nan` and decimals, but not the hexadecimal ones and the other words that Swift reads.
    private static func double(_ text: String) -> Double? {
        if ["inf", "-inf", "nan"].contains(text) { return Double(text) }
        return text.utf8.allSatisfy { "+-.0123456789eE".utf8.contains($0) } ? Double(text) : nil
    }

    private static func isWholeNumber(_ line: UnsafeRawBufferPointer) -> Bool {
        let digits = line.first == .minus || line.first == UInt8(ascii: "+") ? line.dropFirst() : line[...]
        return !digits.isEmpty && digits.allSatisfy { $0 &- .digitZero <= 9 }
    }
}

extension Reply {
    /// The first word of an error is its code.
    fileprivate static func error(_ line: String) -> Reply {
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        return .error(code: ErrorCode(String(parts[0])), text: parts.count > 1 ? String(parts[1]) : "")
    }
}

// MARK: - Replies that differ between the versions of the protocol. RESP2 uses the nearest type that it has, as Redis does.

/// The version of the protocol. A client begins with RESP2 and may switch to RESP3.
public enum ProtocolVersion: Int, Sendable {
    case resp2 = 2
    case resp3 = 3
}

extension ReplyBuffer {
    var isResp3: Bool { protocolVersion == .resp3 }

    public func appendNull() {
        append(preencoded: isResp3 ? "_\r\n" : "$-1\r\n")
    }

    /// This many replies follow.
    public func append(arrayOf count: Int) {
        queue.append(header: .star, count)
    }

    /// Changes the number of replies in the header of the array at an offset.
    public func replaceHeader(ofArray old: Int, at offset: Int, with count: Int) {
        queue.replace(header: old, at: offset, with: count)
    }

    /// This many pairs follow, a key and a value each.
    public func append(mapOf count: Int) {
        if isResp3 { queue.append(header: UInt8(ascii: "%"), count) } else { queue.append(header: .star, count * 2) }
    }

    /// This many replies follow, in no order.
    public func append(setOf count: Int) {
        queue.append(header: isResp3 ? UInt8(ascii: "~") : .star, count)
    }

    /// This many replies follow, as a push.
    public func append(pushOf count: Int) {
        queue.append(header: isResp3 ? UInt8(ascii: ">") : .star, count)
    }

    public func append(boolean: Bool) {
        switch (protocolVersion, boolean) {
        case (.resp2, false): append(preencoded: ":0\r\n")
        case (.resp2, true): append(preencoded: ":1\r\n")
        case (.resp3, false): append(preencoded: "#f\r\n")
        case (.resp3, true): append(preencoded: "#t\r\n")
        }
    }

    /// Text for people, to be shown as it is.
    public func append(verbatim text: String) {
        guard isResp3 else { return append(bulk: text) }
        queue.append(header: UInt8(ascii: "="), text.utf8.count + 4)
        queue.append(text: "txt:")
        queue.append(text: text)
        queue.appendLineEnd()
    }
}

// The types of replies by their first byte, and how their contents are parsed.

import Texts

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

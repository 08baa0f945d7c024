// Scans single items of replies: values, and headers of aggregates.

enum ReplyItem {
    case value(Reply)
    /// This many replies follow: for a map or an attribute, twice the number of pairs.
    case aggregate(ReplyType, count: Int)
}

/// The scan position. All offsets count from the first byte of the reply.
struct ReplyScanner {
    private enum Progress {
        /// In a line, which does not end before `searched`.
        case line(searched: Int)
        /// Inside a bulk; its header has been read.
        case bulk(ReplyType, start: Int, length: Int)
    }

    private typealias Line = (content: UnsafeRawBufferPointer, next: Int)

    /// Where the item begins.
    private(set) var position = 0
    private var progress = Progress.line(searched: 0)

    /// Nil if the next item is incomplete.
    mutating func next(in bytes: UnsafeRawBufferPointer, limits: ReplyLimits) throws(ReplyError) -> ReplyItem? {
        switch progress {
        case .line(let searched):
            guard position < bytes.count else { return nil }
            let type = try ReplyType(bytes[position])
            guard let line = try nextLine(in: bytes, searched: searched, limit: limits.line) else { return nil }
            return try item(of: type, line, in: bytes, limits: limits)
        case .bulk(let type, let start, let length):
            return try bulk(type, in: bytes, from: start, length: length)
        }
    }

    private mutating func finish(_ item: ReplyItem, next: Int) -> ReplyItem {
        position = next
        progress = .line(searched: next)
        return item
    }

    private mutating func item(
        of type: ReplyType, _ line: Line, in bytes: UnsafeRawBufferPointer, limits: ReplyLimits
    ) throws(ReplyError) -> ReplyItem? {
        switch type {
        case .simple, .error, .integer, .null, .double, .boolean, .bigNumber:
            guard let value = type.value(ofLine: line.content) else { throw .badValue(type: type.byte) }
            return finish(.value(value), next: line.next)
        case .bulk, .bulkError, .verbatim:
            guard let length = try length(of: type, line, nullable: type == .bulk, limit: limits.bulk) else {
                return finish(.value(.null), next: line.next)
            }
            return try bulk(type, in: bytes, from: line.next, length: length)
        case .array, .set, .push, .map, .attribute:
            let size = type == .map || type == .attribute ? 2 : 1
            guard let count = try length(of: type, line, nullable: type == .array, limit: limits.elements / size) else {
                return finish(.value(.null), next: line.next)
            }
            return finish(.aggregate(type, count: count * size), next: line.next)
        }
    }

    private mutating func nextLine(
        in bytes: UnsafeRawBufferPointer, searched: Int, limit: Int
    ) throws(ReplyError) -> Line? {
        let isTooLong = bytes.count - position > limit
        let visible = bytes.slice(from: 0, to: isTooLong ? position + limit : bytes.count)
        guard let end = visible.firstOffset(of: .carriageReturn, from: max(searched, position + 1)) else {
            if isTooLong { throw .badLine }
            progress = .line(searched: bytes.count)
            return nil
        }
        guard end + 1 < bytes.count else {
            progress = .line(searched: end)
            return nil
        }
        guard bytes[end + 1] == .lineFeed else { throw .badLine }
        return (bytes.slice(from: position + 1, to: end), end + 2)
    }

    /// Nil for the length -1, where that means null.
    private func length(of type: ReplyType, _ line: Line, nullable: Bool, limit: Int) throws(ReplyError) -> Int? {
        guard let length = Decimal.parse(line.content) else { throw .badLength(type: type.byte) }
        if length == -1, nullable { return nil }
        guard length >= 0, length <= limit else { throw .badLength(type: type.byte) }
        return length
    }

    private mutating func bulk(
        _ type: ReplyType, in bytes: UnsafeRawBufferPointer, from start: Int, length: Int
    ) throws(ReplyError) -> ReplyItem? {
        guard bytes.count - start - 2 >= length else {
            progress = .bulk(type, start: start, length: length)
            return nil
        }
        let end = start + length
        guard bytes[end] == .carriageReturn, bytes[end + 1] == .lineFeed else { throw .badBulkEnd }
        guard let value = type.value(ofBulk: bytes.slice(from: start, to: end)) else { throw .badValue(type: type.byte) }
        return finish(.value(value), next: end + 2)
    }
}

// MARK: - Errors of replies

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
        case .badLine: "a line of the reply does not end in CR LF, or is too long"
        case .badValue(let type): "the reply of type \(Self.name(of: type)) has an invalid value"
        case .badLength(let type): "the reply of type \(Self.name(of: type)) has an invalid length, or is too long"
        case .badBulkEnd: "a bulk of the reply does not end where its length says"
        case .tooDeep(let limit): "the reply is nested more than \(limit) deep"
        }
    }

    private static func name(of byte: UInt8) -> String {
        (33...126).contains(byte) ? "'\(Character(UnicodeScalar(byte)))'" : "the byte \(byte)"
    }
}

// Reads text that mostly has the form in which it was written.

import GameFlow
import Memory

/// A cursor over bytes, for readers that expect a fixed form and fall back to a parser where it does not match.
struct ByteCursor {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { offset == bytes.count }

    /// Skips the text if it comes next.
    @inline(__always)
    mutating func consume(_ text: StaticString) -> Bool {
        let expected = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard bytes.count &- offset >= expected.count, let start = bytes.baseAddress else { return false }
        guard UnsafeRawBufferPointer(start: start + offset, count: expected.count).hasSameBytes(as: expected) else {
            return false
        }
        offset &+= expected.count
        return true
    }

    /// Skips the byte if it comes next.
    @inline(__always)
    mutating func consume(byte: UInt8) -> Bool {
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset &+= 1
        return true
    }

    private func isNull(at position: Int) -> Bool {
        guard position &+ 4 <= bytes.count, bytes[position] == UInt8(ascii: "n") else { return false }
        return bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self) == UInt32(littleEndian: 0x6C6C_756E)
    }

    /// Returns the bytes of a JSON string without escapes, without its quotes. Returns nil and skips nothing if there is no such string.
    mutating func plainBytes() -> UnsafeRawBufferPointer? {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\""), let end = quote(from: offset &+ 1) else { return nil }
        defer { offset = end &+ 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[(offset &+ 1)..<end])
    }

    /// Returns the index of the next quote; nil if an escape or the end comes first.
    private func quote(from start: Int) -> Int? {
        var position = start
        // Eight bytes at a time: `ends` is 0 if the word has neither a quote nor a backslash.
        while position &+ 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let ends = Self.zeros(in: word ^ 0x2222_2222_2222_2222) | Self.zeros(in: word ^ 0x5C5C_5C5C_5C5C_5C5C)
            if ends != 0 { break }
            position &+= 8
        }
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            if bytes[position] == UInt8(ascii: "\\") { return nil }
            position &+= 1
        }
        return position < bytes.count ? position : nil
    }

    /// Returns 0 unless a byte of the word is 0.
    private static func zeros(in word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }

    /// Returns a JSON string, or nil if no string begins here.
    mutating func string() -> String? {
        plainBytes().map { String(decoding: $0, as: UTF8.self) } ?? escapedBytes().map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the bytes of a JSON string that has escapes, or nil if no string begins here. Invalid UTF-8 stays as it is.
    mutating func escapedBytes() -> [UInt8]? {
        guard consume("\"") else { return nil }
        var text: [UInt8] = []
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            let start = offset
            guard bytes[offset] == UInt8(ascii: "\\") else {
                text.append(bytes[offset])
                offset += 1
                continue
            }
            while consume("\\u") { offset += 4 }
            if offset == start { offset += 2 }
            guard offset <= bytes.count, let escaped = Self.unescaped(bytes[start..<offset]) else { return nil }
            text += escaped.utf8
        }
        return consume("\"") ? text : nil
    }

    /// Decodes one escape, or several that stand for one character.
    private static func unescaped(_ escape: Slice<UnsafeRawBufferPointer>) -> String? {
        (try? JSON(parsing: "\"" + String(decoding: escape, as: UTF8.self) + "\""))?.text
    }

    /// Reads elements of an array, each after a comma: indices below `limit`. A null, and an element after the array's end, is -1. Nil if there is
    /// anything else.
    mutating func indices<let count: Int>(below limit: Int) -> InlineArray<count, Int>? {
        var (found, position) = (InlineArray<count, Int>(repeating: -1), offset)
        for index in 0..<count where position < bytes.count && bytes[position] == UInt8(ascii: ",") {
            position &+= 1
            if isNull(at: position) {
                position &+= 4
            } else {
                let start = position
                var value = 0
                while value < limit, position < bytes.count, let digit = digit(at: position) {
                    value = value &* 10 &+ Int(digit)
                    position &+= 1
                }
                guard position > start, value < limit else { return nil }
                found[index] = value
            }
        }
        offset = position
        return found
    }

    mutating func number() -> Int64? {
        let isNegative = consume(byte: UInt8(ascii: "-"))
        let start = offset
        var (value, position): (Int64, Int) = (0, offset)
        // 18 digits cannot overflow.
        let safe = min(bytes.count, start &+ 18)
        while position < safe, let digit = digit(at: position) {
            value = value &* 10 &+ digit
            position &+= 1
        }
        offset = position
        guard position == start &+ 18 else { return position > start ? (isNegative ? -value : value) : nil }
        return longNumber(from: start, isNegative)
    }

    @inline(__always)
    private func digit(at position: Int) -> Int64? {
        let digit = bytes[position] &- UInt8(ascii: "0")
        return digit < 10 ? Int64(digit) : nil
    }

    private mutating func longNumber(from start: Int, _ isNegative: Bool) -> Int64? {
        while offset < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) { offset += 1 }
        let digits = String(decoding: bytes[start..<offset], as: UTF8.self)
        return Int64(isNegative ? "-" + digits : digits)
    }
}

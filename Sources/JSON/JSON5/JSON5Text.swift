// Texts of JSON5 in single or double quotes, and their escapes.

import Texts

extension JSON5Reader {
    /// A text in quotes; nil if one of its escapes could not be read, which is reported.
    mutating func text() throws(JSONError) -> String? {
        let (start, quote) = (position, byte)
        var read: [UInt8] = []
        var isRight = true
        position += 1
        while !consume(quote) {
            guard !isAtEnd, byte != 0x0A, byte != 0x0D else {
                throw JSONError(at: start, "the text that begins here has no end in its line")
            }
            if byte == .backslash {
                isRight = try takeEscape(into: &read) && isRight
            } else {
                read.append(byte)
                position += 1
            }
        }
        return isRight ? String(decoding: read, as: UTF8.self) : nil
    }

    /// Where a byte of the value of the text that begins here stands.
    mutating func position(ofByte count: Int) -> Int {
        let quote = byte
        var read: [UInt8] = []
        position += 1
        while read.count < count, byte != quote, !isAtEnd {
            if byte == .backslash {
                do throws(JSONError) { _ = try takeEscape(into: &read) } catch { return position }
            } else {
                read.append(byte)
                position += 1
            }
        }
        return position
    }

    /// False if it is no escape, which is reported.
    private mutating func takeEscape(into read: inout [UInt8]) throws(JSONError) -> Bool {
        let start = position
        position += 1
        guard let scalar else { return true }
        position += scalar.utf8.count
        switch scalar {
        case "\n", "\u{2028}", "\u{2029}": return true
        case "\r":
            _ = consume(0x0A)
            return true
        case "x": return try append(hexadecimal(2), from: start, into: &read)
        case "u": return try append(unit(), from: start, into: &read)
        case "0" where !byte.isDigit:
            read.append(0)
            return true
        case "0"..."9":
            try recordProblem(at: start, "'\\\(scalar)' is no escape; write a character by its number as \\u0041")
            return false
        default:
            read.append(contentsOf: UInt8(exactly: scalar.value)?.unescapedInJSON5.map { [$0] } ?? Array(scalar.utf8))
            return true
        }
    }

    private mutating func append(
        _ value: UInt32?, from start: Int, into read: inout [UInt8]
    ) throws(JSONError) -> Bool {
        guard let scalar = value.flatMap(Unicode.Scalar.init) else {
            let written = String(decoding: bytes[start..<position], as: UTF8.self).printable
            try recordProblem(
                at: start, "'\(written)' is no character; \\x needs two hexadecimal digits and \\u four, both halves of a pair")
            return false
        }
        read.append(contentsOf: scalar.utf8)
        return true
    }

    /// A character by four digits, or by two halves of four.
    private mutating func unit() -> UInt32? {
        guard let first = hexadecimal(4) else { return nil }
        guard 0xD800..<0xDC00 ~= first, byte == .backslash, byte(after: 1) == UInt8(ascii: "u") else { return first }
        position += 2
        guard let second = hexadecimal(4), 0xDC00..<0xE000 ~= second else { return nil }
        return 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
    }

    private mutating func hexadecimal(_ count: Int) -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard !isAtEnd, let digit = byte.hexadecimalValue else { return nil }
            value = value << 4 | digit
            position += 1
        }
        return value
    }
}

extension UInt8 {
    fileprivate var unescapedInJSON5: UInt8? { self == UInt8(ascii: "v") ? 0x0B : unescaped }
}

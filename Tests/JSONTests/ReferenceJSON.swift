// A simple, slow JSON reader, byte by byte and node by node. The results of the fast reader are compared with it.

import Texts
@testable import JSON

struct ReferenceJSON {
    private static let deepest = 64
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    static func parse(_ text: String) throws(JSONError) -> JSON {
        var parser = ReferenceJSON(bytes: Array(text.utf8))
        return try parser.parseWhole()
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func parseWhole() throws(JSONError) -> JSON {
        let value = try parseValue()
        skipSpace()
        guard position == bytes.count else { throw error("there is more than one value") }
        return value
    }

    private mutating func parseValue() throws(JSONError) -> JSON {
        skipSpace()
        guard let byte = peek else { throw error("the text ends where a value should be") }
        switch byte {
        case UInt8(ascii: "{"): return try parseNested { parser throws(JSONError) in try parser.parseObject() }
        case UInt8(ascii: "["): return try parseNested { parser throws(JSONError) in try parser.parseArray() }
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
        default: return try parseWord()
        }
    }

    private mutating func parseNested(
        _ parse: (inout ReferenceJSON) throws(JSONError) -> JSON
    ) throws(JSONError) -> JSON {
        guard depth < Self.deepest else { throw error("more than \(Self.deepest) values inside each other") }
        depth += 1
        position += 1
        let value = try parse(&self)
        depth -= 1
        return value
    }

    private mutating func parseObject() throws(JSONError) -> JSON {
        var members: [JSON.Member] = []
        if take("}") { return .object([]) }
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw error("a member's name in quotes is missing") }
            let name = try parseString()
            guard take(":") else { throw error("a ':' is missing") }
            members.append(JSON.Member(name, try parseValue()))
        } while take(",")
        guard take("}") else { throw error("a ',' or '}' is missing") }
        return .object(members)
    }

    private mutating func parseArray() throws(JSONError) -> JSON {
        var values: [JSON] = []
        if take("]") { return .array([]) }
        repeat { values.append(try parseValue()) } while take(",")
        guard take("]") else { throw error("a ',' or ']' is missing") }
        return .array(values)
    }

    private mutating func parseWord() throws(JSONError) -> JSON {
        for (word, value) in [("true", JSON.bool(true)), ("false", .bool(false)), ("null", .null)]
        where bytes[position...].starts(with: word.utf8) {
            position += word.utf8.count
            return value
        }
        throw error("this is no JSON value")
    }

    private mutating func parseNumber() throws(JSONError) -> JSON {
        let start = position
        while let byte = peek, "+-.0123456789eE".utf8.contains(byte) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        let digits = text.drop { $0 == "-" }
        let hasLeadingZero = digits.utf8.count > 1 && digits.hasPrefix("0") && digits.dropFirst().first?.isNumber == true
        let hasBarePoint = text.contains(".e") || text.contains(".E")
        if !hasLeadingZero, !hasBarePoint, digits.first?.isNumber == true, text.last?.isNumber == true {
            if let integer = Int(text) { return .integer(integer) }
            if let number = Double(text), number.isFinite { return .number(number) }
        }
        position = start
        throw error("'\(text.shortened)' \(Double(text)?.isInfinite == true ? "is too large a number" : "is no number")")
    }

    private mutating func parseString() throws(JSONError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw error("the text is not UTF-8") }
                return string
            case UInt8(ascii: "\\"): try parseEscape(into: &text)
            case 0..<0x20: throw error("a control character must be escaped")
            default: text.append(byte)
            }
        }
        throw error("a text has no end")
    }

    private mutating func parseEscape(into text: inout [UInt8]) throws(JSONError) {
        guard let byte = peek else { throw error("a text has no end") }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "u"): text += String(Character(try parseScalar())).utf8
        default: throw error("there is no such escape")
        }
    }

    private mutating func parseScalar() throws(JSONError) -> Unicode.Scalar {
        var value = try parseFourDigits()
        if 0xD800..<0xDC00 ~= value, bytes[position...].starts(with: "\\u".utf8) {
            position += 2
            let low = try parseFourDigits()
            guard 0xDC00..<0xE000 ~= low else { throw error("half a character is missing") }
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(value) else { throw error("this is no character") }
        return scalar
    }

    private mutating func parseFourDigits() throws(JSONError) -> UInt32 {
        let digits = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
        guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: 16) else {
            throw error("four hexadecimal digits are missing")
        }
        position += 4
        return value
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private func error(_ problem: String) -> JSONError {
        JSONError(at: position, problem)
    }
}

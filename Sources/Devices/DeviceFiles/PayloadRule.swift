// An event's payload: none, a constant, or read from the device's value.

import Bluetooth
import GameFlow

enum PayloadRule: Equatable {
    case nothing
    case constant(JSON)
    /// Read after skipping bytes; with a field name, the payload is an object with this field.
    case read(ValueFormat, skip: Int, field: String?)

    /// Throws if the value does not have the rule's format.
    func payload(from value: [UInt8]) throws(RefusalFacts) -> JSON? {
        switch self {
        case .nothing: return nil
        case .constant(let json): return json
        case .read(let format, let skip, let field):
            guard let read = format.read(value[min(skip, value.count)...]) else {
                throw .unreadableValue(Array(value.prefix(32)).hexadecimal, format: format.rawValue, skipping: skip)
            }
            return field.map { .object([.init($0, read)]) } ?? read
        }
    }
}

/// A binary format of a value. Bytes after a number are ignored; a text goes to the end.
enum ValueFormat: String, CaseIterable {
    case uint8, int8, uint16le, uint16be, int16le, int16be, uint32le, uint32be, int32le, int32be, float32le, boolean, utf8, hex

    /// Nil if there are too few bytes, or they do not have the format.
    func read(_ bytes: ArraySlice<UInt8>) -> JSON? {
        switch self {
        case .uint8: Self.number(UInt8.self, bytes)
        case .int8: Self.number(Int8.self, bytes)
        case .uint16le: Self.number(UInt16.self, bytes)
        case .uint16be: Self.number(UInt16.self, bytes, highestFirst: true)
        case .int16le: Self.number(Int16.self, bytes)
        case .int16be: Self.number(Int16.self, bytes, highestFirst: true)
        case .uint32le: Self.number(UInt32.self, bytes)
        case .uint32be: Self.number(UInt32.self, bytes, highestFirst: true)
        case .int32le: Self.number(Int32.self, bytes)
        case .int32be: Self.number(Int32.self, bytes, highestFirst: true)
        case .float32le: Self.fraction(bytes)
        case .boolean: bytes.first.map { .bool($0 != 0) }
        case .utf8: String(validating: bytes, as: UTF8.self).map { .string($0) }
        case .hex: .string(Array(bytes).hexadecimal)
        }
    }

    private static func number<Number: FixedWidthInteger>(
        _ type: Number.Type, _ bytes: ArraySlice<UInt8>, highestFirst: Bool = false
    ) -> JSON? {
        var reader = ByteReader(bytes)
        let number = highestFirst ? reader.bigEndianNumber(type) : reader.number(type)
        return number.map { .integer(Int($0)) }
    }

    private static func fraction(_ bytes: ArraySlice<UInt8>) -> JSON? {
        var reader = ByteReader(bytes)
        guard let bits = reader.number(UInt32.self) else { return nil }
        let number = Double(Float(bitPattern: bits))
        return number.isFinite ? .number(number) : nil
    }
}

// MARK: - Values in hexadecimal, `01 FF`, and patterns for them, `01*`, `01 ?? 03`.

/// Matches values.
struct ValuePattern: Equatable {
    /// Nil for any byte.
    let bytes: [UInt8?]
    /// More may follow.
    let isPrefix: Bool

    static let any = ValuePattern(bytes: [], isPrefix: true)

    func matches(_ value: [UInt8]) -> Bool {
        guard isPrefix ? value.count >= bytes.count : value.count == bytes.count else { return false }
        return zip(bytes, value).allSatisfy { $0 == nil || $0 == $1 }
    }

    /// As it is written: `01??03*`.
    var text: String {
        bytes.map { $0.map { [$0].hexadecimal } ?? "??" }.joined() + (isPrefix ? "*" : "")
    }

    /// The shortest value that matches; nil if a byte is a wildcard.
    var shortestValue: [UInt8]? {
        let known = bytes.compactMap(\.self)
        return known.count == bytes.count ? known : nil
    }
}

extension ValuePattern {
    /// Exactly this value.
    init(_ value: [UInt8]) {
        self.init(bytes: value, isPrefix: false)
    }

    /// Nil if the text is not a pattern.
    init?(parsing text: String) {
        let isPrefix = text.hasSuffix("*")
        var bytes: [UInt8?] = []
        for digits in (isPrefix ? text.dropLast() : text[...]).digitPairs {
            let byte = UInt8(hexadecimal: digits)
            guard digits == "??" || digits.count == 2 && byte != nil else { return nil }
            bytes.append(byte)
        }
        self.init(bytes: bytes, isPrefix: isPrefix)
    }
}

extension [UInt8] {
    /// Reads pairs of hexadecimal digits, with blanks between them or not, and `0x` in front or not; nil for anything else.
    init?(hexadecimal text: String) {
        var bytes: [UInt8] = []
        for digits in (text.hasPrefix("0x") ? text.dropFirst(2) : text[...]).digitPairs {
            guard digits.count == 2, let byte = UInt8(hexadecimal: digits) else { return nil }
            bytes.append(byte)
        }
        self = bytes
    }

    /// `01FF`.
    var hexadecimal: String { map(\.hexadecimal).joined() }
}

extension Substring {
    /// The text without its blanks, two characters at a time; at the end perhaps one.
    fileprivate var digitPairs: [Substring] {
        var rest = self.filter { $0 != " " }[...]
        var pairs: [Substring] = []
        while !rest.isEmpty {
            pairs.append(rest.prefix(2))
            rest = rest.dropFirst(2)
        }
        return pairs
    }
}

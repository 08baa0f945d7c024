// An event's payload: none, a constant, or read from the device's value.

import GameFlow

enum PayloadRule: Equatable {
    case nothing
    case constant(JSON)
    /// Read after skipping bytes; with a field name, the payload is an object with this field.
    case read(ValueFormat, skip: Int, field: String?)

    /// The value does not have the rule's format.
    struct Unreadable: Error {
        let sentence: String
    }

    func payload(from value: [UInt8]) throws(Unreadable) -> JSON? {
        switch self {
        case .nothing: return nil
        case .constant(let json): return json
        case .read(let format, let skip, let field):
            guard let read = format.read(value[min(skip, value.count)...]) else {
                let skipped = skip == 0 ? "" : " behind the first \(skip == 1 ? "byte" : "\(skip) bytes")"
                throw Unreadable(
                    sentence:
                        "the device's value '\(Array(value.prefix(32)).hexadecimal)' holds no \(format.rawValue)\(skipped)")
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

    private static func integer<Number: FixedWidthInteger>(
        _: Number.Type, _ bytes: ArraySlice<UInt8>, highestFirst: Bool = false
    ) -> Number? {
        let own = bytes.prefix(MemoryLayout<Number>.size)
        guard own.count == MemoryLayout<Number>.size else { return nil }
        let ordered = highestFirst ? Array(own) : own.reversed()
        return ordered.reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    private static func number<Number: FixedWidthInteger>(
        _ type: Number.Type, _ bytes: ArraySlice<UInt8>, highestFirst: Bool = false
    ) -> JSON? {
        integer(type, bytes, highestFirst: highestFirst).map { .integer(Int($0)) }
    }

    private static func fraction(_ bytes: ArraySlice<UInt8>) -> JSON? {
        guard let bits = integer(UInt32.self, bytes) else { return nil }
        let number = Double(Float(bitPattern: bits))
        return number.isFinite ? .number(number) : nil
    }
}

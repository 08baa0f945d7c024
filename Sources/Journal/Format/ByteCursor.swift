// Reads text that mostly has the form in which it was written.

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
    mutating func skip(_ text: StaticString) -> Bool {
        let end = offset + text.utf8CodeUnitCount
        guard bytes.count >= end else { return false }
        let next = UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
        guard text.withUTF8Buffer({ next.hasSameBytes(as: UnsafeRawBufferPointer($0)) }) else { return false }
        offset = end
        return true
    }

    /// Text up to a quote; nil if it contains an escape.
    mutating func plainText() -> String? {
        let start = offset
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            if bytes[offset] == UInt8(ascii: "\\") { return nil }
            offset += 1
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    mutating func number() -> Int64? {
        let isNegative = skip("-")
        let start = offset
        var value: Int64 = 0
        while offset < bytes.count, case let digit = bytes[offset] &- UInt8(ascii: "0"), digit < 10 {
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = product.addingReportingOverflow(Int64(digit))
            if tooLarge || overflow { return nil }
            value = sum
            offset += 1
        }
        return offset > start ? (isNegative ? -value : value) : nil
    }
}

// Writes JSON as bytes, for the rows that people read.

import Store

extension BatchBytes {
    func append(_ text: StaticString) {
        reserve(text.utf8CodeUnitCount)
        write(text)
    }

    /// A JSON string.
    func append(quoted text: Text) {
        reserve(6 * text.count + 2)
        write(UInt8(ascii: "\""))
        if text.isPlain { write(text) } else { for byte in text { write(escaped: byte) } }
        write(UInt8(ascii: "\""))
    }

    private func write(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): write("\\\"" as StaticString)
        case UInt8(ascii: "\\"): write("\\\\" as StaticString)
        case ..<0x20:
            write("\\u00" as StaticString)
            write(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
            write(Array("0123456789abcdef".utf8)[Int(byte & 15)])
        default: write(byte)
        }
    }
}

extension Text {
    /// Whether JSON has it as it is. Eight bytes at a time: a byte that is zero after the exclusive or borrows from its highest bit.
    fileprivate var isPlain: Bool {
        guard let start = baseAddress else { return true }
        var offset = 0
        while count &- offset >= 8 {
            let bytes = start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if Self.hasSpecial(bytes) { return false }
            offset &+= 8
        }
        while offset < count {
            let byte = self[offset]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return false }
            offset &+= 1
        }
        return true
    }

    /// Whether a byte is below 0x20, a quote or a backslash. It may say so of one from 0x80 on beside such a byte.
    private static func hasSpecial(_ bytes: UInt64) -> Bool {
        let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let quotes = bytes ^ ones &* 0x22
        let backslashes = bytes ^ ones &* 0x5C
        let below = (bytes &- ones &* 0x20) & ~bytes
        return (below | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes) & highs != 0
    }
}

// Numbers in packets. They are read in place: missing bytes are nil, never a trap, since the input is untrusted.

import Texts

/// Takes numbers and runs of bytes off the front.
package struct ByteReader {
    private(set) var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func byte() -> UInt8? {
        rest.popFirst()
    }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        let taken = rest.prefix(count)
        rest = rest.dropFirst(count)
        return taken
    }

    /// A number with its least significant byte first, as everywhere in Bluetooth.
    package mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
        bytes(MemoryLayout<Number>.size).map { Number(bytesFromHighest: $0.reversed()) }
    }

    /// A number with its most significant byte first, as in the frame of a capture.
    package mutating func bigEndianNumber<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
        bytes(MemoryLayout<Number>.size).map { Number(bytesFromHighest: $0) }
    }
}

extension FixedWidthInteger {
    init(bytesFromHighest bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }

    /// The least significant byte comes first, as everywhere in Bluetooth.
    var bytes: [UInt8] { (0..<MemoryLayout<Self>.size).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }

    /// The most significant byte comes first, as in the frame of a capture.
    var bigEndianBytes: [UInt8] { bytes.reversed() }
}

// MARK: - Numbers as the hexadecimal text that people write

extension FixedWidthInteger where Self: UnsignedInteger {
    /// All digits of the number, with leading zeros.
    package var hexadecimal: String {
        String(self, radix: 16, uppercase: true).leftPadded(to: MemoryLayout<Self>.size * 2, with: "0")
    }

    /// Accepts hexadecimal digits only, and not the sign that `init(_:radix:)` allows.
    package init?(hexadecimal text: some StringProtocol) {
        guard text.allSatisfy(\.isHexDigit) else { return nil }
        self.init(text, radix: 16)
    }
}

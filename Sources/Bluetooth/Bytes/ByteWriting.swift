// Numbers as bytes, and as the hexadecimal text in which people write them.

extension [UInt8] {
    /// The least significant byte first, as everywhere in Bluetooth.
    mutating func append<Number: FixedWidthInteger>(number: Number) {
        for index in 0..<MemoryLayout<Number>.size {
            append(UInt8(truncatingIfNeeded: number >> (8 * index)))
        }
    }

    /// The most significant byte first, as in the frame of a capture.
    mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
        for index in (0..<MemoryLayout<Number>.size).reversed() {
            append(UInt8(truncatingIfNeeded: number >> (8 * index)))
        }
    }

    mutating func append(_ address: BluetoothAddress) {
        for index in 0..<BluetoothAddress.byteCount {
            append(UInt8(truncatingIfNeeded: address.rawValue >> (8 * index)))
        }
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// All digits of the number, leading zeros too.
    var hexadecimal: String {
        let digits = String(self, radix: 16, uppercase: true)
        return String(repeating: "0", count: MemoryLayout<Self>.size * 2 - digits.count) + digits
    }

    /// Reads hexadecimal digits only: no sign and nothing else that `init(_:radix:)` would let through.
    init?(hexadecimal text: some StringProtocol) {
        guard text.utf8.allSatisfy(\.isHexadecimalDigit) else { return nil }
        self.init(text, radix: 16)
    }
}

extension UInt8 {
    fileprivate var isHexadecimalDigit: Bool {
        switch Unicode.Scalar(self) {
        case "0"..."9", "a"..."f", "A"..."F": true
        default: false
        }
    }
}

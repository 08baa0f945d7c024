// Numbers as the hexadecimal text that people write.

extension FixedWidthInteger where Self: UnsignedInteger {
    /// All digits of the number, with leading zeros.
    var hexadecimal: String {
        let digits = String(self, radix: 16, uppercase: true)
        return String(repeating: "0", count: MemoryLayout<Self>.size * 2 - digits.count) + digits
    }

    /// Accepts hexadecimal digits only, and not the sign that `init(_:radix:)` allows.
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

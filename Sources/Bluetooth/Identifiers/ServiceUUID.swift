// Service UUIDs: the Bluetooth SIG assigns short ones, vendors choose long ones freely.

/// An assigned UUID of 16 bits, such as `180F` for a battery.
package struct UUID16: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Reads four hexadecimal digits, with or without a leading `0x`.
    package init(parsing text: String) throws(BluetoothError) {
        let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
        guard digits.utf8.count == 4, let number = UInt16(hexadecimal: digits) else { throw .notAUUID16(text) }
        rawValue = number
    }

    package var description: String { rawValue.hexadecimal }
}

/// A UUID of 128 bits, such as `6E400001-B5A3-F393-E0A9-E50E24DCCA9E`.
package struct UUID128: Hashable, Sendable, CustomStringConvertible {
    private static let groups = [8, 4, 4, 4, 12]

    package let rawValue: UInt128

    package init(rawValue: UInt128) {
        self.rawValue = rawValue
    }

    /// Reads 32 hexadecimal digits in five groups.
    package init(parsing text: String) throws(BluetoothError) {
        let parts = text.split(separator: "-", maxSplits: Self.groups.count, omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == Self.groups, let number = UInt128(hexadecimal: parts.joined()) else {
            throw .notAUUID128(text)
        }
        rawValue = number
    }

    package var description: String {
        var digits = rawValue.hexadecimal[...]
        return Self.groups.map { length in
            defer { digits = digits.dropFirst(length) }
            return String(digits.prefix(length))
        }.joined(separator: "-")
    }
}

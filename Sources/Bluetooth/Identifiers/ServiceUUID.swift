// Service UUIDs: the Bluetooth SIG assigns short ones, vendors choose long ones freely.

package enum ServiceUUID: Hashable, Sendable {
    /// `180F`, which is assigned to batteries.
    case short(UInt16)
    /// `6E400001-B5A3-F393-E0A9-E50E24DCCA9E`.
    case long(UInt128)

    private static let groups = [8, 4, 4, 4, 12]

    /// Reads four hexadecimal digits, with or without a leading `0x`, or 32 in five groups.
    package init(parsing text: String) throws(BluetoothError) {
        guard text.contains("-") else {
            let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
            guard digits.utf8.count == 4, let number = UInt16(hexadecimal: digits) else { throw .notAUUID16(text) }
            self = .short(number)
            return
        }
        let parts = text.split(separator: "-", maxSplits: Self.groups.count, omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == Self.groups, let number = UInt128(hexadecimal: parts.joined()) else {
            throw .notAUUID128(text)
        }
        self.init(number)
    }

    /// Assigned UUIDs have a long form as well, with the short number in its first group.
    init(_ number: UInt128) {
        let short = UInt16(truncatingIfNeeded: number >> 96)
        self = number == Self.base | UInt128(short) << 96 ? .short(short) : .long(number)
    }

    /// `00000000-0000-1000-8000-00805F9B34FB`.
    private static let base = UInt128(0x1000) << 64 | 0x8000_0080_5F9B_34FB

    var isLong: Bool { if case .long = self { true } else { false } }

    var bytes: [UInt8] {
        switch self {
        case .short(let number): number.bytes
        case .long(let number): number.bytes
        }
    }
}

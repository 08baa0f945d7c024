/// A device's address: six bytes, written as `AA:BB:CC:DD:EE:FF`.
public struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
    static let byteCount = 6

    /// The address as a number of 48 bits, whose highest byte is the one that is written first.
    public let rawValue: UInt64

    /// Keeps the lowest 48 bits.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue & (1 << 48 - 1)
    }

    /// Reads an address as people write it, in upper or lower case.
    public init(parsing text: String) throws(BluetoothError) {
        let parts = text.split(separator: ":", maxSplits: Self.byteCount, omittingEmptySubsequences: false)
        guard parts.count == Self.byteCount else { throw .notAnAddress(text) }
        var number: UInt64 = 0
        for part in parts {
            guard part.utf8.count == 2, let byte = UInt8(hexadecimal: part) else { throw .notAnAddress(text) }
            number = number << 8 | UInt64(byte)
        }
        self.init(rawValue: number)
    }

    public var description: String {
        (0..<Self.byteCount).reversed()
            .map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)).hexadecimal }
            .joined(separator: ":")
    }
}

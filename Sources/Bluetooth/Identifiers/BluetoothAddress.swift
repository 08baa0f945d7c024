/// A device's address: six bytes, written as `AA:BB:CC:DD:EE:FF`.
package struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
    private static let byteCount = 6

    /// The address as a number of 48 bits. Its highest byte is written first.
    package let rawValue: UInt64

    /// Keeps the lowest 48 bits.
    package init(rawValue: UInt64) {
        self.rawValue = rawValue & (1 << 48 - 1)
    }

    /// Reads an address as people write it, in upper or lower case.
    package init(parsing text: String) throws(BluetoothError) {
        let parts = text.split(separator: ":", maxSplits: Self.byteCount, omittingEmptySubsequences: false)
        guard parts.count == Self.byteCount else { throw .notAnAddress(text) }
        var number: UInt64 = 0
        for part in parts {
            guard part.utf8.count == 2, let byte = UInt8(hexadecimal: part) else { throw .notAnAddress(text) }
            number = number << 8 | UInt64(byte)
        }
        self.init(rawValue: number)
    }

    package var description: String {
        bytes.reversed().map(\.hexadecimal).joined(separator: ":")
    }

    /// In a packet the lowest byte comes first.
    fileprivate var bytes: [UInt8] {
        (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) }
    }

    fileprivate init?(_ reader: inout ByteReader) {
        guard let bytes = reader.bytes(Self.byteCount) else { return nil }
        self.init(rawValue: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
}

extension ByteReader {
    mutating func address() -> BluetoothAddress? { BluetoothAddress(&self) }
}

extension [UInt8] {
    mutating func append(_ address: BluetoothAddress) { append(contentsOf: address.bytes) }
}

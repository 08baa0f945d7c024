// Redis Cluster's hash slots: which of 16,384 a name belongs to.

package enum HashSlot {
    package static let count = 16_384

    /// The slot of a name: CRC16 of its bytes, or of those between its first `{` and the next `}` where there are any, so that names
    /// with the same tag stay together.
    package static func of(_ name: UnsafeRawBufferPointer) -> Int {
        guard let open = name.firstIndex(of: UInt8(ascii: "{")) else { return slot(name, 0..<name.count) }
        guard let close = name[(open + 1)...].firstIndex(of: UInt8(ascii: "}")), close > open + 1 else {
            return slot(name, 0..<name.count)
        }
        return slot(name, open + 1..<close)
    }

    package static func of(_ name: String) -> Int {
        var name = name
        return name.withUTF8 { of(UnsafeRawBufferPointer($0)) }
    }

    private static func slot(_ name: UnsafeRawBufferPointer, _ hashed: Range<Int>) -> Int {
        Int(crc16(name, hashed)) % count
    }
}

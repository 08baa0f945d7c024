// Reads packets in place. What is not there is nil, never a trap: the bytes may come from anybody.

/// Takes numbers and runs of bytes off the front.
struct ByteReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
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

    /// A number whose least significant byte comes first, as everywhere in Bluetooth.
    mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
        bytes(MemoryLayout<Number>.size).map { Number(bytesFromHighest: $0.reversed()) }
    }

    /// A number whose most significant byte comes first, as in the frame of a capture.
    mutating func bigEndianNumber<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
        bytes(MemoryLayout<Number>.size).map { Number(bytesFromHighest: $0) }
    }

    mutating func address() -> BluetoothAddress? {
        bytes(BluetoothAddress.byteCount).map { BluetoothAddress(rawValue: UInt64(bytesFromHighest: $0.reversed())) }
    }
}

extension FixedWidthInteger {
    fileprivate init(bytesFromHighest bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}

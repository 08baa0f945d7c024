// The hash FNV-1a: equal in every process, unlike that of Swift's `Hasher`, so it may be stored and sent.

/// 64 bits of FNV-1a over bytes.
package struct FNV1a {
    @usableFromInline package var value: UInt64 = 0xCBF2_9CE4_8422_2325

    @inlinable package init() {}

    @inlinable package init(_ bytes: some Sequence<UInt8>) { add(bytes) }

    @inlinable package mutating func add(_ byte: UInt8) { add(number: UInt64(byte)) }

    @inlinable package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { add(byte) }
    }

    /// Adds a number at once, and not byte by byte.
    @inlinable package mutating func add(number: UInt64) { value = (value ^ number) &* 0x100_0000_01B3 }

    package var hexadecimal: String { value.hexadecimal }
}

extension UInt64 {
    /// 16 hexadecimal digits.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

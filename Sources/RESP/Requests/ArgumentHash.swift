// Numbers to find words by: commands by name, sessions by theirs.

extension Argument {
    /// A hash that no client can foresee, if the seed is random.
    public func hash(seed: UInt64) -> UInt64 {
        WordHash.hash(bytes, seed: seed, mask: .max)
    }

    /// The same for words that differ in nothing but their case. A match must still be proved, with `isWord`.
    public var foldedHash: UInt64 {
        WordHash.hash(bytes, seed: 0, mask: WordHash.caseless)
    }

    /// What the `foldedHash` of such an argument is.
    public static func foldedHash(of word: String) -> UInt64 {
        word.utf8Span.span.withUnsafeBytes { Argument($0).foldedHash }
    }
}

private enum WordHash {
    /// Without the bits that tell capitals from small letters (and some other bytes apart, which a hash may).
    static let caseless: UInt64 = 0xDFDF_DFDF_DFDF_DFDF

    /// Eight bytes at a time, stirred as wyhash does. It reads within `bytes` only: the last eight overlap those before.
    static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64, mask: UInt64) -> UInt64 {
        var hash = stir(seed ^ UInt64(truncatingIfNeeded: bytes.count))
        var offset = 0
        while bytes.count - offset > 8 {
            hash = stir(hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & mask)
            offset += 8
        }
        return stir(hash ^ tail(bytes, from: offset) & mask)
    }

    private static func tail(_ bytes: UnsafeRawBufferPointer, from offset: Int) -> UInt64 {
        switch bytes.count - offset {
        case 0: return 0
        case 1..<4:
            let middle = (offset + bytes.count) / 2
            return UInt64(bytes[offset]) << 16 | UInt64(bytes[middle]) << 8 | UInt64(bytes[bytes.count - 1])
        default:
            let low = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let high = bytes.loadUnaligned(fromByteOffset: bytes.count - 4, as: UInt32.self)
            return UInt64(low) << 32 | UInt64(high)
        }
    }

    private static func stir(_ word: UInt64) -> UInt64 {
        let product = (word ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB)
        return product.high ^ product.low
    }
}

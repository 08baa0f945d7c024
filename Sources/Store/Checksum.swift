/// The checksum of a batch. SQLite's pages have no checksum, and PostgreSQL's have one only if its cluster was made with them. Four lanes let
/// multiplications overlap.
package func checksum(_ bytes: UnsafeRawBufferPointer) -> Int64 {
    let prime: UInt64 = 0x9E37_79B9_7F4A_7C15
    var (a, b, c, d) = (prime, prime &* 3, prime &* 5, prime &* 7)
    var offset = 0
    while bytes.count - offset >= 32 {
        a = mix(a, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        b = mix(b, bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
        c = mix(c, bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self))
        d = mix(d, bytes.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self))
        offset += 32
    }
    while offset < bytes.count {
        a = mix(a, UInt64(bytes[offset]))
        offset += 1
    }
    let sum = mix(mix(mix(a, b), c), d &+ UInt64(bytes.count))
    return Int64(bitPattern: sum)
}

/// For the sums of rows, too, which are made in another module.
@inlinable
package func mix(_ sum: UInt64, _ word: UInt64) -> UInt64 {
    let product = (sum ^ word) &* 0xC2B2_AE3D_27D4_EB4F
    return product ^ (product >> 29)
}

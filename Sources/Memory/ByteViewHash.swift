// Hashes of words and names.

extension ByteView {
    /// A hash that clients cannot predict, if the seed is random.
    @inlinable
    public func hash(seed: UInt64) -> UInt64 {
        WordHash.hash(bytes, seed: seed, mask: .max)
    }

    /// A case-insensitive hash. A match must be verified.
    public var foldedHash: UInt64 {
        WordHash.hash(bytes, seed: 0, mask: WordHash.caseless)
    }

    /// The `foldedHash` of this text.
    public static func foldedHash(of word: String) -> UInt64 {
        word.utf8Span.span.withUnsafeBytes { ByteView($0).foldedHash }
    }
}

@usableFromInline
enum WordHash {
    /// Without the bits that tell capitals from small letters (and some other bytes apart, which a hash may).
    static let caseless: UInt64 = 0xDFDF_DFDF_DFDF_DFDF

    /// Sixteen bytes at a time, mixed as in wyhash. Never reads outside `bytes`: the last sixteen overlap the ones before.
    @inlinable
    static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64, mask: UInt64) -> UInt64 {
        guard let start = bytes.baseAddress, bytes.count > 8 else { return hash(short: bytes, seed: seed, mask: mask) }
        let end = start + bytes.count
        var (hash, place) = (seed, start)
        while end - place > 16 {
            hash = mix(word(place) & mask ^ first, word(place + 8) & mask ^ hash)
            place += 16
        }
        return mix(word(end - min(16, bytes.count)) & mask ^ first ^ lengths(bytes.count), word(end - 8) & mask ^ hash)
    }

    @usableFromInline
    static func hash(short bytes: UnsafeRawBufferPointer, seed: UInt64, mask: UInt64) -> UInt64 {
        mix(tail(bytes, from: 0) & mask ^ first ^ lengths(bytes.count), seed)
    }

    @inlinable
    static func word(_ place: UnsafeRawPointer) -> UInt64 { place.loadUnaligned(as: UInt64.self) }

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

    /// Words of other lengths differ in many bits, and not in those of one byte.
    @inlinable
    static func lengths(_ count: Int) -> UInt64 { UInt64(count) &* 0x9E37_79B9_7F4A_7C15 }

    @inlinable static var first: UInt64 { 0xA076_1D64_78BD_642F }
    @inlinable static var second: UInt64 { 0xE703_7ED1_A0B4_28DB }

    @inlinable
    static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right ^ second)
        return product.high ^ product.low
    }
}

// MARK: - A borrowed view of bytes

/// A view of bytes. Their owner decides how long it stays valid.
public struct ByteView: Equatable {
    /// The bytes.
    public let bytes: UnsafeRawBufferPointer

    /// A view of these bytes.
    @inlinable
    public init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The number of bytes.
    @inlinable public var count: Int { bytes.count }

    /// Whether it is empty.
    @inlinable public var isEmpty: Bool { bytes.isEmpty }

    /// The byte at an offset.
    @inlinable
    public subscript(offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < bytes.count, "a view of \(bytes.count) bytes has none at \(offset)")
        return bytes[offset]
    }

    /// Whether the bytes are the same.
    @inlinable
    public static func == (left: ByteView, right: ByteView) -> Bool {
        left.bytes.hasSameBytes(as: right.bytes)
    }
}

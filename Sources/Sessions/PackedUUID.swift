// UUIDs as names: 36 characters that say 16 bytes.

/// A UUID in the usual small letters, `3f2c9a10-7b1e-4c55-9d2f-001122334455`, packed into the bytes that its digits stand for. Digits are
/// packed, unpacked and compared eight at a time.
struct PackedUUID: BitwiseCopyable, Equatable {
    static let length = 36

    /// The first sixteen digits, and the last.
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        (self.high, self.low) = (high, low)
    }

    /// Nil unless these are the characters that it would unpack to.
    init?(_ text: UnsafeRawBufferPointer) {
        guard text.count == Self.length else { return nil }
        high = UInt64(Self.packed(text.digits(0))) << 32 | UInt64(Self.packed(text.digits(1)))
        low = UInt64(Self.packed(text.digits(2))) << 32 | UInt64(Self.packed(text.digits(3)))
        guard equals(text) else { return nil }
    }

    /// The text must have 36 bytes.
    @inline(__always)
    func equals(_ text: UnsafeRawBufferPointer) -> Bool {
        text.digits(0) == Self.unpacked(high >> 32) && text.digits(1) == Self.unpacked(high)
            && text.digits(2) == Self.unpacked(low >> 32) && text.digits(3) == Self.unpacked(low)
            && text[8] == Self.dash && text[13] == Self.dash && text[18] == Self.dash && text[23] == Self.dash
    }

    func withBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result
    {
        var room: (UInt64, UInt64, UInt64, UInt64, UInt32) = (0, 0, 0, 0, 0)
        return try withUnsafeMutableBytes(of: &room) { text throws(Failure) in
            for dash in [8, 13, 18, 23] { text[dash] = Self.dash }
            text.store(Self.unpacked(high >> 32), at: 0)
            text.storeHalves(Self.unpacked(high), at: 9, 14)
            text.storeHalves(Self.unpacked(low >> 32), at: 19, 24)
            text.store(Self.unpacked(low), at: 28)
            return try body(UnsafeRawBufferPointer(rebasing: text[..<Self.length]))
        }
    }

    private static let dash = UInt8(ascii: "-")

    /// Eight digits, the first in the lowest byte, as 32 bits. What is no digit comes out as some other.
    @inline(__always)
    private static func packed(_ digits: UInt64) -> UInt32 {
        let letters = digits >> 6 & 0x0101_0101_0101_0101
        var bits = ((digits & 0x0F0F_0F0F_0F0F_0F0F) &+ letters &* 9).byteSwapped & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits >> 4) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: bits | bits >> 16)
    }

    /// The digits of the lower 32 bits.
    @inline(__always)
    private static func unpacked(_ number: UInt64) -> UInt64 {
        var bits = number & 0xFFFF_FFFF
        bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
        bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
        bits = ((bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F).byteSwapped
        let letters = (bits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return bits &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
    }
}

extension UnsafeRawBufferPointer {
    /// The eight digits of one of the four parts, around the dashes between them.
    @inline(__always)
    fileprivate func digits(_ part: Int) -> UInt64 {
        switch part {
        case 0: loadUnaligned(as: UInt64.self)
        case 1: halves(9, 14)
        case 2: halves(19, 24)
        default: loadUnaligned(fromByteOffset: 28, as: UInt64.self)
        }
    }

    @inline(__always)
    private func halves(_ first: Int, _ second: Int) -> UInt64 {
        UInt64(loadUnaligned(fromByteOffset: first, as: UInt32.self))
            | UInt64(loadUnaligned(fromByteOffset: second, as: UInt32.self)) << 32
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func store(_ digits: UInt64, at offset: Int) { storeBytes(of: digits, toByteOffset: offset, as: UInt64.self) }

    fileprivate func storeHalves(_ digits: UInt64, at first: Int, _ second: Int) {
        storeBytes(of: UInt32(truncatingIfNeeded: digits), toByteOffset: first, as: UInt32.self)
        storeBytes(of: UInt32(truncatingIfNeeded: digits >> 32), toByteOffset: second, as: UInt32.self)
    }
}

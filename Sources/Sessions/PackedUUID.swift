// UUIDs as names: 36 characters that encode 16 bytes.

/// A UUID in the usual small letters, `3f2c9a10-7b1e-4c55-9d2f-001122334455`, packed into the bytes that its digits encode, in their
/// order. Digits are packed eight at a time, and unpacked and compared sixteen at a time, without a branch: a name is compared for each event.
struct PackedUUID: BitwiseCopyable, Equatable {
    static let length = 36

    /// The first eight bytes, and the last.
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        (self.high, self.low) = (high, low)
    }

    /// Nil unless these are the characters that it would unpack to.
    init?(_ text: UnsafeRawBufferPointer) {
        guard text.count == Self.length, let start = text.baseAddress else { return nil }
        high = UInt64(Self.packed(start.digits(0))) | UInt64(Self.packed(start.digits(1))) << 32
        low = UInt64(Self.packed(start.digits(2))) | UInt64(Self.packed(start.digits(3))) << 32
        guard equals(start) else { return nil }
    }

    /// The text must have 36 bytes.
    @inline(__always)
    func equals(_ text: UnsafeRawPointer) -> Bool {
        let first = SIMD2(text.digits(0), text.digits(1)) ^ Self.unpacked(high)
        let last = SIMD2(text.digits(2), text.digits(3)) ^ Self.unpacked(low)
        let either = first | last
        return either[0] | either[1] | text.differenceOfDashes == 0
    }

    func withBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result
    {
        var room: (UInt64, UInt64, UInt64, UInt64, UInt32) = (0, 0, 0, 0, 0)
        return try withUnsafeMutableBytes(of: &room) { text throws(Failure) in
            for dash in [8, 13, 18, 23] { text[dash] = Self.dash }
            let (first, last) = (Self.unpacked(high), Self.unpacked(low))
            text.store(first[0], at: 0)
            text.storeHalves(first[1], at: 9, 14)
            text.storeHalves(last[0], at: 19, 24)
            text.store(last[1], at: 28)
            return try body(UnsafeRawBufferPointer(rebasing: text[..<Self.length]))
        }
    }

    private static let dash = UInt8(ascii: "-")
    private static let each: UInt64 = 0x0101_0101_0101_0101
    private static let lowHalves: UInt64 = 0x0F0F_0F0F_0F0F_0F0F

    /// Eight digits as four bytes, the first in the lowest. Other characters give an arbitrary result.
    private static func packed(_ digits: UInt64) -> UInt32 {
        let values = (digits & lowHalves) &+ (digits >> 6 & each) &* 9
        var bytes = (values << 4 | values >> 8) & 0x00FF_00FF_00FF_00FF
        bytes = (bytes | bytes >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: bytes | bytes >> 16)
    }

    /// The sixteen digits of eight bytes.
    @inline(__always)
    private static func unpacked(_ number: UInt64) -> SIMD2<UInt64> {
        var values = SIMD16<UInt8>()
        values.evenHalf = unsafeBitCast(number >> 4 & lowHalves, to: SIMD8<UInt8>.self)
        values.oddHalf = unsafeBitCast(number & lowHalves, to: SIMD8<UInt8>.self)
        // All ones for a letter, zero for a numeral.
        let letters = SIMD16(repeating: 0) &- ((values &+ 6) &>> 4)
        return unsafeBitCast(values &+ 0x30 &+ (letters & 0x27), to: SIMD2<UInt64>.self)
    }
}

extension UnsafeRawPointer {
    /// The eight digits of one of the four parts, around the dashes between them.
    fileprivate func digits(_ part: Int) -> UInt64 {
        switch part {
        case 0: loadUnaligned(as: UInt64.self)
        case 1: halves(9, 14)
        case 2: halves(19, 24)
        default: loadUnaligned(fromByteOffset: 28, as: UInt64.self)
        }
    }

    private func halves(_ first: Int, _ second: Int) -> UInt64 {
        UInt64(loadUnaligned(fromByteOffset: first, as: UInt32.self))
            | UInt64(loadUnaligned(fromByteOffset: second, as: UInt32.self)) << 32
    }

    /// Zero if there are dashes where they belong: the first and the sixth byte from 8 on, and from 18 on.
    fileprivate var differenceOfDashes: UInt64 {
        let (mask, dashes): (UInt64, UInt64) = (0x0000_FF00_0000_00FF, 0x0000_2D00_0000_002D)
        return (loadUnaligned(fromByteOffset: 8, as: UInt64.self) & mask ^ dashes)
            | (loadUnaligned(fromByteOffset: 18, as: UInt64.self) & mask ^ dashes)
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func store(_ digits: UInt64, at offset: Int) { storeBytes(of: digits, toByteOffset: offset, as: UInt64.self) }

    fileprivate func storeHalves(_ digits: UInt64, at first: Int, _ second: Int) {
        storeBytes(of: UInt32(truncatingIfNeeded: digits), toByteOffset: first, as: UInt32.self)
        storeBytes(of: UInt32(truncatingIfNeeded: digits >> 32), toByteOffset: second, as: UInt32.self)
    }
}

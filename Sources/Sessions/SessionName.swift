// Names, in the room that a record has for them.

import Memory

/// A session's name, in 24 bytes. Names of up to 16 bytes and UUIDs are stored inline, others on the heap. The remaining seven bytes
/// hold a number of the owner's, who also frees the name.
package struct SessionName: BitwiseCopyable {
    package static let longest = 255
    private static let room = 16

    /// The bytes of a short name, a UUID, or the address of the bytes.
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private var lengthAndSpare: UInt64

    /// Copies at most `longest` bytes.
    package init(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= Self.longest, "names are checked where they come in")
        lengthAndSpare = UInt64(bytes.count) | Self.mostSpare << 8
        if bytes.count <= Self.room {
            withUnsafeMutableBytes(of: &self) { $0.copyMemory(from: bytes) }
        } else if let uuid = PackedUUID(bytes), uuid.high != 0 {
            (low, high) = (uuid.low, uuid.high)
        } else {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 1)
            memory.copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
            low = UInt64(UInt(bitPattern: memory))
        }
    }

    /// The largest number that fits.
    static let mostSpare = UInt64.max >> 8

    package var spare: UInt64 {
        get { lengthAndSpare >> 8 }
        set { lengthAndSpare = lengthAndSpare & 0xFF | newValue << 8 }
    }

    private var length: Int { Int(lengthAndSpare & 0xFF) }

    package func free() {
        elsewhere?.deallocate()
    }

    /// Where the bytes of a name on the heap begin, to be fetched ahead.
    package var address: UnsafeRawPointer? { elsewhere.map { UnsafeRawPointer($0) } }

    /// The UUID that is stored in place of its text; of one whose first half is zero there is the text.
    private var uuid: PackedUUID? {
        length == PackedUUID.length && high != 0 ? PackedUUID(high: high, low: low) : nil
    }

    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let uuid { return uuid.withBytes(body) }
        if let elsewhere { return body(UnsafeRawBufferPointer(start: elsewhere, count: length)) }
        return withUnsafeBytes(of: self) { body(UnsafeRawBufferPointer(rebasing: $0[..<length])) }
    }

    @inline(__always)
    package func equals(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == length else { return false }
        if let uuid { return uuid.equals(bytes) }
        return withBytes { $0.hasSameBytes(as: bytes) }
    }

    private var elsewhere: UnsafeMutableRawPointer? {
        length > Self.room && high == 0 ? UnsafeMutableRawPointer(bitPattern: UInt(low)) : nil
    }
}

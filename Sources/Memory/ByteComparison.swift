// Bytes compared eight at a time, in place: a call of memcmp takes longer than most names.

extension UnsafeRawBufferPointer {
    /// Whether both have the same bytes.
    @inline(__always)
    @inlinable public func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let mine = baseAddress, let its = other.baseAddress else { return true }
        // The first four and the last four, which may overlap.
        if count >= 4, count <= 8 {
            let end = count &- 4
            return mine.loadUnaligned(as: UInt32.self) == its.loadUnaligned(as: UInt32.self)
                && mine.loadUnaligned(fromByteOffset: end, as: UInt32.self)
                    == its.loadUnaligned(fromByteOffset: end, as: UInt32.self)
        }
        var offset = 0
        while count &- offset >= 8 {
            if mine.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                != its.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            {
                return false
            }
            offset &+= 8
        }
        while offset < count {
            if mine.load(fromByteOffset: offset, as: UInt8.self) != its.load(fromByteOffset: offset, as: UInt8.self) {
                return false
            }
            offset &+= 1
        }
        return true
    }
}

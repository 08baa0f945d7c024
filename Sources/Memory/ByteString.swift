// A name as bytes, compared bytewise: `String` compares canonically equivalent texts as equal, and cannot hold invalid UTF-8.

package struct ByteString: Hashable, Sendable {
    private let bytes: [UInt8]

    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = Array(bytes)
    }

    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    package var count: Int { bytes.count }
    package var isEmpty: Bool { bytes.isEmpty }

    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes(body)
    }

    /// For people: `�` replaces bytes that are not UTF-8.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package static func == (left: ByteString, right: ByteString) -> Bool {
        left.bytes.withUnsafeBytes { left in right.bytes.withUnsafeBytes { left.hasSameBytes(as: $0) } }
    }

    package func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension ByteString: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}

extension ByteString: Comparable {
    /// In the order of the bytes.
    package static func < (left: ByteString, right: ByteString) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension ByteString {
    /// `session:` before a name. One allocation.
    package static func + (left: StaticString, right: ByteString) -> ByteString {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(left.utf8CodeUnitCount + right.count)
        left.withUTF8Buffer { bytes += $0 }
        bytes += right.bytes
        return ByteString(bytes)
    }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }
}

// MARK: - Bytes compared eight at a time, in place: a call of memcmp takes longer than most names.

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

// A borrowed view of bytes.

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

    /// Whether there are none.
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

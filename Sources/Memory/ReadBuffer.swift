// Memory that bytes are read into.

/// A buffer of `byteCount` bytes, allocated for as long as it lives.
public struct ReadBuffer: ~Copyable {
    public let bytes: UnsafeMutableRawBufferPointer

    /// Their content is not defined until they are written.
    public init(byteCount: Int) {
        bytes = .allocate(byteCount: byteCount, alignment: 16)
    }

    public subscript(range: Range<Int>) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: bytes[range])
    }

    deinit {
        bytes.deallocate()
    }
}

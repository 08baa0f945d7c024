/// Why a capture cannot be read to its end. Offsets are in bytes from the start of the file.
package enum CaptureError: Error, Equatable, Sendable, CustomStringConvertible {
    case notACapture(offset: Int, found: UInt8)
    case unknownVersion(UInt32)
    case unknownDatalink(UInt32)
    case recordTooLong(offset: Int, byteCount: UInt32)
    case truncatedHeader(byteCount: Int)
    case truncatedRecord(offset: Int, byteCount: Int, expected: Int)

    package var description: String {
        switch self {
        case .notACapture(let offset, let found):
            """
            this is not a btsnoop capture: the byte at offset \(offset) is 0x\(found.hexadecimal); a capture begins with \
            'btsnoop' and a zero byte
            """
        case .unknownVersion(let version):
            "the capture has version \(version), at offset 8; only version 1 can be read"
        case .unknownDatalink(let number):
            """
            the capture has datalink \(number), at offset 12; it can be 1002 (H4, recorded by Android) or \
            2001 (monitor, recorded by btmon)
            """
        case .recordTooLong(let offset, let byteCount):
            """
            the record at offset \(offset) claims to have \(byteCount) bytes, so the capture is damaged there; a record has at \
            most \(CaptureRecord.maxLength)
            """
        case .truncatedHeader(let byteCount):
            "the capture ends after \(byteCount) bytes, within its header of \(CaptureReader.headerLength)"
        case .truncatedRecord(let offset, let byteCount, let expected):
            """
            the capture ends within the record at offset \(offset): \(byteCount) bytes of it are there, of at least \
            \(expected)
            """
        }
    }
}

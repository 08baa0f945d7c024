// Reads a btsnoop capture incrementally, from chunks of any size.

/// Feed it bytes, then take records until there are none. It keeps only the bytes that no record has taken yet.
package struct CaptureReader: Sendable {
    static let magic: [UInt8] = Array("btsnoop\0".utf8)
    static let headerLength = 16
    static let version: UInt32 = 1

    private enum State {
        /// The header is incomplete.
        case beforeRecords
        /// The header was valid; records follow.
        case inRecords(Datalink)
        /// The file is invalid from here on, and further bytes are dropped.
        case failed(CaptureError)
    }

    private var state = State.beforeRecords
    private var buffer: [UInt8] = []
    /// The bytes of the buffer that have been read.
    private var position = 0
    /// The buffer's offset in the file.
    private var bufferOffset = 0

    package init() {}

    private var unread: ArraySlice<UInt8> { buffer[position...] }

    /// The bytes that belong to no complete record yet.
    package var unreadByteCount: Int { unread.count }

    private var offset: Int { bufferOffset &+ position }

    /// Takes the next bytes of the file.
    package mutating func feed(_ bytes: some Sequence<UInt8>) {
        if case .failed = state { return }
        if position > buffer.count / 2 { dropWhatIsRead() }
        buffer.append(contentsOf: bytes)
    }

    /// The next record; nil if it is incomplete.
    package mutating func next() throws(CaptureError) -> CaptureRecord? {
        if case .beforeRecords = state { try readHeader() }
        switch state {
        case .beforeRecords: return nil
        case .inRecords(let datalink): return try readRecord(datalink)
        case .failed(let error): throw error
        }
    }

    /// To be called at the end of the file, after the last record: throws if the capture is truncated.
    package func finish() throws(CaptureError) {
        switch state {
        case .beforeRecords: throw .truncatedHeader(byteCount: unread.count)
        case .inRecords where unread.isEmpty: return
        case .inRecords(let datalink):
            let length = CaptureRecord.headerLength + Int(recordHeader(datalink)?.byteCount ?? 0)
            throw .truncatedRecord(offset: offset, byteCount: unread.count, expected: length)
        case .failed(let error): throw error
        }
    }

    // MARK: The two parts of a file

    private mutating func readHeader() throws(CaptureError) {
        try checkMagic()
        var reader = ByteReader(unread.dropFirst(Self.magic.count))
        guard let version = reader.bigEndianNumber(UInt32.self) else { return }
        guard version == Self.version else { throw fail(.unknownVersion(version)) }
        guard let number = reader.bigEndianNumber(UInt32.self) else { return }
        guard let datalink = Datalink(rawValue: number) else { throw fail(.unknownDatalink(number)) }
        position += Self.headerLength
        state = .inRecords(datalink)
    }

    /// Checks as much of the magic as has come, so that a wrong file fails at its first byte.
    private mutating func checkMagic() throws(CaptureError) {
        for (index, (found, right)) in zip(unread, Self.magic).enumerated() where found != right {
            throw fail(.notACapture(offset: index, found: found))
        }
    }

    private mutating func readRecord(_ datalink: Datalink) throws(CaptureError) -> CaptureRecord? {
        guard let (header, byteCount) = recordHeader(datalink) else { return nil }
        guard byteCount <= CaptureRecord.maxLength else {
            throw fail(.recordTooLong(offset: offset, byteCount: byteCount))
        }
        let bytes = unread.dropFirst(CaptureRecord.headerLength).prefix(Int(byteCount))
        guard bytes.count == byteCount else { return nil }
        position += CaptureRecord.headerLength + bytes.count
        var record = header
        record.bytes = Array(bytes)
        return record
    }

    private func recordHeader(_ datalink: Datalink) -> (record: CaptureRecord, byteCount: UInt32)? {
        var reader = ByteReader(unread)
        guard reader.bytes(4) != nil,  // the packet's length before the recorder truncated it
            let byteCount = reader.bigEndianNumber(UInt32.self),
            let flags = reader.bigEndianNumber(UInt32.self),
            reader.bytes(4) != nil,  // packets that the recorder had lost by then
            let time = reader.bigEndianNumber(Int64.self)
        else { return nil }
        let record = CaptureRecord(
            datalink: datalink, time: CaptureTime(microsecondsSinceYearZero: time), flags: flags, bytes: [])
        return (record, byteCount)
    }

    // MARK: The buffer

    private mutating func dropWhatIsRead() {
        buffer.removeFirst(position)
        bufferOffset &+= position
        position = 0
    }

    private mutating func fail(_ error: CaptureError) -> CaptureError {
        state = .failed(error)
        buffer = []
        position = 0
        return error
    }
}

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

// Reads a btsnoop capture from bytes as they come, in pieces of any size.

/// Feed it bytes, and take records until there is none. It keeps no more than what has not been taken.
public struct CaptureReader: Sendable {
    static let magic: [UInt8] = Array("btsnoop\0".utf8)
    static let headerLength = 16
    private static let version: UInt32 = 1

    private enum State {
        /// The header, which says what kind of file this is, has not come whole.
        case beforeRecords
        /// The header was right; one record follows the other.
        case inRecords(Datalink)
        /// Something was wrong, and nothing behind it can be trusted: whatever comes now is dropped.
        case failed(CaptureError)
    }

    private var state = State.beforeRecords
    private var buffer: [UInt8] = []
    /// How many bytes of the buffer have been read.
    private var position = 0
    /// Where the buffer begins in the file.
    private var bufferOffset = 0

    public init() {}

    /// Nil as long as the header has not come whole.
    public var datalink: Datalink? {
        if case .inRecords(let datalink) = state { datalink } else { nil }
    }

    private var unread: ArraySlice<UInt8> { buffer[position...] }

    /// How many bytes have come that are not in any record yet.
    public var unreadByteCount: Int { unread.count }

    private var offset: Int { bufferOffset &+ position }

    /// Takes the next bytes of the file.
    public mutating func feed(_ bytes: some Sequence<UInt8>) {
        if case .failed = state { return }
        if position > buffer.count / 2 { dropWhatIsRead() }
        buffer.append(contentsOf: bytes)
    }

    /// The next record; nil if it has not come whole.
    public mutating func next() throws(CaptureError) -> CaptureRecord? {
        if case .beforeRecords = state { try readHeader() }
        switch state {
        case .beforeRecords: return nil
        case .inRecords(let datalink): return try readRecord(datalink)
        case .failed(let error): throw error
        }
    }

    /// To be asked at the end of the file, when there is no further record: says whether a capture may end there.
    public func finish() throws(CaptureError) {
        switch state {
        case .beforeRecords: throw .truncatedHeader(byteCount: unread.count)
        case .inRecords where unread.isEmpty: return
        case .inRecords: throw .truncatedRecord(offset: offset, byteCount: unread.count, expected: expectedLength)
        case .failed(let error): throw error
        }
    }

    /// How long the record that has begun is: its header at least.
    private var expectedLength: Int {
        CaptureRecord.headerLength + (CaptureRecordHeader(unread).map { Int($0.includedLength) } ?? 0)
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

    /// Looks at as much of the magic as has come: whoever opens a wrong file learns that from its first byte.
    private mutating func checkMagic() throws(CaptureError) {
        for (index, (found, right)) in zip(unread, Self.magic).enumerated() where found != right {
            throw fail(.notACapture(offset: index, found: found))
        }
    }

    private mutating func readRecord(_ datalink: Datalink) throws(CaptureError) -> CaptureRecord? {
        guard let header = CaptureRecordHeader(unread) else { return nil }
        guard header.includedLength <= CaptureRecord.longest else {
            throw fail(.recordTooLong(offset: offset, byteCount: header.includedLength))
        }
        let bytes = unread.dropFirst(CaptureRecord.headerLength).prefix(Int(header.includedLength))
        guard bytes.count == header.includedLength else { return nil }
        position += CaptureRecord.headerLength + bytes.count
        return CaptureRecord(
            datalink: datalink, time: header.time, flags: header.flags, bytes: Array(bytes),
            originalLength: header.originalLength, cumulativeDrops: header.cumulativeDrops)
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

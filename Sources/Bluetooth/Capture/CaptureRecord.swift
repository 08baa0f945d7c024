// One record of a capture, with the frame around its bytes. What the bytes mean is said in CaptureContent.

/// What was recorded at one moment.
public struct CaptureRecord: Equatable, Sendable {
    /// The most bytes that a record can have: the longest packet there is, which carries 65,535 bytes, its header and its type.
    public static let longest = 65_540
    static let headerLength = 24

    public var datalink: Datalink
    public var time: CaptureTime
    /// Of H4, two bits that say the direction and whether this is data; of a monitor capture, the opcode and the adapter.
    public var flags: UInt32
    /// How many packets the recorder had lost by then.
    public var cumulativeDrops: UInt32
    /// How long the packet was before the recorder cut it.
    public var originalLength: UInt32
    public var bytes: [UInt8]

    public init(
        datalink: Datalink, time: CaptureTime, flags: UInt32, bytes: [UInt8], originalLength: UInt32? = nil,
        cumulativeDrops: UInt32 = 0
    ) {
        self.datalink = datalink
        self.time = time
        self.flags = flags
        self.bytes = bytes
        self.originalLength = originalLength ?? UInt32(clamping: bytes.count)
        self.cumulativeDrops = cumulativeDrops
    }

    /// The record as it stands in the file.
    public var serialized: [UInt8] {
        precondition(bytes.count <= Self.longest, "a record has at most \(Self.longest) bytes")
        var result: [UInt8] = []
        result.reserveCapacity(Self.headerLength + bytes.count)
        result.append(bigEndian: originalLength)
        result.append(bigEndian: UInt32(bytes.count))
        result.append(bigEndian: flags)
        result.append(bigEndian: cumulativeDrops)
        result.append(bigEndian: time.microsecondsSinceYearZero)
        return result + bytes
    }
}

/// The frame around a record's bytes, as it stands in the file.
struct CaptureRecordHeader {
    let originalLength: UInt32
    let includedLength: UInt32
    let flags: UInt32
    let cumulativeDrops: UInt32
    let time: CaptureTime

    /// Nil as long as it has not come whole.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        guard let originalLength = reader.bigEndianNumber(UInt32.self),
            let includedLength = reader.bigEndianNumber(UInt32.self),
            let flags = reader.bigEndianNumber(UInt32.self),
            let cumulativeDrops = reader.bigEndianNumber(UInt32.self),
            let time = reader.bigEndianNumber(Int64.self)
        else { return nil }
        self.originalLength = originalLength
        self.includedLength = includedLength
        self.flags = flags
        self.cumulativeDrops = cumulativeDrops
        self.time = CaptureTime(microsecondsSinceYearZero: time)
    }
}

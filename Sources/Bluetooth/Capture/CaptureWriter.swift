/// Makes the bytes of a btsnoop capture: the header once, and a record for each packet. Where they are written is the caller's
/// business, and so is the time.
public struct CaptureWriter: Sendable {
    public let datalink: Datalink

    public init(_ datalink: Datalink = .h4) {
        self.datalink = datalink
    }

    /// What a capture begins with.
    public var header: [UInt8] {
        var bytes = CaptureReader.magic
        bytes.append(bigEndian: UInt32(1))
        bytes.append(bigEndian: datalink.rawValue)
        return bytes
    }

    public func record(_ packet: HCIPacket, at time: CaptureTime, adapter: UInt16 = 0) -> [UInt8] {
        CaptureRecord(packet, at: time, adapter: adapter, on: datalink).serialized
    }
}

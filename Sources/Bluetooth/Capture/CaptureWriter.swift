/// Makes the bytes of a btsnoop capture: one header, and a record for each packet. The caller writes them, and gives the time.
package struct CaptureWriter: Sendable {
    package let datalink: Datalink

    package init(_ datalink: Datalink = .h4) {
        self.datalink = datalink
    }

    /// The beginning of a capture.
    package var header: [UInt8] {
        var bytes = CaptureReader.magic
        bytes.append(bigEndian: UInt32(1))
        bytes.append(bigEndian: datalink.rawValue)
        return bytes
    }

    package func record(_ packet: HCIPacket, at time: CaptureTime, adapter: UInt16 = 0) -> [UInt8] {
        CaptureRecord(packet, at: time, adapter: adapter, on: datalink).serialized
    }
}

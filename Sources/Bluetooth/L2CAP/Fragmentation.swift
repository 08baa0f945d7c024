// Splits a frame into the packets that carry it.

extension HCIPacket {
    /// The frame in packets that carry at most `size` bytes of it each.
    static func fragments(
        of frame: L2CAPFrame, on handle: ConnectionHandle, _ direction: PacketDirection, size: Int
    ) -> [HCIPacket] {
        var rest = frame.serialized[...]
        var packets: [HCIPacket] = []
        while !rest.isEmpty {
            let piece = rest.prefix(max(1, size))
            let boundary = packets.isEmpty ? firstFlags(direction) : 0x1000
            packets.append(acl(piece, handle.rawValue | boundary, direction))
            rest = rest.dropFirst(piece.count)
        }
        return packets
    }

    /// The host marks the first fragment of a frame as 00, the adapter as 10.
    private static func firstFlags(_ direction: PacketDirection) -> UInt16 {
        switch direction {
        case .sent: 0x0000
        case .received: 0x2000
        }
    }

    private static func acl(
        _ bytes: ArraySlice<UInt8>, _ handleAndFlags: UInt16, _ direction: PacketDirection
    ) -> HCIPacket {
        var payload: [UInt8] = []
        payload.append(number: handleAndFlags)
        payload.append(number: UInt16(clamping: bytes.count))
        return HCIPacket(.acl, direction, payload + bytes)
    }
}

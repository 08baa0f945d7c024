// A connection's data between host and adapter: frames of L2CAP, cut into pieces that the adapter can take.

/// One piece of a frame.
struct ACLFragment: Equatable {
    /// The least and the most that an adapter may take at once.
    static let possibleSizes = 27...65_535

    let handle: ConnectionHandle
    /// Behind another piece of the same frame; otherwise the first.
    let isContinuation: Bool
    /// Meant for every device at once, and so for no connection.
    let isBroadcast: Bool
    /// The recorder did not keep all of it.
    let isCut: Bool
    let bytes: ArraySlice<UInt8>

    /// Nil if not even the head is there.
    init?(_ payload: ArraySlice<UInt8>) {
        let continuation: UInt16 = 1
        var reader = ByteReader(payload)
        guard let handleAndFlags = reader.number(UInt16.self), let length = reader.number(UInt16.self) else { return nil }
        handle = ConnectionHandle(rawValue: handleAndFlags)
        isContinuation = handleAndFlags >> 12 & 3 == continuation
        isBroadcast = handleAndFlags >> 14 != 0
        bytes = reader.rest.prefix(Int(length))
        isCut = bytes.count < length
    }
}

extension HCIPacket {
    /// A frame as packets, none of which carries more than `size` bytes of it.
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

    /// The host marks the first piece of a frame as 00, the adapter as 10.
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

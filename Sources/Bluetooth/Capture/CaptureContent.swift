// What a record's bytes and flags mean together, under the capture's datalink; and the way back.

/// What a record holds.
public enum CaptureContent: Equatable, Sendable {
    /// A packet between the host and its adapter.
    case packet(HCIPacket)
    /// The adapter came, went, was opened or closed: no connection of its lives through that.
    case adapterChanged
    /// What the recorder noted besides, and what this code does not know.
    case other
}

extension CaptureRecord {
    /// Which adapter it was. H4 knows one only.
    public var adapter: UInt16 {
        switch datalink {
        case .h4: 0
        case .monitor: UInt16(truncatingIfNeeded: flags >> 16)
        }
    }

    public var content: CaptureContent {
        switch datalink {
        case .h4: h4Content
        case .monitor: monitorContent
        }
    }

    /// The packet's own type byte counts. Of the flags only the direction is taken, and only where the type leaves it open.
    private var h4Content: CaptureContent {
        guard let type = bytes.first, let kind = HCIPacket.Kind(rawValue: type) else { return .other }
        let direction =
            switch kind {
            case .command: PacketDirection.sent
            case .event: PacketDirection.received
            case .acl, .sco, .iso: flags & 1 == 0 ? PacketDirection.sent : .received
            }
        return .packet(HCIPacket(kind, direction, bytes.dropFirst()))
    }

    private var monitorContent: CaptureContent {
        switch MonitorOpcode(rawValue: UInt16(truncatingIfNeeded: flags)) {
        case .newIndex, .deleteIndex, .openIndex, .closeIndex: .adapterChanged
        case .command: .packet(HCIPacket(.command, .sent, bytes[...]))
        case .event: .packet(HCIPacket(.event, .received, bytes[...]))
        case .aclSent: .packet(HCIPacket(.acl, .sent, bytes[...]))
        case .aclReceived: .packet(HCIPacket(.acl, .received, bytes[...]))
        case .scoSent: .packet(HCIPacket(.sco, .sent, bytes[...]))
        case .scoReceived: .packet(HCIPacket(.sco, .received, bytes[...]))
        case .isoSent: .packet(HCIPacket(.iso, .sent, bytes[...]))
        case .isoReceived: .packet(HCIPacket(.iso, .received, bytes[...]))
        case .indexInfo, .vendorDiagnostics, .systemNote, .userLogging: .other
        case .controlOpen, .controlClose, .controlCommand, .controlEvent: .other
        case nil: .other
        }
    }

    /// A packet as it is recorded. H4 has no place for the adapter's number.
    public init(_ packet: HCIPacket, at time: CaptureTime, adapter: UInt16 = 0, on datalink: Datalink) {
        switch datalink {
        case .h4:
            self.init(datalink: datalink, time: time, flags: packet.h4Flags, bytes: packet.h4Bytes)
        case .monitor:
            let opcode = MonitorOpcode(packet.kind, packet.direction)
            let flags = UInt32(adapter) << 16 | UInt32(opcode.rawValue)
            self.init(datalink: datalink, time: time, flags: flags, bytes: Array(packet.payload))
        }
    }
}

extension HCIPacket {
    /// The lowest bit is the direction; the next one tells commands and events from data.
    fileprivate var h4Flags: UInt32 {
        let isReceived: UInt32 = direction == .received ? 1 : 0
        return kind == .command || kind == .event ? 2 | isReceived : isReceived
    }
}

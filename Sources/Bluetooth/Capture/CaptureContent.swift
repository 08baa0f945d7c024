// The meaning of a record's bytes and flags under the capture's datalink, in both directions.

/// How the records of a capture are encoded.
package enum Datalink: UInt32, Sendable, CaseIterable {
    /// A record is a packet as on a serial line, with its type in the first byte. Android records this.
    case h4 = 1002
    /// A record's flags hold its type and its adapter. Linux's btmon records this.
    case monitor = 2001

    /// The beginning of a capture. The bytes of its records follow.
    package var header: [UInt8] { CaptureReader.magic + CaptureReader.version.bigEndianBytes + rawValue.bigEndianBytes }
}

/// The content of a record.
package enum CaptureContent: Equatable, Sendable {
    /// A packet between the host and its adapter.
    case packet(HCIPacket)
    /// The adapter was added, removed, opened or closed, which ends all its connections.
    case adapterChanged
    /// Sound, a note of the recorder, or an unknown record.
    case other
}

extension CaptureRecord {
    /// The adapter's number. H4 has only one.
    package var adapter: UInt16 {
        switch datalink {
        case .h4: 0
        case .monitor: UInt16(truncatingIfNeeded: flags >> 16)
        }
    }

    package var content: CaptureContent {
        switch datalink {
        case .h4: h4Content
        case .monitor: monitorContent
        }
    }

    /// The packet's type byte takes precedence. The flags only decide the direction, where the type leaves it open.
    private var h4Content: CaptureContent {
        guard let type = bytes.first, let kind = HCIPacket.Kind(rawValue: type) else { return .other }
        let direction =
            switch kind {
            case .command: PacketDirection.sent
            case .event: PacketDirection.received
            case .acl: flags & 1 == 0 ? PacketDirection.sent : .received
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
        case nil: .other
        }
    }

    /// The record of a packet. H4 has no room for the adapter's number.
    package init(_ packet: HCIPacket, at time: CaptureTime, adapter: UInt16 = 0, on datalink: Datalink) {
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
    /// The lowest bit is the direction; the next one is set for commands and events.
    fileprivate var h4Flags: UInt32 {
        let isReceived: UInt32 = direction == .received ? 1 : 0
        return kind == .command || kind == .event ? 2 | isReceived : isReceived
    }
}

/// The type of a record in a monitor capture: the lower half of its flags. Other types are sound, notes, and other programs' commands.
package enum MonitorOpcode: UInt16, Sendable, CaseIterable {
    case newIndex = 0
    case deleteIndex = 1
    case command = 2
    case event = 3
    case aclSent = 4
    case aclReceived = 5
    case openIndex = 8
    case closeIndex = 9

    init(_ kind: HCIPacket.Kind, _ direction: PacketDirection) {
        self =
            switch (kind, direction) {
            case (.command, _): .command
            case (.event, _): .event
            case (.acl, .sent): .aclSent
            case (.acl, .received): .aclReceived
            }
    }
}

// What the host and its Bluetooth adapter say to each other. The numbers of the kinds are those of H4, the serial line.

/// Which way a packet went, as the host sees it.
public enum PacketDirection: Hashable, Sendable {
    case sent, received
}

public struct HCIPacket: Equatable, Sendable {
    public enum Kind: UInt8, Sendable, CaseIterable {
        /// What the host asks of the adapter.
        case command = 1
        /// Data of a connection.
        case acl = 2
        /// Sound.
        case sco = 3
        /// What the adapter tells the host.
        case event = 4
        /// Sound again, over Low Energy.
        case iso = 5
    }

    public let kind: Kind
    public let direction: PacketDirection
    /// Everything behind the type byte.
    public let payload: ArraySlice<UInt8>

    public init(_ kind: Kind, _ direction: PacketDirection, _ payload: ArraySlice<UInt8>) {
        self.kind = kind
        self.direction = direction
        self.payload = payload
    }

    /// The packet as it crosses a serial line: its type byte, and the rest.
    public var h4Bytes: [UInt8] { [kind.rawValue] + payload }
}

// The packets between the host and its Bluetooth adapter. The kinds have their numbers in H4, the serial transport.

/// The direction of a packet, as the host sees it.
package enum PacketDirection: Hashable, Sendable {
    case sent, received
}

package struct HCIPacket: Equatable, Sendable {
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// From the host to the adapter.
        case command = 1
        /// Data of a connection.
        case acl = 2
        /// Audio.
        case sco = 3
        /// From the adapter to the host.
        case event = 4
        /// Audio over Low Energy.
        case iso = 5
    }

    package let kind: Kind
    package let direction: PacketDirection
    /// Everything after the type byte.
    package let payload: ArraySlice<UInt8>

    package init(_ kind: Kind, _ direction: PacketDirection, _ payload: ArraySlice<UInt8>) {
        self.kind = kind
        self.direction = direction
        self.payload = payload
    }

    /// The packet on a serial line: its type byte and the payload.
    package var h4Bytes: [UInt8] { [kind.rawValue] + payload }
}

/// A command's head. Its effects are seen in the events that follow.
struct HCICommand: Equatable {
    static let reset: UInt16 = 0x0C03

    let opcode: UInt16
    let parameters: ArraySlice<UInt8>

    /// Nil if it is truncated.
    init?(_ payload: ArraySlice<UInt8>) {
        var reader = ByteReader(payload)
        guard let opcode = reader.number(UInt16.self), let length = reader.byte(),
            let parameters = reader.bytes(Int(length))
        else { return nil }
        self.opcode = opcode
        self.parameters = parameters
    }
}

// The few events of the adapter that report connections and advertisements.

/// The events that are read or made here.
enum HCIEventCode: UInt8 {
    case connectionComplete = 0x03
    case disconnectionComplete = 0x05
    case lowEnergy = 0x3E
}

/// The subevents of Low Energy: the first byte of its parameters.
enum LowEnergyEventCode: UInt8 {
    case connectionComplete = 0x01
    case advertisingReport = 0x02
    case enhancedConnectionComplete = 0x0A
    case extendedAdvertisingReport = 0x0D
    case enhancedConnectionComplete2 = 0x29
}

enum HCIEvent: Equatable {
    case connected(BluetoothAddress, ConnectionHandle)
    case disconnected(ConnectionHandle)
    case advertised([AdvertisingReport])

    static let success: UInt8 = 0

    /// Nil for a failed attempt, an event that is not listed above, and one that is truncated or too short for its kind.
    init?(_ payload: ArraySlice<UInt8>) {
        var reader = ByteReader(payload)
        guard let code = reader.byte(), let length = reader.byte(), let parameters = reader.bytes(Int(length)),
            let event = Self.event(code, parameters)
        else { return nil }
        self = event
    }

    private static func event(_ code: UInt8, _ parameters: ArraySlice<UInt8>) -> HCIEvent? {
        switch HCIEventCode(rawValue: code) {
        case .connectionComplete: connectionComplete(parameters)
        case .disconnectionComplete: disconnectionComplete(parameters)
        case .lowEnergy: lowEnergyEvent(parameters)
        case nil: nil
        }
    }

    private static func lowEnergyEvent(_ parameters: ArraySlice<UInt8>) -> HCIEvent? {
        guard let code = parameters.first else { return nil }
        let rest = parameters.dropFirst()
        switch LowEnergyEventCode(rawValue: code) {
        case .connectionComplete: return lowEnergyConnectionComplete(rest, length: 18)
        case .enhancedConnectionComplete: return lowEnergyConnectionComplete(rest, length: 30)
        case .enhancedConnectionComplete2: return lowEnergyConnectionComplete(rest, length: 33)
        case .advertisingReport: return .advertised(AdvertisingReport.reports(rest, AdvertisingReport.legacyReport))
        case .extendedAdvertisingReport:
            return .advertised(AdvertisingReport.reports(rest, AdvertisingReport.extendedReport))
        case nil: return nil
        }
    }

    /// An audio link has a separate handle, and its device is connected already: only the data link counts.
    private static func connectionComplete(_ parameters: ArraySlice<UInt8>) -> HCIEvent? {
        let dataLink: UInt8 = 1
        var reader = ByteReader(parameters)
        guard let status = reader.byte(), let handle = reader.number(UInt16.self), let address = reader.address(),
            let link = reader.byte(), reader.byte() != nil
        else { return nil }
        return status == success && link == dataLink ? .connected(address, ConnectionHandle(rawValue: handle)) : nil
    }

    /// All three versions begin with status, handle, role, kind of address and address, and differ after that.
    private static func lowEnergyConnectionComplete(_ parameters: ArraySlice<UInt8>, length: Int) -> HCIEvent? {
        guard parameters.count >= length else { return nil }
        var reader = ByteReader(parameters)
        guard let status = reader.byte(), let handle = reader.number(UInt16.self), reader.bytes(2) != nil,
            let address = reader.address()
        else { return nil }
        return status == success ? .connected(address, ConnectionHandle(rawValue: handle)) : nil
    }

    private static func disconnectionComplete(_ parameters: ArraySlice<UInt8>) -> HCIEvent? {
        var reader = ByteReader(parameters)
        guard let status = reader.byte(), let handle = reader.number(UInt16.self),
            reader.byte() != nil  // the reason
        else { return nil }
        return status == success ? .disconnected(ConnectionHandle(rawValue: handle)) : nil
    }
}

// MARK: - The packets between the host and its Bluetooth adapter. The kinds have their numbers in H4, the serial transport.

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
        /// From the adapter to the host.
        case event = 4
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

    /// Whether it is a command that resets the adapter. The effects of other commands show in the events that follow.
    var isReset: Bool {
        var reader = ByteReader(payload)
        let opcode = reader.number(UInt16.self)
        return kind == .command && opcode == 0x0C03 && reader.byte().flatMap { reader.bytes(Int($0)) } != nil
    }
}

// MARK: - A connection's data between host and adapter: L2CAP frames, split into fragments that the adapter can take.

/// One fragment of a frame.
struct ACLFragment: Equatable {
    let handle: ConnectionHandle
    /// Follows another fragment of the same frame.
    let isContinuation: Bool
    /// Sent to all devices, so it belongs to no connection.
    let isBroadcast: Bool
    /// The recorder kept only a part of it.
    let isTruncated: Bool
    let bytes: ArraySlice<UInt8>

    /// Nil if its header is incomplete.
    init?(_ payload: ArraySlice<UInt8>) {
        let continuation: UInt16 = 1
        var reader = ByteReader(payload)
        guard let handleAndFlags = reader.number(UInt16.self), let length = reader.number(UInt16.self) else { return nil }
        handle = ConnectionHandle(rawValue: handleAndFlags)
        isContinuation = handleAndFlags >> 12 & 3 == continuation
        isBroadcast = handleAndFlags >> 14 != 0
        bytes = reader.rest.prefix(Int(length))
        isTruncated = bytes.count < length
    }
}

// Decodes packets into actions of devices. Simulated devices and a replayed capture have a stream each, since each numbers its own
// connections.

import Bluetooth
import GameFlow

final class PacketStream {
    private var decoder = ObservationDecoder()
    private var book = ConnectionBook()

    func isConnected(_ address: BluetoothAddress) -> Bool { book.isConnected(address) }

    func forget(_ address: BluetoothAddress) { book.forget(address) }

    /// The actions in a packet. Connections of unknown devices are not tracked.
    func acts(in packet: HCIPacket, isKnown: (BluetoothAddress) -> Bool) -> [Observation] {
        decoder.decode(packet).flatMap { acts($0, isKnown) }
    }

    func acts(in record: CaptureRecord, isKnown: (BluetoothAddress) -> Bool) -> [Observation] {
        decoder.decode(record).flatMap { acts($0, isKnown) }
    }

    private func acts(_ seen: Observation, _ isKnown: (BluetoothAddress) -> Bool) -> [Observation] {
        // Packets that the recording host sent are no actions of devices.
        guard seen.direction == .received else { return [] }
        switch (seen.action, seen.connection) {
        case (.connected, let connection?):
            let known = seen.address.flatMap { isKnown($0) ? $0 : nil }
            return book.connect(known, connection) + (known == nil ? [seen] : [])
        case (.disconnected, let connection?): return [book.disconnect(connection)].compactMap(\.self)
        default: return [seen]
        }
    }
}

// MARK: - Tracks the connections of one packet stream, for devices of the device file

struct ConnectionBook {
    /// A bound: a capture may open any number of connections and close none.
    private static let maxConnections = 4_096

    private var addresses: [ConnectionID: BluetoothAddress] = [:]

    func isConnected(_ address: BluetoothAddress) -> Bool { addresses.values.contains(address) }

    /// A connection opened; `address` is nil for a device that is not in the file. A connection that had the handle before has ended,
    /// even without a disconnection packet. A device with two connections counts as connected once.
    mutating func connect(_ address: BluetoothAddress?, _ key: ConnectionID) -> [Observation] {
        var changes: [Observation] = []
        if addresses[key] != address, let gone = disconnect(key) { changes.append(gone) }
        guard let address, addresses[key] == nil, addresses.count < Self.maxConnections else { return changes }
        if !isConnected(address) { changes.append(Observation(address: address, connection: key, .connected)) }
        addresses[key] = address
        return changes
    }

    /// A connection closed; nil if the device has another one, or is not tracked.
    mutating func disconnect(_ key: ConnectionID) -> Observation? {
        guard let address = addresses.removeValue(forKey: key), !isConnected(address) else { return nil }
        return Observation(address: address, connection: key, .disconnected)
    }

    /// The device is no longer in the file.
    mutating func forget(_ address: BluetoothAddress) {
        addresses = addresses.filter { $0.value != address }
    }
}

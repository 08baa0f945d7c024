// Tracks the connections of one packet stream, for devices of the device file.

import Bluetooth
import GameFlow

struct ConnectionBook {
    /// A bound: a capture may open any number of connections and close none.
    private static let maxConnections = 4_096

    /// A connection: the adapter and its handle.
    struct Key: Hashable {
        let adapter: UInt16
        let handle: ConnectionHandle
    }

    enum Change: Equatable {
        case came(BluetoothAddress)
        case went(BluetoothAddress)
    }

    private var addresses: [Key: BluetoothAddress] = [:]

    func isConnected(_ address: BluetoothAddress) -> Bool { addresses.values.contains(address) }

    /// A connection opened; `address` is nil for a device that is not in the file. A connection that had the handle before has ended,
    /// even without a disconnection packet. A device with two connections counts as connected once.
    mutating func connect(_ address: BluetoothAddress?, _ key: Key) -> [Change] {
        var changes: [Change] = []
        if addresses[key] != address, let gone = disconnect(key) { changes.append(gone) }
        guard let address, addresses[key] == nil, addresses.count < Self.maxConnections else { return changes }
        if !isConnected(address) { changes.append(.came(address)) }
        addresses[key] = address
        return changes
    }

    /// A connection closed; nil if the device has another one, or is not tracked.
    mutating func disconnect(_ key: Key) -> Change? {
        guard let address = addresses.removeValue(forKey: key), !isConnected(address) else { return nil }
        return .went(address)
    }

    /// The device is no longer in the file.
    mutating func forget(_ address: BluetoothAddress) {
        addresses = addresses.filter { $0.value != address }
    }
}

// Who is connected in one stream of packets, as its connections come and go. Only devices of the device file are written down.

import Bluetooth
import GameFlow

struct ConnectionBook {
    /// A capture may hold any number of connections that never end.
    private static let mostConnections = 4_096

    /// One connection: an adapter, and the number by which it calls the connection.
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

    /// A connection has begun; of a device that is not in the file, the address is nil. Whoever had the number before is gone,
    /// even if nobody said so. A device that is connected twice, as some are, comes once.
    mutating func connect(_ address: BluetoothAddress?, _ key: Key) -> [Change] {
        var changes: [Change] = []
        if addresses[key] != address, let gone = disconnect(key) { changes.append(gone) }
        guard let address, addresses[key] == nil, addresses.count < Self.mostConnections else { return changes }
        if !isConnected(address) { changes.append(.came(address)) }
        addresses[key] = address
        return changes
    }

    /// A connection has ended; nil if the device has another one, or is not in the book.
    mutating func disconnect(_ key: Key) -> Change? {
        guard let address = addresses.removeValue(forKey: key), !isConnected(address) else { return nil }
        return .went(address)
    }

    /// The device is in the file no more.
    mutating func forget(_ address: BluetoothAddress) {
        addresses = addresses.filter { $0.value != address }
    }
}

// Decodes packets into actions of devices. Simulated devices and a replayed capture have a stream each, since each numbers its own
// connections.

import Bluetooth
import GameFlow

final class PacketStream {
    /// Repeats are filtered per device, not by the decoder.
    private var decoder = ObservationDecoder(repeatWindow: .zero)
    private var book = ConnectionBook()

    /// What a device did.
    enum Action: Equatable {
        case connected, disconnected
        case told(AttributeHandle, [UInt8], isIndication: Bool)
        case advertised([ADStructure], isScanResponse: Bool)

        /// Whether it carries data.
        var saysSomething: Bool { self != .connected && self != .disconnected }
    }

    /// The address is nil if the connection began before the stream.
    typealias Act = (address: BluetoothAddress?, deed: Action)

    func isConnected(_ address: BluetoothAddress) -> Bool { book.isConnected(address) }

    func forget(_ address: BluetoothAddress) { book.forget(address) }

    /// The actions in a packet. Connections of unknown devices are not tracked.
    func acts(in packet: HCIPacket, at time: CaptureTime, isKnown: (BluetoothAddress) -> Bool) -> [Act] {
        decoder.decode(packet, at: time).flatMap { acts($0, isKnown) }
    }

    func acts(in record: CaptureRecord, isKnown: (BluetoothAddress) -> Bool) -> [Act] {
        decoder.decode(record).flatMap { acts($0, isKnown) }
    }

    private func acts(_ seen: TimedObservation, _ isKnown: (BluetoothAddress) -> Bool) -> [Act] {
        // Packets that the recording host sent are no actions of devices.
        guard seen.direction == .received else { return [] }
        switch seen.observation {
        case .connected(let address, let handle):
            let key = ConnectionBook.Key(adapter: seen.adapter, handle: handle)
            guard isKnown(address) else { return book.connect(nil, key).map(Self.act) + [(address, .connected)] }
            return book.connect(address, key).map(Self.act)
        case .disconnected(_, let handle, _):
            return book.disconnect(.init(adapter: seen.adapter, handle: handle)).map { [Self.act($0)] } ?? []
        case .notification(let address, _, let attribute, let value):
            return [(address, .told(attribute, value, isIndication: false))]
        case .indication(let address, _, let attribute, let value):
            return [(address, .told(attribute, value, isIndication: true))]
        case .advertisement(let address, let kind, let structures, _):
            return [(address, .advertised(structures, isScanResponse: kind == .scanResponse))]
        }
    }

    private static func act(_ change: ConnectionBook.Change) -> Act {
        switch change {
        case .came(let address): (address, .connected)
        case .went(let address): (address, .disconnected)
        }
    }
}

// Turns records into observations. Memory is bounded for any capture, and decoding never fails: an unreadable packet yields nothing.

/// Follows a stream of records: open connections, and incomplete frames and advertisements.
package struct ObservationDecoder: Sendable {
    /// The most connections at once; beyond that, an old one loses its address.
    static let maxConnections = 1_024

    private var addresses = BoundedTable<ConnectionID, BluetoothAddress>(capacity: maxConnections)
    private var frames = FrameAssembler()
    private var advertisements = AdvertisingAssembler()

    package init() {}

    /// The observations in a record: usually none or one.
    package mutating func decode(_ record: CaptureRecord) -> [TimedObservation] {
        switch record.content {
        case .packet(let packet): decode(packet, at: record.time, adapter: record.adapter)
        case .adapterChanged:
            dropConnections(of: record.adapter).map { TimedObservation(time: record.time, adapter: record.adapter, $0) }
        case .other: []
        }
    }

    /// The observations in a packet that was not recorded.
    package mutating func decode(
        _ packet: HCIPacket, at time: CaptureTime, adapter: UInt16 = 0
    ) -> [TimedObservation] {
        let observations =
            switch packet.kind {
            // A reset ends all connections, and the adapter does not report that.
            case .command: HCICommand(packet.payload)?.opcode == HCICommand.reset ? dropConnections(of: adapter) : []
            case .event: observe(HCIEvent(packet.payload), adapter)
            case .acl: observe(ACLFragment(packet.payload), adapter, packet.direction)
            case .sco, .iso: [Observation]()
            }
        return observations.map {
            TimedObservation(time: time, adapter: adapter, direction: packet.kind == .acl ? packet.direction : .received, $0)
        }
    }

    /// The memory that the decoder takes, in bytes: below 3 MB for any input.
    package var footprint: Int {
        addresses.count * MemoryLayout<(ConnectionID, BluetoothAddress)>.stride + frames.footprint + advertisements.footprint
    }

    private mutating func dropConnections(of adapter: UInt16) -> [Observation] {
        frames.forgetAll(of: adapter)
        let connections = addresses.contents.map(\.key).filter { $0.adapter == adapter }.sorted { $0.handle < $1.handle }
        return connections.map { connection in
            .disconnected(address: addresses.remove(connection), handle: connection.handle)
        }
    }

    // MARK: Events

    private mutating func observe(_ event: HCIEvent?, _ adapter: UInt16) -> [Observation] {
        switch event {
        case .connected(let address, let handle):
            let connection = ConnectionID(adapter: adapter, handle: handle)
            frames.forget(connection)
            addresses[connection] = address
            return [.connected(address: address, handle: handle)]
        case .disconnected(let handle):
            let connection = ConnectionID(adapter: adapter, handle: handle)
            frames.forget(connection)
            return [.disconnected(address: addresses.remove(connection), handle: handle)]
        case .advertised(let reports):
            return reports.compactMap { observe($0, adapter) }
        case .other, nil:
            return []
        }
    }

    private mutating func observe(_ report: AdvertisingReport, _ adapter: UInt16) -> Observation? {
        guard let whole = advertisements.receive(report, of: adapter) else { return nil }
        return .advertisement(
            address: whole.address, kind: whole.kind, data: ADStructure.list(whole.data), rssi: whole.rssi)
    }

    // MARK: Data

    private mutating func observe(
        _ fragment: ACLFragment?, _ adapter: UInt16, _ direction: PacketDirection
    ) -> [Observation] {
        guard let fragment, let frame = frames.receive(fragment, of: adapter, direction),
            frame.channel == L2CAPFrame.attributeChannel
        else { return [] }
        return observe(AttributeMessage(frame.payload), ConnectionID(adapter: adapter, handle: fragment.handle))
    }

    private func observe(_ message: AttributeMessage?, _ connection: ConnectionID) -> [Observation] {
        switch message {
        case .notification(let value): [notification(value, connection)]
        case .notifications(let values): values.map { notification($0, connection) }
        case .indication(let value):
            [
                .indication(
                    address: addresses[connection], handle: connection.handle, attribute: value.attribute,
                    value: Array(value.value))
            ]
        case .mtuRequest, .mtuResponse, .confirmation, .other, nil: []
        }
    }

    private func notification(_ value: AttributeValue, _ connection: ConnectionID) -> Observation {
        .notification(
            address: addresses[connection], handle: connection.handle, attribute: value.attribute, value: Array(value.value))
    }
}

/// Something that a Bluetooth device did, as seen in the packets between host and adapter. The address is nil for a connection that
/// began before the capture.
package enum Observation: Equatable, Sendable {
    case connected(address: BluetoothAddress, handle: ConnectionHandle)
    case disconnected(address: BluetoothAddress?, handle: ConnectionHandle)
    /// An attribute has a new value.
    case notification(address: BluetoothAddress?, handle: ConnectionHandle, attribute: AttributeHandle, value: [UInt8])
    /// The same, where the device asks for a confirmation.
    case indication(address: BluetoothAddress?, handle: ConnectionHandle, attribute: AttributeHandle, value: [UInt8])
    /// A device advertises. The signal strength is in dBm, if known.
    case advertisement(address: BluetoothAddress, kind: AdvertisingKind, data: [ADStructure], rssi: Int8?)
}

/// An observation with its time and adapter.
package struct TimedObservation: Equatable, Sendable {
    package let time: CaptureTime
    package let adapter: UInt16
    /// Sent for packets from this host, such as its own notifications; received for packets from devices.
    package let direction: PacketDirection
    package let observation: Observation

    package init(
        time: CaptureTime, adapter: UInt16 = 0, direction: PacketDirection = .received, _ observation: Observation
    ) {
        self.time = time
        self.adapter = adapter
        self.direction = direction
        self.observation = observation
    }
}

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
    package mutating func decode(_ record: CaptureRecord) -> [Observation] {
        switch record.content {
        case .packet(let packet): decode(packet, adapter: record.adapter)
        case .adapterChanged: dropConnections(of: record.adapter)
        case .other: []
        }
    }

    /// The observations in a packet that was not recorded.
    package mutating func decode(_ packet: HCIPacket, adapter: UInt16 = 0) -> [Observation] {
        switch packet.kind {
        // A reset ends all connections, and the adapter does not report that.
        case .command: packet.isReset ? dropConnections(of: adapter) : []
        case .event: observe(HCIEvent(packet.payload), adapter)
        case .acl: observe(ACLFragment(packet.payload), adapter, packet.direction)
        }
    }

    /// The memory that the decoder takes, in bytes: below 3 MB for any input.
    package var footprint: Int {
        addresses.contents.count * MemoryLayout<(ConnectionID, BluetoothAddress)>.stride + frames.footprint
            + advertisements.footprint
    }

    private mutating func dropConnections(of adapter: UInt16) -> [Observation] {
        frames.forgetAll(of: adapter)
        let connections = addresses.contents.map(\.key).filter { $0.adapter == adapter }.sorted {
            $0.handle.rawValue < $1.handle.rawValue
        }
        return connections.map { Observation(address: addresses.remove($0), connection: $0, .disconnected) }
    }

    // MARK: Events

    private mutating func observe(_ event: HCIEvent?, _ adapter: UInt16) -> [Observation] {
        switch event {
        case .connected(let address, let handle):
            let connection = ConnectionID(adapter: adapter, handle: handle)
            frames.forget(connection)
            addresses.insert(connection, address)
            return [Observation(address: address, connection: connection, .connected)]
        case .disconnected(let handle):
            let connection = ConnectionID(adapter: adapter, handle: handle)
            frames.forget(connection)
            return [Observation(address: addresses.remove(connection), connection: connection, .disconnected)]
        case .advertised(let reports):
            return reports.compactMap { observe($0, adapter) }
        case nil: return []
        }
    }

    private mutating func observe(_ report: AdvertisingReport, _ adapter: UInt16) -> Observation? {
        guard let whole = advertisements.receive(report, of: adapter) else { return nil }
        let structures = ADStructure.list(whole.data)
        return Observation(address: whole.address, .advertised(structures, isScanResponse: whole.isScanResponse))
    }

    // MARK: Data

    private mutating func observe(
        _ fragment: ACLFragment?, _ adapter: UInt16, _ direction: PacketDirection
    ) -> [Observation] {
        guard let fragment, let frame = frames.receive(fragment, of: adapter, direction),
            frame.channel == L2CAPFrame.attributeChannel, let report = AttributeReport(frame.payload)
        else { return [] }
        let connection = ConnectionID(adapter: adapter, handle: fragment.handle)
        let address = addresses[connection]
        return report.values.map {
            Observation(
                address: address, connection: connection, direction: direction,
                .notified($0.attribute, Array($0.value), isIndication: report.isIndication))
        }
    }
}

/// Something that a Bluetooth device did, as seen in the packets between host and adapter.
package struct Observation: Equatable, Sendable {
    package enum Action: Equatable, Sendable {
        case connected, disconnected
        /// An attribute has a new value; the host confirms an indication.
        case notified(AttributeHandle, [UInt8], isIndication: Bool)
        case advertised([ADStructure], isScanResponse: Bool)
    }

    /// Nil for a connection that began before the capture.
    package let address: BluetoothAddress?
    /// Nil for an advertisement.
    package let connection: ConnectionID?
    /// Sent for values from this host; received for everything that devices do.
    package let direction: PacketDirection
    package let action: Action

    package init(
        address: BluetoothAddress?, connection: ConnectionID? = nil, direction: PacketDirection = .received, _ action: Action
    ) {
        (self.address, self.connection, self.direction, self.action) = (address, connection, direction, action)
    }
}

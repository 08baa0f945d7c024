// Turns records into observations. Memory is bounded for any capture, and decoding never fails: an unreadable packet yields nothing.

/// Follows a stream of records: open connections, and incomplete frames and advertisements.
package struct ObservationDecoder: Sendable {
    /// The most connections at once; beyond that, the oldest one counts as ended.
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
        // Packets that the recording host sent are no actions of devices.
        case .acl: packet.direction == .received ? observe(ACLFragment(packet.payload), adapter) : []
        }
    }

    package func isConnected(_ address: BluetoothAddress) -> Bool { addresses.contents.contains { $0.value == address } }

    /// The memory that the decoder takes, in bytes: below 3 MB for any input.
    package var footprint: Int {
        addresses.contents.count * MemoryLayout<(ConnectionID, BluetoothAddress)>.stride + frames.footprint
            + advertisements.footprint
    }

    // MARK: Connections

    private mutating func dropConnections(of adapter: UInt16) -> [Observation] {
        frames.forgetAll(of: adapter)
        let connections = addresses.contents.map(\.key).filter { $0.adapter == adapter }.sorted {
            $0.handle.rawValue < $1.handle.rawValue
        }
        return connections.flatMap { observeEnd(of: $0) }
    }

    /// A connection that had the handle before has ended, even without a packet that reports it. A device with two connections
    /// counts as connected once.
    private mutating func observeStart(of connection: ConnectionID, with address: BluetoothAddress) -> [Observation] {
        frames.forget(connection)
        let isFirst = !isConnected(address)
        let former = addresses.insert(connection, address)
        return disconnection(of: former) + (isFirst ? [Observation(address: address, .connected)] : [])
    }

    private mutating func observeEnd(of connection: ConnectionID) -> [Observation] {
        frames.forget(connection)
        let former = addresses.remove(connection)
        return disconnection(of: former)
    }

    /// Empty if the device has another connection; nil is the device of a connection that began before the capture.
    private func disconnection(of address: BluetoothAddress?) -> [Observation] {
        guard let address, !isConnected(address) else { return [] }
        return [Observation(address: address, .disconnected)]
    }

    // MARK: Events

    private mutating func observe(_ event: HCIEvent?, _ adapter: UInt16) -> [Observation] {
        switch event {
        case .connected(let address, let handle):
            return observeStart(of: ConnectionID(adapter: adapter, handle: handle), with: address)
        case .disconnected(let handle): return observeEnd(of: ConnectionID(adapter: adapter, handle: handle))
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

    private mutating func observe(_ fragment: ACLFragment?, _ adapter: UInt16) -> [Observation] {
        guard let fragment, !fragment.isBroadcast else { return [] }
        let connection = ConnectionID(adapter: adapter, handle: fragment.handle)
        guard let frame = frames.receive(fragment, of: connection), frame.channel == L2CAPFrame.attributeChannel,
            let report = AttributeReport(frame.payload)
        else { return [] }
        let address = addresses[connection]
        return report.values.map {
            Observation(address: address, .notified($0.attribute, Array($0.value), isIndication: report.isIndication))
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

    /// Nil for a value on a connection that had ended, or that began before the capture.
    package let address: BluetoothAddress?
    package let action: Action

    package init(address: BluetoothAddress?, _ action: Action) {
        (self.address, self.action) = (address, action)
    }
}

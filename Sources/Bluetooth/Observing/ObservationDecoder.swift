// From records to observations. Whatever a capture holds, the decoder keeps a bounded amount of it and never fails: a packet that
// cannot be read says nothing.

/// Follows a stream of records: who is connected, which frames are under way, and which advertisements have been heard.
public struct ObservationDecoder: Sendable {
    /// How many connections can be open at once; of more, one that began early loses its address.
    static let mostConnections = 1_024

    private var addresses = BoundedTable<Link, BluetoothAddress>(capacity: mostConnections)
    private var frames = FrameAssembler()
    private var advertisements = AdvertisingAssembler()
    private var repeats: RepeatFilter

    /// An advertisement that says the same as one of the same device less than `repeatWindow` ago is left out.
    public init(repeatWindow: Duration = .seconds(1)) {
        repeats = RepeatFilter(window: repeatWindow)
    }

    /// What the record shows; mostly nothing, or one thing.
    public mutating func decode(_ record: CaptureRecord) -> [TimedObservation] {
        switch record.content {
        case .packet(let packet): decode(packet, at: record.time, adapter: record.adapter)
        case .adapterChanged:
            dropConnections(of: record.adapter).map { TimedObservation(time: record.time, adapter: record.adapter, $0) }
        case .other: []
        }
    }

    /// The same for a packet that has not been recorded.
    public mutating func decode(
        _ packet: HCIPacket, at time: CaptureTime, adapter: UInt16 = 0
    ) -> [TimedObservation] {
        let observations =
            switch packet.kind {
            case .command: observe(HCICommand(packet.payload), adapter)
            case .event: observe(HCIEvent(packet.payload), adapter, time)
            case .acl: observe(ACLFragment(packet.payload), adapter, packet.direction)
            case .sco, .iso: [Observation]()
            }
        return observations.map {
            TimedObservation(time: time, adapter: adapter, direction: packet.kind == .acl ? packet.direction : .received, $0)
        }
    }

    /// How much the decoder remembers, in bytes. It stays below 3 MB, whatever comes.
    public var footprint: Int {
        addresses.count * MemoryLayout<(Link, BluetoothAddress)>.stride + frames.footprint + advertisements.footprint
            + repeats.footprint
    }

    // MARK: Commands

    /// A reset ends all connections, and the adapter does not say so.
    private mutating func observe(_ command: HCICommand?, _ adapter: UInt16) -> [Observation] {
        command?.opcode == HCICommand.reset ? dropConnections(of: adapter) : []
    }

    private mutating func dropConnections(of adapter: UInt16) -> [Observation] {
        frames.forgetAll(of: adapter)
        let links = addresses.contents.map(\.key).filter { $0.adapter == adapter }.sorted { $0.handle < $1.handle }
        return links.map { link in
            .disconnected(address: addresses.remove(link), handle: link.handle, reason: .weEndedIt)
        }
    }

    // MARK: Events

    private mutating func observe(_ event: HCIEvent?, _ adapter: UInt16, _ time: CaptureTime) -> [Observation] {
        switch event {
        case .connected(let address, let handle):
            let link = Link(adapter: adapter, handle: handle)
            frames.forget(link)
            addresses[link] = address
            return [.connected(address: address, handle: handle)]
        case .disconnected(let handle, let reason):
            let link = Link(adapter: adapter, handle: handle)
            frames.forget(link)
            return [.disconnected(address: addresses.remove(link), handle: handle, reason: reason)]
        case .advertised(let reports):
            return reports.compactMap { observe($0, adapter, time) }
        case .other, nil:
            return []
        }
    }

    private mutating func observe(
        _ report: AdvertisingReport, _ adapter: UInt16, _ time: CaptureTime
    ) -> Observation? {
        guard let whole = advertisements.take(report, of: adapter), !repeats.isRepeat(whole, at: time) else { return nil }
        return .advertisement(
            address: whole.address, kind: whole.kind, data: ADStructure.list(whole.data), rssi: whole.rssi)
    }

    // MARK: Data

    private mutating func observe(
        _ fragment: ACLFragment?, _ adapter: UInt16, _ direction: PacketDirection
    ) -> [Observation] {
        guard let fragment, let frame = frames.take(fragment, of: adapter, direction),
            frame.channel == L2CAPFrame.attributeChannel
        else { return [] }
        return observe(AttributeMessage(frame.payload), Link(adapter: adapter, handle: fragment.handle))
    }

    private func observe(_ message: AttributeMessage?, _ link: Link) -> [Observation] {
        switch message {
        case .notification(let value): [notification(value, link)]
        case .notifications(let values): values.map { notification($0, link) }
        case .indication(let value):
            [
                .indication(
                    address: addresses[link], handle: link.handle, attribute: value.attribute, value: Array(value.value))
            ]
        case .sizeRequest, .sizeResponse, .confirmation, .other, nil: []
        }
    }

    private func notification(_ value: AttributeValue, _ link: Link) -> Observation {
        .notification(
            address: addresses[link], handle: link.handle, attribute: value.attribute, value: Array(value.value))
    }
}

// The opposite direction: the packets that an adapter would have passed if a simulated device were real, to be recorded.

/// A connection with a simulated device, in which we are the central.
public struct SimulatedLink: Equatable, Sendable {
    public let address: BluetoothAddress
    public let handle: ConnectionHandle
    /// The most bytes that one packet carries: longer messages are cut into several.
    public let fragmentSize: Int

    /// 251 bytes are what adapters have taken since Bluetooth 4.2, and 27 before.
    public init(
        address: BluetoothAddress, handle: ConnectionHandle, fragmentSize: Int = 251
    ) throws(BluetoothError) {
        guard handle.rawValue <= ConnectionHandle.highest else { throw .connectionHandleTooHigh(handle) }
        guard ACLFragment.possibleSizes.contains(fragmentSize) else { throw .fragmentSizeOutOfRange(fragmentSize) }
        self.address = address
        self.handle = handle
        self.fragmentSize = fragmentSize
    }

    /// The device has connected.
    public var connection: HCIPacket { .lowEnergyConnectionComplete(address, handle) }

    /// Both sides agree on messages that are long enough for any value. Who records values of more than 20 bytes records this
    /// before, or those who read the capture wonder.
    public var sizeAgreement: [HCIPacket] {
        packets(.sizeRequest(AttributeValue.sufficientMessageSize), .sent)
            + packets(.sizeResponse(AttributeValue.sufficientMessageSize), .received)
    }

    public func disconnection(_ reason: DisconnectReason = .deviceEndedIt) -> HCIPacket {
        .disconnectionComplete(handle, reason)
    }

    /// The device says that an attribute has a new value.
    public func notification(_ attribute: AttributeHandle, _ value: [UInt8]) throws(BluetoothError) -> [HCIPacket] {
        packets(.notification(try checked(attribute, value)), .received)
    }

    /// The device says that an attribute has a new value, and we confirm it.
    public func indication(_ attribute: AttributeHandle, _ value: [UInt8]) throws(BluetoothError) -> [HCIPacket] {
        packets(.indication(try checked(attribute, value)), .received) + packets(.confirmation, .sent)
    }

    private func checked(_ attribute: AttributeHandle, _ value: [UInt8]) throws(BluetoothError) -> AttributeValue {
        guard value.count <= AttributeValue.longest else { throw .valueTooLong(byteCount: value.count) }
        return AttributeValue(attribute: attribute, value: value[...])
    }

    private func packets(_ message: AttributeMessage, _ direction: PacketDirection) -> [HCIPacket] {
        let frame = L2CAPFrame(channel: L2CAPFrame.attributeChannel, payload: message.serialized[...])
        return HCIPacket.fragments(of: frame, on: handle, direction, size: fragmentSize)
    }
}

extension HCIPacket {
    /// How many bytes there are for all structures of an advertisement.
    public static var longestAdvertisement: Int { AdvertisingReport.longestLegacyData }

    /// A simulated device says something to everybody; it need not be connected.
    public static func advertisement(
        from address: BluetoothAddress, _ kind: AdvertisingKind, _ structures: [ADStructure], rssi: Int8?
    ) throws(BluetoothError) -> HCIPacket {
        let byteCount = structures.reduce(0) { $0 + $1.byteCount }
        guard byteCount <= AdvertisingReport.longestLegacyData else { throw .advertisementTooLong(byteCount: byteCount) }
        let data = structures.flatMap(\.serialized)
        return advertisingReport(AdvertisingReport(address: address, kind: kind, data: data[...], rssi: rssi))
    }
}

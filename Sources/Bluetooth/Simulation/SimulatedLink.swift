// The packets that an adapter would have passed if a simulated device were real.

/// A connection to a simulated device, in which the host is the central.
package struct SimulatedLink: Equatable, Sendable {
    package let address: BluetoothAddress
    package let handle: ConnectionHandle
    /// The most bytes that one packet carries: longer messages are split.
    package let fragmentSize: Int

    /// Adapters have taken 251 bytes since Bluetooth 4.2, and 27 before.
    package init(address: BluetoothAddress, handle: ConnectionHandle, fragmentSize: Int = 251) {
        self.address = address
        self.handle = handle
        self.fragmentSize = fragmentSize
    }

    /// The device has connected.
    package var connection: HCIPacket { .lowEnergyConnectionComplete(address, handle) }

    /// Both sides agree on an MTU that has room for any value. A capture with values of more than 20 bytes is only plausible
    /// after this.
    package var mtuExchange: [HCIPacket] {
        packets(.mtuRequest, AttributeValue.sufficientMTU.bytes, .sent)
            + packets(.mtuResponse, AttributeValue.sufficientMTU.bytes, .received)
    }

    /// The device has ended the connection.
    package var disconnection: HCIPacket { .disconnectionComplete(handle) }

    /// The device notifies a new value of an attribute.
    package func notification(_ attribute: AttributeHandle, _ value: [UInt8]) throws(BluetoothError) -> [HCIPacket] {
        packets(.notification, try content(attribute, value), .received)
    }

    /// The device indicates a new value of an attribute, and the host confirms it.
    package func indication(_ attribute: AttributeHandle, _ value: [UInt8]) throws(BluetoothError) -> [HCIPacket] {
        packets(.indication, try content(attribute, value), .received) + packets(.confirmation, [], .sent)
    }

    private func content(_ attribute: AttributeHandle, _ value: [UInt8]) throws(BluetoothError) -> [UInt8] {
        guard value.count <= AttributeValue.maxLength else {
            throw .valueTooLong(byteCount: value.count, limit: AttributeValue.maxLength)
        }
        return attribute.rawValue.bytes + value
    }

    /// The message's frame, in packets that carry at most `fragmentSize` bytes of it each.
    private func packets(_ opcode: AttributeOpcode, _ content: [UInt8], _ direction: PacketDirection) -> [HCIPacket] {
        let message = [opcode.rawValue] + content
        let frame = L2CAPFrame(channel: L2CAPFrame.attributeChannel, payload: message[...]).serialized
        return stride(from: 0, to: frame.count, by: fragmentSize).map { start in
            // The host marks the first fragment of a frame as 00, the adapter as 10.
            let flags: UInt16 = start > 0 ? 0x1000 : direction == .sent ? 0x0000 : 0x2000
            let piece = frame[start...].prefix(fragmentSize)
            return HCIPacket(.acl, direction, (handle.rawValue | flags).bytes + UInt16(clamping: piece.count).bytes + piece)
        }
    }
}

extension HCIPacket {
    /// The most bytes that all structures of a legacy advertisement take together.
    package static let maxAdvertisementLength = 31

    /// A simulated device advertises, connected or not.
    package static func advertisement(
        from address: BluetoothAddress, _ kind: AdvertisingKind, _ structures: [ADStructure]
    ) throws(BluetoothError) -> HCIPacket {
        let byteCount = structures.reduce(0) { $0 + $1.byteCount }
        guard byteCount <= maxAdvertisementLength else {
            throw .advertisementTooLong(byteCount: byteCount, limit: maxAdvertisementLength)
        }
        var parameters: [UInt8] = [0x01, kind.rawValue, 0x00]  // one report; its kind; a public address
        parameters += address.bytes
        parameters.append(UInt8(byteCount))
        parameters += structures.flatMap(\.serialized)
        parameters.append(0x7F)  // the signal strength is not known
        return lowEnergyEvent(.advertisingReport, parameters)
    }

    // MARK: The events that an adapter would have sent for a simulated device

    /// A Low Energy connection in which the host is the central.
    static func lowEnergyConnectionComplete(_ address: BluetoothAddress, _ handle: ConnectionHandle) -> HCIPacket {
        var parameters = [HCIEvent.success]
        parameters += handle.rawValue.bytes
        parameters += [0x00, 0x00]  // the host's role, central; a public address
        parameters += address.bytes
        parameters += UInt16(24).bytes  // the interval, 30 ms
        parameters += UInt16(0).bytes  // no latency
        parameters += UInt16(500).bytes  // the timeout, 5 s
        parameters.append(0x00)  // the clock's accuracy
        return lowEnergyEvent(.connectionComplete, parameters)
    }

    static func disconnectionComplete(_ handle: ConnectionHandle) -> HCIPacket {
        // The last byte means that the device ended it.
        event(.disconnectionComplete, [HCIEvent.success] + handle.rawValue.bytes + [0x13])
    }

    private static func lowEnergyEvent(_ kind: LowEnergyEventCode, _ parameters: [UInt8]) -> HCIPacket {
        event(.lowEnergy, [kind.rawValue] + parameters)
    }

    private static func event(_ code: HCIEventCode, _ parameters: [UInt8]) -> HCIPacket {
        HCIPacket(.event, .received, [code.rawValue, UInt8(parameters.count)] + parameters[...])
    }
}

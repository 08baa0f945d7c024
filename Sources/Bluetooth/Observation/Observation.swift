/// Something that a Bluetooth device did, as seen in the packets between host and adapter. The address is nil for a connection that
/// began before the capture.
package enum Observation: Equatable, Sendable {
    case connected(address: BluetoothAddress, handle: ConnectionHandle)
    case disconnected(address: BluetoothAddress?, handle: ConnectionHandle, reason: DisconnectReason)
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
    /// Sent for what this host told a device, such as its own notifications; received for what devices told it.
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

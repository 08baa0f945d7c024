/// What can be seen of Bluetooth devices in what host and adapter say to each other. Of a connection that began before anybody
/// looked, the address is not known.
public enum Observation: Equatable, Sendable {
    case connected(address: BluetoothAddress, handle: ConnectionHandle)
    case disconnected(address: BluetoothAddress?, handle: ConnectionHandle, reason: DisconnectReason)
    /// An attribute has a new value.
    case notification(address: BluetoothAddress?, handle: ConnectionHandle, attribute: AttributeHandle, value: [UInt8])
    /// The same, and whoever said so wants to know that it was heard.
    case indication(address: BluetoothAddress?, handle: ConnectionHandle, attribute: AttributeHandle, value: [UInt8])
    /// A device has said something to everybody. The strength of its signal is in dBm, if it is known.
    case advertisement(address: BluetoothAddress, kind: AdvertisingKind, data: [ADStructure], rssi: Int8?)
}

/// An observation, when it was made, and on which adapter.
public struct TimedObservation: Equatable, Sendable {
    public let time: CaptureTime
    public let adapter: UInt16
    /// Sent for what this host told a device, such as its own notifications; received for all that came from devices.
    public let direction: PacketDirection
    public let observation: Observation

    public init(
        time: CaptureTime, adapter: UInt16 = 0, direction: PacketDirection = .received, _ observation: Observation
    ) {
        self.time = time
        self.adapter = adapter
        self.direction = direction
        self.observation = observation
    }
}

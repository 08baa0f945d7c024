// The contents of a device file.

import Bluetooth

/// One device, and which of its actions become events.
package struct DeviceSpec: Equatable {
    let name: String
    let address: BluetoothAddress
    /// Shown to people: a button, a beacon, a sensor, or anything else.
    let kind: String
    /// Whether it is connected as soon as the file is loaded.
    let isConnectedFromStart: Bool
    /// How long an advertisement must be silent before it counts again.
    let silence: Duration
    let values: [NamedValue]
    let advertised: Advertised
    let bindings: [Binding]

    /// Whether it is the same device, even if the rest of its specification has changed.
    func isSame(as other: DeviceSpec) -> Bool { name == other.name && address == other.address }

    func value(named name: String) -> [UInt8]? { values.first { $0.name == name }?.bytes }
    func name(of value: [UInt8]) -> String? { values.first { $0.bytes == value }?.name }
}

/// A named value: `pressed` for `01`.
struct NamedValue: Equatable {
    let name: String
    let bytes: [UInt8]
}

/// What a simulated device advertises.
struct Advertised: Equatable {
    let part: AdvertisedPart
    let data: [UInt8]
}

/// The part of an advertisement that matters.
enum AdvertisedPart: Equatable {
    /// Being heard at all.
    case anything
    case service16(UUID16)
    case service128(UUID128)
    case company(UInt16)
}

/// Binds a trigger to an event of a session.
struct Binding: Equatable {
    enum Trigger: Equatable {
        case connected, disconnected
        /// An attribute's new value; an indication is confirmed by the host.
        case value(AttributeHandle, onlyIndications: Bool)
        case advertised(AdvertisedPart)
    }

    let trigger: Trigger
    let pattern: ValuePattern
    let session: String
    let event: String
    let payload: PayloadRule
}

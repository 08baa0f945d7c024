// What a device file says of its devices, once it has been read.

import Bluetooth

/// One device: who it is, and which of the things that it does become events.
package struct DeviceSpec: Equatable {
    let name: String
    let address: BluetoothAddress
    /// For people: a button, a beacon, a sensor, or whatever its maker calls it.
    let kind: String
    /// It is connected as soon as the file has been loaded.
    let isConnectedFromStart: Bool
    /// An advertisement that has been heard counts again once it has not been heard for so long.
    let silence: Duration
    let values: [NamedValue]
    let advertised: Advertised
    let bindings: [Binding]

    /// Whether this is the same device, whatever the file says of it now.
    func isSame(as other: DeviceSpec) -> Bool { name == other.name && address == other.address }

    func value(named name: String) -> [UInt8]? { values.first { $0.name == name }?.bytes }
    func name(of value: [UInt8]) -> String? { values.first { $0.bytes == value }?.name }
}

/// A value that the file gives a name: `pressed` for `01`.
struct NamedValue: Equatable {
    let name: String
    let bytes: [UInt8]
}

/// What a simulated device says to everybody.
struct Advertised: Equatable {
    let part: AdvertisedPart
    let data: [UInt8]
}

/// The part of an advertisement that matters.
enum AdvertisedPart: Equatable {
    /// That it is heard at all.
    case anything
    case service16(UUID16)
    case service128(UUID128)
    case company(UInt16)
}

/// What becomes which event of which session.
struct Binding: Equatable {
    enum Trigger: Equatable {
        case connected, disconnected
        /// An attribute has a new value; an indication is one that the host confirms.
        case value(AttributeHandle, onlyIndications: Bool)
        case advertised(AdvertisedPart)
    }

    let trigger: Trigger
    let pattern: ValuePattern
    let session: String
    let event: String
    let payload: PayloadRule
}

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

/// The advertisement of a simulated device.
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

// MARK: - The advertisements of simulated devices, as they go over the air

extension DeviceSpec {
    private static let flags = ADStructure.flags(0x06)  // general discoverable; Low Energy only

    /// Its advertisement with this data: flags, the advertised part, and as much of its name as fits.
    func advertisement(_ data: [UInt8]) throws(BluetoothError) -> HCIPacket {
        var structures = [Self.flags]
        if let said = Self.structure(advertised.part, data) { structures.append(said) }
        let room = HCIPacket.maxAdvertisementLength - structures.reduce(0) { $0 + $1.byteCount } - 2
        let shown = name.beginning(byteCount: room)
        if !shown.isEmpty { structures.append(.name(shown, isComplete: shown == name)) }
        let advertisingKind: AdvertisingKind = kind == "beacon" ? .nonConnectable : .connectable
        return try HCIPacket.advertisement(from: address, advertisingKind, structures, rssi: nil)
    }

    private static func structure(_ part: AdvertisedPart, _ data: [UInt8]) -> ADStructure? {
        switch part {
        case .anything: nil
        case .service16(let service):
            data.isEmpty ? .services16([service], isComplete: true) : .serviceData16(service, data)
        case .service128(let service):
            data.isEmpty ? .services128([service], isComplete: true) : .serviceData128(service, data)
        case .company(let company): .manufacturerData(company: company, data)
        }
    }
}

extension AdvertisedPart {
    /// The data of this part in an advertisement; empty if it is only listed, nil if it is absent.
    func value(in structures: [ADStructure]) -> [UInt8]? {
        let data = structures.lazy.compactMap { structure -> [UInt8]? in
            switch (self, structure) {
            case (.service16(let mine), .serviceData16(let service, let data)) where service == mine: data
            case (.service128(let mine), .serviceData128(let service, let data)) where service == mine: data
            case (.company(let mine), .manufacturerData(let company, let data)) where company == mine: data
            default: nil
            }
        }
        return data.first ?? (self == .anything || structures.contains(where: lists) ? [] : nil)
    }

    private func lists(_ structure: ADStructure) -> Bool {
        switch (self, structure) {
        case (.service16(let mine), .services16(let services, _)): services.contains(mine)
        case (.service128(let mine), .services128(let services, _)): services.contains(mine)
        default: false
        }
    }
}

extension String {
    /// The longest prefix that fits into `byteCount` bytes.
    fileprivate func beginning(byteCount: Int) -> String {
        var text = self
        while text.utf8.count > max(0, byteCount) { text.removeLast() }
        return text
    }
}

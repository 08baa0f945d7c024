// The advertisements of simulated devices, as they go over the air.

import Bluetooth

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
    /// The longest prefix that fits into so many bytes.
    fileprivate func beginning(byteCount: Int) -> String {
        var text = self
        while text.utf8.count > max(0, byteCount) { text.removeLast() }
        return text
    }
}

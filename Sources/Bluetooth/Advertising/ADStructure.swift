// The content of an advertisement: a list of AD structures, each with a length and a type.

package enum ADStructure: Equatable, Sendable {
    /// Bits for how the device can be discovered and connected to.
    case flags(UInt8)
    /// The services that the device offers, or some of them.
    case services([ServiceUUID], isComplete: Bool)
    /// The device's name, or its beginning.
    case name(String, isComplete: Bool)
    /// The device's transmit power, in dBm.
    case txPower(Int8)
    /// Data of a service, such as a battery's level.
    case serviceData(ServiceUUID, [UInt8])
    /// Data of a manufacturer, with the company's number.
    case manufacturerData(company: UInt16, [UInt8])
    /// A type that is not listed above, or content that does not fit its type.
    case other(type: UInt8, [UInt8])
}

private enum ADType: UInt8 {
    case flags = 0x01
    case someServices16 = 0x02
    case services16 = 0x03
    case someServices128 = 0x06
    case services128 = 0x07
    case shortenedName = 0x08
    case name = 0x09
    case txPower = 0x0A
    case serviceData16 = 0x16
    case serviceData128 = 0x21
    case manufacturerData = 0xFF
}

// MARK: Reading

extension ADStructure {
    /// The structures, up to a length of zero or one that reaches beyond the end.
    static func list(_ bytes: ArraySlice<UInt8>) -> [ADStructure] {
        var reader = ByteReader(bytes)
        var structures: [ADStructure] = []
        while let length = reader.byte(), let content = reader.bytes(Int(length)), let type = content.first {
            let data = content.dropFirst()
            structures.append(ADStructure(type, data) ?? .other(type: type, Array(data)))
        }
        return structures
    }

    /// Nil if the type is not listed, or the content does not fit it.
    private init?(_ type: UInt8, _ data: ArraySlice<UInt8>) {
        var reader = ByteReader(data)
        let structure: ADStructure? =
            switch ADType(rawValue: type) {
            case .flags: reader.byte().map { .flags($0) }
            case .services16: Self.services(data, ServiceUUID.short, isComplete: true)
            case .someServices16: Self.services(data, ServiceUUID.short, isComplete: false)
            case .services128: Self.services(data, ServiceUUID.init, isComplete: true)
            case .someServices128: Self.services(data, ServiceUUID.init, isComplete: false)
            case .name: .name(String(decoding: data, as: UTF8.self), isComplete: true)
            case .shortenedName: .name(String(decoding: data, as: UTF8.self), isComplete: false)
            case .txPower: reader.number(Int8.self).map { .txPower($0) }
            case .serviceData16: reader.number().map { .serviceData(.short($0), Array(reader.rest)) }
            case .serviceData128: reader.number().map { .serviceData(ServiceUUID($0), Array(reader.rest)) }
            case .manufacturerData:
                reader.number().map { .manufacturerData(company: $0, Array(reader.rest)) }
            case nil: nil
            }
        guard let structure else { return nil }
        self = structure
    }

    /// Nil if there are none, or bytes are left over.
    private static func services<Number: FixedWidthInteger>(
        _ data: ArraySlice<UInt8>, _ service: (Number) -> ServiceUUID, isComplete: Bool
    ) -> ADStructure? {
        var reader = ByteReader(data)
        var services: [ServiceUUID] = []
        while let number = reader.number(Number.self) { services.append(service(number)) }
        return services.isEmpty || !reader.rest.isEmpty ? nil : .services(services, isComplete: isComplete)
    }

    // MARK: Writing

    /// The bytes that it takes in an advertisement.
    package var byteCount: Int { 2 + data.count }

    /// The structure as it is sent. The caller has checked that it fits into an advertisement.
    var serialized: [UInt8] { [UInt8(data.count + 1), type] + data }

    private var type: UInt8 {
        switch self {
        case .flags: ADType.flags.rawValue
        case .services(let services, let isComplete) where services.first?.isLong == true:
            (isComplete ? ADType.services128 : .someServices128).rawValue
        case .services(_, let isComplete): (isComplete ? ADType.services16 : .someServices16).rawValue
        case .name(_, let isComplete): (isComplete ? ADType.name : .shortenedName).rawValue
        case .txPower: ADType.txPower.rawValue
        case .serviceData(let service, _): (service.isLong ? ADType.serviceData128 : .serviceData16).rawValue
        case .manufacturerData: ADType.manufacturerData.rawValue
        case .other(let type, _): type
        }
    }

    private var data: [UInt8] {
        switch self {
        case .flags(let bits): [bits]
        case .services(let services, _): services.flatMap(\.bytes)
        case .name(let name, _): Array(name.utf8)
        case .txPower(let power): power.bytes
        case .serviceData(let service, let data): service.bytes + data
        case .manufacturerData(let company, let data): company.bytes + data
        case .other(_, let data): data
        }
    }
}

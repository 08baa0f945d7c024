// What is in an advertisement: a list of structures, each with a length and a type.

public enum ADStructure: Equatable, Sendable {
    /// How the device can be found and talked to, in bits.
    case flags(UInt8)
    /// Services that the device offers; not all of them if the list is incomplete.
    case services16([UUID16], isComplete: Bool)
    case services128([UUID128], isComplete: Bool)
    /// What the device is called; its beginning if the name is incomplete.
    case name(String, isComplete: Bool)
    /// At how many dBm the device sends.
    case sendingPower(Int8)
    /// What a service says, such as a battery's level.
    case serviceData16(UUID16, [UInt8])
    case serviceData128(UUID128, [UInt8])
    /// What a manufacturer says; the number is the company's.
    case manufacturerData(company: UInt16, [UInt8])
    /// A type that is not listed above, or one whose content is not what the type says.
    case other(type: UInt8, [UInt8])
}

/// The types' numbers.
private enum ADType {
    static let flags: UInt8 = 0x01
    static let someServices16: UInt8 = 0x02
    static let services16: UInt8 = 0x03
    static let someServices128: UInt8 = 0x06
    static let services128: UInt8 = 0x07
    static let shortenedName: UInt8 = 0x08
    static let name: UInt8 = 0x09
    static let sendingPower: UInt8 = 0x0A
    static let serviceData16: UInt8 = 0x16
    static let serviceData128: UInt8 = 0x21
    static let manufacturerData: UInt8 = 0xFF
}

// MARK: Reading them

extension ADStructure {
    /// All structures that can be read. A length of zero ends the list, and so does one that reaches beyond the end.
    static func list(_ bytes: ArraySlice<UInt8>) -> [ADStructure] {
        var reader = ByteReader(bytes)
        var structures: [ADStructure] = []
        while let length = reader.byte(), let content = reader.bytes(Int(length)), let type = content.first {
            let data = content.dropFirst()
            structures.append(ADStructure(type, data) ?? .other(type: type, Array(data)))
        }
        return structures
    }

    /// Nil if it is none of the listed types, or not formed as such.
    private init?(_ type: UInt8, _ data: ArraySlice<UInt8>) {
        var reader = ByteReader(data)
        let structure: ADStructure? =
            switch type {
            case ADType.flags: reader.byte().map { .flags($0) }
            case ADType.services16: Self.services16(data, isComplete: true)
            case ADType.someServices16: Self.services16(data, isComplete: false)
            case ADType.services128: Self.services128(data, isComplete: true)
            case ADType.someServices128: Self.services128(data, isComplete: false)
            case ADType.name: .name(String(decoding: data, as: UTF8.self), isComplete: true)
            case ADType.shortenedName: .name(String(decoding: data, as: UTF8.self), isComplete: false)
            case ADType.sendingPower: reader.number(Int8.self).map { .sendingPower($0) }
            case ADType.serviceData16:
                reader.number().map { .serviceData16(UUID16(rawValue: $0), Array(reader.rest)) }
            case ADType.serviceData128:
                reader.number().map { .serviceData128(UUID128(rawValue: $0), Array(reader.rest)) }
            case ADType.manufacturerData:
                reader.number().map { .manufacturerData(company: $0, Array(reader.rest)) }
            default: nil
            }
        guard let structure else { return nil }
        self = structure
    }

    private static func services16(_ data: ArraySlice<UInt8>, isComplete: Bool) -> ADStructure? {
        numbers(data).map { .services16($0.map(UUID16.init), isComplete: isComplete) }
    }

    private static func services128(_ data: ArraySlice<UInt8>, isComplete: Bool) -> ADStructure? {
        numbers(data).map { .services128($0.map(UUID128.init), isComplete: isComplete) }
    }

    /// Nil if something is left that is no whole number.
    private static func numbers<Number: FixedWidthInteger>(_ data: ArraySlice<UInt8>) -> [Number]? {
        var reader = ByteReader(data)
        var numbers: [Number] = []
        while let number = reader.number(Number.self) { numbers.append(number) }
        return reader.rest.isEmpty ? numbers : nil
    }
}

// MARK: Writing them

extension ADStructure {
    /// How many bytes it takes in an advertisement.
    public var byteCount: Int { 2 + data.count }

    /// The structure as it is sent. One that is longer than 255 bytes fits in no advertisement and must not come here.
    var serialized: [UInt8] { [UInt8(data.count + 1), type] + data }

    private var type: UInt8 {
        switch self {
        case .flags: ADType.flags
        case .services16(_, let isComplete): isComplete ? ADType.services16 : ADType.someServices16
        case .services128(_, let isComplete): isComplete ? ADType.services128 : ADType.someServices128
        case .name(_, let isComplete): isComplete ? ADType.name : ADType.shortenedName
        case .sendingPower: ADType.sendingPower
        case .serviceData16: ADType.serviceData16
        case .serviceData128: ADType.serviceData128
        case .manufacturerData: ADType.manufacturerData
        case .other(let type, _): type
        }
    }

    private var data: [UInt8] {
        switch self {
        case .flags(let bits): [bits]
        case .services16(let services, _): Self.bytes(services.map(\.rawValue))
        case .services128(let services, _): Self.bytes(services.map(\.rawValue))
        case .name(let name, _): Array(name.utf8)
        case .sendingPower(let power): Self.bytes([power])
        case .serviceData16(let service, let data): Self.bytes([service.rawValue]) + data
        case .serviceData128(let service, let data): Self.bytes([service.rawValue]) + data
        case .manufacturerData(let company, let data): Self.bytes([company]) + data
        case .other(_, let data): data
        }
    }

    private static func bytes(_ numbers: [some FixedWidthInteger]) -> [UInt8] {
        numbers.reduce(into: []) { $0.append(number: $1) }
    }
}

// What devices say of their attributes without being asked, and what answers it. Whatever else is said on the attribute
// channel (reading, writing, finding out what there is) is known by its number only.

/// An attribute and what it holds.
struct AttributeValue: Equatable {
    /// The most bytes that an attribute can hold.
    static let longest = 512
    /// The size of messages that lets any value through, whatever goes before it. Before it is agreed on, a value has 20 bytes.
    static let sufficientMessageSize: UInt16 = 517

    let attribute: AttributeHandle
    let value: ArraySlice<UInt8>
}

enum AttributeMessage: Equatable {
    /// The host can take messages of so many bytes.
    case sizeRequest(UInt16)
    /// The device can take so many; the smaller number counts from here on.
    case sizeResponse(UInt16)
    /// A value has changed. Nobody answers.
    case notification(AttributeValue)
    /// Several values have changed.
    case notifications([AttributeValue])
    /// A value has changed. The host confirms that it knows.
    case indication(AttributeValue)
    /// The host knows of the indication.
    case confirmation
    /// Something else.
    case other(UInt8)

    private enum Opcode {
        static let sizeRequest: UInt8 = 0x02
        static let sizeResponse: UInt8 = 0x03
        static let notification: UInt8 = 0x1B
        static let indication: UInt8 = 0x1D
        static let confirmation: UInt8 = 0x1E
        static let notifications: UInt8 = 0x23
    }

    /// Nil if it is shorter than its kind can be.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        guard let opcode = reader.byte(), let message = Self.message(opcode, &reader) else { return nil }
        self = message
    }

    private static func message(_ opcode: UInt8, _ reader: inout ByteReader) -> AttributeMessage? {
        switch opcode {
        case Opcode.sizeRequest: reader.number().map { .sizeRequest($0) }
        case Opcode.sizeResponse: reader.number().map { .sizeResponse($0) }
        case Opcode.notification: onlyValue(&reader).map { .notification($0) }
        case Opcode.indication: onlyValue(&reader).map { .indication($0) }
        case Opcode.notifications: .notifications(values(&reader))
        case Opcode.confirmation: .confirmation
        default: .other(opcode)
        }
    }

    /// One value, without a length: it goes to the end.
    private static func onlyValue(_ reader: inout ByteReader) -> AttributeValue? {
        reader.number(UInt16.self).map { AttributeValue(attribute: AttributeHandle(rawValue: $0), value: reader.rest) }
    }

    /// Values with their lengths; one that is cut short ends the list.
    private static func values(_ reader: inout ByteReader) -> [AttributeValue] {
        var values: [AttributeValue] = []
        while let attribute = reader.number(UInt16.self), let length = reader.number(UInt16.self),
            let value = reader.bytes(Int(length))
        {
            values.append(AttributeValue(attribute: AttributeHandle(rawValue: attribute), value: value))
        }
        return values
    }

    var serialized: [UInt8] {
        switch self {
        case .sizeRequest(let size): [Opcode.sizeRequest] + Self.serialized(size)
        case .sizeResponse(let size): [Opcode.sizeResponse] + Self.serialized(size)
        case .notification(let value): [Opcode.notification] + Self.serialized(value)
        case .indication(let value): [Opcode.indication] + Self.serialized(value)
        case .notifications(let values): [Opcode.notifications] + values.flatMap(Self.serializedWithLength)
        case .confirmation: [Opcode.confirmation]
        case .other(let opcode): [opcode]
        }
    }

    private static func serialized(_ value: AttributeValue) -> [UInt8] {
        serialized(value.attribute.rawValue) + value.value
    }

    private static func serializedWithLength(_ value: AttributeValue) -> [UInt8] {
        serialized(value.attribute.rawValue) + serialized(UInt16(clamping: value.value.count)) + value.value
    }

    private static func serialized(_ number: UInt16) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: number)
        return bytes
    }
}

// ATT: the messages by which devices report changed attributes, and their answers. All other messages (reading, writing,
// discovery) are known by their opcode only.

struct AttributeValue: Equatable {
    /// The most bytes that an attribute holds.
    static let maxLength = 512
    /// The MTU that has room for any value and its header. Before an MTU is agreed on, a value has at most 20 bytes.
    static let sufficientMTU: UInt16 = 517

    let attribute: AttributeHandle
    let value: ArraySlice<UInt8>
}

enum AttributeMessage: Equatable {
    /// The host offers this MTU.
    case mtuRequest(UInt16)
    /// The device offers this MTU; the smaller of both counts from now on.
    case mtuResponse(UInt16)
    /// A value has changed; there is no answer.
    case notification(AttributeValue)
    /// Several values have changed.
    case notifications([AttributeValue])
    /// A value has changed; the host confirms it.
    case indication(AttributeValue)
    /// The host confirms an indication.
    case confirmation
    /// Any other message.
    case other(UInt8)

    private enum Opcode: UInt8 {
        case mtuRequest = 0x02
        case mtuResponse = 0x03
        case notification = 0x1B
        case indication = 0x1D
        case confirmation = 0x1E
        case notifications = 0x23
    }

    /// Nil if it is too short for its kind.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        guard let opcode = reader.byte(), let message = Self.message(opcode, &reader) else { return nil }
        self = message
    }

    private static func message(_ opcode: UInt8, _ reader: inout ByteReader) -> AttributeMessage? {
        switch Opcode(rawValue: opcode) {
        case .mtuRequest: reader.number().map { .mtuRequest($0) }
        case .mtuResponse: reader.number().map { .mtuResponse($0) }
        case .notification: onlyValue(&reader).map { .notification($0) }
        case .indication: onlyValue(&reader).map { .indication($0) }
        case .notifications: .notifications(values(&reader))
        case .confirmation: .confirmation
        case nil: .other(opcode)
        }
    }

    /// A single value has no length: it extends to the end.
    private static func onlyValue(_ reader: inout ByteReader) -> AttributeValue? {
        reader.number(UInt16.self).map { AttributeValue(attribute: AttributeHandle(rawValue: $0), value: reader.rest) }
    }

    /// Several values have lengths; a truncated one ends the list.
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
        case .mtuRequest(let size): [Opcode.mtuRequest.rawValue] + size.bytes
        case .mtuResponse(let size): [Opcode.mtuResponse.rawValue] + size.bytes
        case .notification(let value): [Opcode.notification.rawValue] + Self.serialized(value)
        case .indication(let value): [Opcode.indication.rawValue] + Self.serialized(value)
        case .notifications(let values): [Opcode.notifications.rawValue] + values.flatMap(Self.serializedWithLength)
        case .confirmation: [Opcode.confirmation.rawValue]
        case .other(let opcode): [opcode]
        }
    }

    private static func serialized(_ value: AttributeValue) -> [UInt8] {
        value.attribute.rawValue.bytes + value.value
    }

    private static func serializedWithLength(_ value: AttributeValue) -> [UInt8] {
        value.attribute.rawValue.bytes + UInt16(clamping: value.value.count).bytes + value.value
    }
}

// ATT: the messages by which devices report changed attributes, and their answers. All other messages (reading, writing,
// discovery) are known by their opcode only.

package struct AttributeValue {
    /// The most bytes that an attribute holds.
    package static let maxLength = 512
    /// The MTU that has room for any value and its header. Before an MTU is agreed on, a value has at most 20 bytes.
    static let sufficientMTU: UInt16 = 517

    let attribute: AttributeHandle
    let value: ArraySlice<UInt8>
}

/// The messages that are read or made here.
enum AttributeOpcode: UInt8 {
    /// The host offers an MTU.
    case mtuRequest = 0x02
    /// The device offers an MTU; the smaller of both counts from now on.
    case mtuResponse = 0x03
    /// A value has changed; there is no answer.
    case notification = 0x1B
    /// A value has changed; the host confirms it.
    case indication = 0x1D
    /// The host confirms an indication.
    case confirmation = 0x1E
    /// Several values have changed.
    case notifications = 0x23
}

/// The values that a message reports.
struct AttributeReport {
    let values: [AttributeValue]
    let isIndication: Bool

    /// Nil for a message that reports no value, or is too short for its kind.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        let opcode = reader.byte().flatMap(AttributeOpcode.init)
        isIndication = opcode == .indication
        switch opcode {
        case .notification, .indication:
            // A single value has no length: it extends to the end.
            guard let attribute = reader.number(UInt16.self) else { return nil }
            values = [AttributeValue(attribute: AttributeHandle(rawValue: attribute), value: reader.rest)]
        case .notifications: values = Self.values(&reader)
        case .mtuRequest, .mtuResponse, .confirmation, nil: return nil
        }
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
}

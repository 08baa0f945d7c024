// The numbers of attributes and of connections.

/// The number of an attribute on a device, such as the one that tells whether a button is pressed. Written as `0x002A`.
package struct AttributeHandle: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Reads `0x002A` and `42` alike. No attribute has the number 0.
    package init(parsing text: String) throws(BluetoothError) {
        guard let number = Self.number(text), number > 0 else { throw .notAnAttributeHandle(text) }
        rawValue = number
    }

    private static func number(_ text: String) -> UInt16? {
        if text.hasPrefix("0x") || text.hasPrefix("0X") { return UInt16(hexadecimal: text.dropFirst(2)) }
        return text.hasPrefix("+") ? nil : UInt16(text)
    }

    package var description: String { "0x\(rawValue.hexadecimal)" }

    package static func < (left: AttributeHandle, right: AttributeHandle) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The number that an adapter gives to a connection for as long as it lasts: twelve bits.
package struct ConnectionHandle: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Higher numbers are reserved.
    package static let highest: UInt16 = 0x0EFF

    package let rawValue: UInt16

    /// Keeps the lowest twelve bits; the other four have another meaning in a packet.
    package init(rawValue: UInt16) {
        self.rawValue = rawValue & 0x0FFF
    }

    package var description: String { "0x\(rawValue.hexadecimal)" }

    package static func < (left: ConnectionHandle, right: ConnectionHandle) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// One connection of one adapter.
struct ConnectionID: Hashable, Sendable {
    let adapter: UInt16
    let handle: ConnectionHandle
}

import Texts

/// A device's address: six bytes, written as `AA:BB:CC:DD:EE:FF`.
package struct BluetoothAddress: Hashable, Sendable, CustomStringConvertible {
    fileprivate static let byteCount = 6

    /// The address as a number of 48 bits. Its highest byte is written first.
    package let rawValue: UInt64

    /// Keeps the lowest 48 bits.
    package init(rawValue: UInt64) {
        self.rawValue = rawValue & (1 << 48 - 1)
    }

    /// Reads an address as people write it, in upper or lower case.
    package init(parsing text: String) throws(BluetoothError) {
        let parts = text.split(separator: ":", maxSplits: Self.byteCount, omittingEmptySubsequences: false)
        guard parts.count == Self.byteCount else { throw .notAnAddress(text) }
        var number: UInt64 = 0
        for part in parts {
            guard part.utf8.count == 2, let byte = UInt8(hexadecimal: part) else { throw .notAnAddress(text) }
            number = number << 8 | UInt64(byte)
        }
        self.init(rawValue: number)
    }

    package var description: String {
        bytes.reversed().map(\.hexadecimal).joined(separator: ":")
    }

    /// In a packet the lowest byte comes first.
    var bytes: ArraySlice<UInt8> { rawValue.bytes.prefix(Self.byteCount) }
}

extension ByteReader {
    mutating func address() -> BluetoothAddress? {
        bytes(BluetoothAddress.byteCount).map { BluetoothAddress(rawValue: UInt64(bytesFromHighest: $0.reversed())) }
    }
}

/// Input that is not valid in Bluetooth.
package enum BluetoothError: Error, Equatable, Sendable, CustomStringConvertible {
    case notAnAddress(String)
    case notAnAttributeHandle(String)
    case notAUUID16(String)
    case notAUUID128(String)
    case valueTooLong(byteCount: Int, limit: Int)
    case advertisementTooLong(byteCount: Int, limit: Int)

    package var description: String {
        switch self {
        case .notAnAddress(let text):
            "'\(text.shortened.printable)' is not a Bluetooth address; an address is six pairs of hexadecimal digits, such as AA:BB:CC:DD:EE:FF"
        case .notAnAttributeHandle(let text):
            "'\(text.shortened.printable)' is not an attribute handle; a handle is a number from 1 to 65535, such as 42 or 0x002A"
        case .notAUUID16(let text):
            "'\(text.shortened.printable)' is not a 16-bit UUID; an assigned UUID is four hexadecimal digits, such as 180F"
        case .notAUUID128(let text):
            "'\(text.shortened.printable)' is not a UUID; a UUID looks like 6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
        case .valueTooLong(let byteCount, let limit):
            "a value of \(byteCount) bytes cannot be sent; an attribute holds at most \(limit)"
        case .advertisementTooLong(let byteCount, let limit):
            "an advertisement of \(byteCount) bytes cannot be sent; there is room for \(limit), including its name"
        }
    }
}

// MARK: - The numbers of attributes and of connections.

/// The number of an attribute on a device, such as the one that reports whether a button is pressed. Written as `0x002A`.
package struct AttributeHandle: Hashable, Sendable, CustomStringConvertible {
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
}

/// The number that an adapter gives to a connection for as long as it lasts: twelve bits.
package struct ConnectionHandle: Hashable, Sendable {
    /// Higher numbers are reserved.
    package static let highest: UInt16 = 0x0EFF

    package let rawValue: UInt16

    /// Keeps the lowest twelve bits; the other four have another meaning in a packet.
    package init(rawValue: UInt16) {
        self.rawValue = rawValue & 0x0FFF
    }
}

/// One connection of one adapter.
struct ConnectionID: Hashable {
    let adapter: UInt16
    let handle: ConnectionHandle
}

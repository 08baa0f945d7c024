import Texts

/// Input that is not valid in Bluetooth.
package enum BluetoothError: Error, Equatable, Sendable, CustomStringConvertible {
    case notAnAddress(String)
    case notAnAttributeHandle(String)
    case notAUUID16(String)
    case notAUUID128(String)
    case connectionHandleTooHigh(ConnectionHandle)
    case fragmentSizeOutOfRange(Int)
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
        case .connectionHandleTooHigh(let handle):
            "the connection handle \(handle) is reserved; handles go from 0x0000 to 0x0EFF"
        case .fragmentSizeOutOfRange(let size):
            "a fragment size of \(size) bytes is not possible; an adapter takes from 27 to 65535"
        case .valueTooLong(let byteCount, let limit):
            "a value of \(byteCount) bytes cannot be sent; an attribute holds at most \(limit)"
        case .advertisementTooLong(let byteCount, let limit):
            "an advertisement of \(byteCount) bytes cannot be sent; there is room for \(limit), including its name"
        }
    }
}

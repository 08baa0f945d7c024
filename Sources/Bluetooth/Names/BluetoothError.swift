/// What somebody wrote or asked for that Bluetooth does not have.
public enum BluetoothError: Error, Equatable, Sendable, CustomStringConvertible {
    case notAnAddress(String)
    case notAnAttributeHandle(String)
    case notAUUID16(String)
    case notAUUID128(String)
    case connectionHandleTooHigh(ConnectionHandle)
    case fragmentSizeOutOfRange(Int)
    case valueTooLong(byteCount: Int)
    case advertisementTooLong(byteCount: Int)

    public var description: String {
        switch self {
        case .notAnAddress(let text):
            "'\(text.quotable)' is no Bluetooth address; one is six pairs of hexadecimal digits, such as AA:BB:CC:DD:EE:FF"
        case .notAnAttributeHandle(let text):
            "'\(text.quotable)' is no attribute handle; one is a number from 1 to 65535, such as 42 or 0x002A"
        case .notAUUID16(let text):
            "'\(text.quotable)' is no assigned UUID; one is four hexadecimal digits, such as 180F"
        case .notAUUID128(let text):
            "'\(text.quotable)' is no UUID; one looks like 6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
        case .connectionHandleTooHigh(let handle):
            "a connection cannot have the handle \(handle); handles go from 0x0000 to 0x0EFF"
        case .fragmentSizeOutOfRange(let size):
            "packets of \(size) bytes cannot carry a connection's data; an adapter takes from 27 to 65535"
        case .valueTooLong(let byteCount):
            "a value of \(byteCount) bytes cannot be sent; an attribute holds at most \(AttributeValue.longest)"
        case .advertisementTooLong(let byteCount):
            "an advertisement of \(byteCount) bytes cannot be sent; there is room for \(AdvertisingReport.longestLegacyData), names included"
        }
    }
}

extension String {
    /// As much of a text as an error should repeat, and nothing in it that would break a line.
    fileprivate var quotable: String {
        let shown = 40
        let start = unicodeScalars.prefix(shown).map { $0.escaped(asASCII: true) }.joined()
        return unicodeScalars.count > shown ? start + "…" : start
    }
}

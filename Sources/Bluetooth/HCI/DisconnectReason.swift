/// The reason that the adapter gives for the end of a connection.
package struct DisconnectReason: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let authenticationFailed = DisconnectReason(rawValue: 0x05)
    package static let timedOut = DisconnectReason(rawValue: 0x08)
    package static let deviceEndedIt = DisconnectReason(rawValue: 0x13)
    package static let deviceRanLow = DisconnectReason(rawValue: 0x14)
    package static let devicePoweredOff = DisconnectReason(rawValue: 0x15)
    package static let weEndedIt = DisconnectReason(rawValue: 0x16)
    package static let neverEstablished = DisconnectReason(rawValue: 0x3E)

    package var description: String {
        let number = "0x\(rawValue.hexadecimal)"
        return switch self {
        case .authenticationFailed: "authentication failed (\(number))"
        case .timedOut: "the connection timed out (\(number))"
        case .deviceEndedIt: "the device ended it (\(number))"
        case .deviceRanLow: "the device ran low on resources (\(number))"
        case .devicePoweredOff: "the device is powering off (\(number))"
        case .weEndedIt: "our side ended it (\(number))"
        case .neverEstablished: "the connection was never established (\(number))"
        default: "reason \(number)"
        }
    }
}

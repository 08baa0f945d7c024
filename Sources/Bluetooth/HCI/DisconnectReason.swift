/// Why a connection ended, as the adapter gives it.
public struct DisconnectReason: Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let authenticationFailed = DisconnectReason(rawValue: 0x05)
    public static let timedOut = DisconnectReason(rawValue: 0x08)
    public static let deviceEndedIt = DisconnectReason(rawValue: 0x13)
    public static let deviceRanLow = DisconnectReason(rawValue: 0x14)
    public static let devicePoweredOff = DisconnectReason(rawValue: 0x15)
    public static let weEndedIt = DisconnectReason(rawValue: 0x16)
    public static let neverEstablished = DisconnectReason(rawValue: 0x3E)

    public var description: String {
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

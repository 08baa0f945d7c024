/// The number by which an adapter calls one of its connections, for as long as that lasts: twelve bits.
public struct ConnectionHandle: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The numbers beyond are reserved.
    public static let highest: UInt16 = 0x0EFF

    public let rawValue: UInt16

    /// Keeps the lowest twelve bits; in a packet, the other four mean something else.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue & 0x0FFF
    }

    public var description: String { "0x\(rawValue.hexadecimal)" }

    public static func < (left: ConnectionHandle, right: ConnectionHandle) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The number of an attribute on a device, such as the one that holds whether a button is pressed. Written as `0x002A`.
public struct AttributeHandle: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Reads `0x002A` as well as `42`. No attribute has the number 0.
    public init(parsing text: String) throws(BluetoothError) {
        guard let number = Self.number(text), number > 0 else { throw .notAnAttributeHandle(text) }
        rawValue = number
    }

    private static func number(_ text: String) -> UInt16? {
        if text.hasPrefix("0x") || text.hasPrefix("0X") { return UInt16(hexadecimal: text.dropFirst(2)) }
        return text.hasPrefix("+") ? nil : UInt16(text)
    }

    public var description: String { "0x\(rawValue.hexadecimal)" }

    public static func < (left: AttributeHandle, right: AttributeHandle) -> Bool {
        left.rawValue < right.rawValue
    }
}

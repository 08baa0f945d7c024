/// The six bytes by which a network device is known, written `AA:BB:CC:DD:EE:FF`.
public struct MACAddress: Codable, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Nil unless the text is six pairs of hexadecimal digits, parted by colons or by hyphens.
    public init?(_ text: String) {
        let separator: Character = text.contains("-") ? "-" : ":"
        let pairs = text.split(separator: separator, omittingEmptySubsequences: false)
        guard pairs.count == 6, pairs.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }) else { return nil }
        description = pairs.joined(separator: ":").uppercased()
    }
}

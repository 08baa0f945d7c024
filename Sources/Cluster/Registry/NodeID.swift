// A node's name in the cluster: 40 hexadecimal digits, as in Redis Cluster.

/// Made once per process. A process that starts again is another node: it has nothing that its predecessor had, and a copied directory
/// or machine cannot make two nodes that take each other for themselves.
package struct NodeID: Hashable, Comparable, Sendable, CustomStringConvertible {
    private static let length = 40

    package let description: String

    /// Nil unless it is 40 digits of 0 to 9 and a to f.
    package init?(_ text: String) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let letters = UInt8(ascii: "a")...UInt8(ascii: "f")
        guard text.utf8.count == Self.length, text.utf8.allSatisfy({ digits.contains($0) || letters.contains($0) }) else {
            return nil
        }
        description = text
    }

    /// 160 random bits.
    package init(random generator: inout some RandomNumberGenerator) {
        description = String(
            (0..<Self.length).map { _ in Character(String(UInt8.random(in: 0...15, using: &generator), radix: 16)) })
    }

    package static func < (left: NodeID, right: NodeID) -> Bool {
        left.description < right.description
    }
}

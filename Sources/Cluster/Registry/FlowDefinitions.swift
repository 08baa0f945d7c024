// The definitions of a node's flows, by which nodes see whether they would restore the same sessions.

package struct FlowDefinitions: Hashable, Sendable {
    /// A node with more flows publishes one digest of the others: its row has at most about 50 KB of them.
    package static let maxListed = 1_000

    /// A short text for each flow, the same where the definitions are the same.
    package let listed: [String: String]
    /// One digest of all flows that are not listed; nil if all are.
    package let rest: String?

    /// As another node has published it.
    package init(listed: [String: String], rest: String?) { (self.listed, self.rest) = (listed, rest) }

    /// Lists the first flows in order of their names.
    package init(_ all: [String: String] = [:]) {
        guard all.count > Self.maxListed else {
            self.init(listed: all, rest: nil)
            return
        }
        let sorted = all.sorted { $0.key < $1.key }
        self.init(
            listed: Dictionary(uniqueKeysWithValues: sorted.prefix(Self.maxListed).map { ($0.key, $0.value) }),
            rest: Self.digest(sorted.dropFirst(Self.maxListed).map { [$0.key, $0.value] }.joined()))
    }

    /// Returns nil if the node does not have the flow.
    package func definition(of flow: String) -> String? { listed[flow] ?? rest }

    /// 64 bits of FNV-1a over texts, each with its end.
    package static func digest(_ texts: some Sequence<String>) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for text in texts {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

// How large a simulated world is, and how long it lasts.

package struct WorldSize: Sendable {
    package var nodes: Int
    package var shards: Int
    package var seconds: Int

    package init(nodes: Int, shards: Int, seconds: Int) {
        (self.nodes, self.shards, self.seconds) = (nodes, shards, seconds)
    }
}

extension Int64 {
    static let millisecond: Int64 = 1_000_000
    static let second: Int64 = 1_000_000_000
}

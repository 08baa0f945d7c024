// What a node remembers of the registry, outside the registry: one that shows less has gone back in time.

/// The highest version that a node has seen, and the highest epoch of each shard.
package struct Remembered: Equatable, Sendable {
    /// A registry that has gone back has given out epochs that this node may not know. Raised by this much, it gives none of them again.
    package static let jump: Int64 = 1_000_000

    package private(set) var version: Int64 = 0
    /// By shard.
    package private(set) var epochs: [Int64]

    package init(map: ShardMap) {
        epochs = Array(repeating: 0, count: map.count)
    }

    package init(version: Int64, epochs: [Int64]) {
        (self.version, self.epochs) = (version, epochs)
    }

    mutating func follow(_ news: News) {
        version = max(version, news.version)
        for record in news.shards where epochs.indices.contains(record.shard) {
            epochs[record.shard] = max(epochs[record.shard], record.epoch)
        }
    }
}

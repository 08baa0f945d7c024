// What a turn has changed in one shard, as it grows.

import Sessions
import Store

/// A shard of this node, with its open batch.
final class ShardDraft {
    let shard: Shard
    @exclusivity(unchecked) let encoder = BatchEncoder(boot: "")
    /// Whether this turn has changed something in it.
    @exclusivity(unchecked) var isTouched = false

    init(_ shard: Shard) {
        self.shard = shard
    }
}

/// A turn's changes in one shard.
struct ShardChange: Sendable {
    let shard: Shard
    let batch: BatchBytes
}

// What a turn has changed in one shard, as it grows.

import Sessions
import Store

/// A shard of this node, with its open batch.
final class ShardDraft {
    let shard: Shard
    let encoder = BatchEncoder(boot: "")
    /// Whether this turn has changed something in it.
    @exclusivity(unchecked) var isTouched = false

    init(_ shard: Shard) {
        self.shard = shard
    }
}

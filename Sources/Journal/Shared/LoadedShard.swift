// A shard as it was read, ready for the loop.

import Sessions
import Store

struct LoadedShard: Sendable {
    let shard: Shard
    var summary = ShardSummary()
    var parts: [StoredSessions] = []
    var lines: [StoredLine] = []
}

/// What has come of reading a shard.
enum ShardReading: Sendable {
    case loaded(LoadedShard)
    /// This node cannot have it: these flows are not here.
    case lacks(Shard, flows: [String])
    /// It is another's by now, or was not to be read.
    case gone(Shard)
}

// Changes of one shard in the current turn, as it grows.

import Sessions
import Store

/// A shard of this node, with its open batch.
final class ShardDraft {
    let shard: Shard
    @exclusivity(unchecked) var encoder: BatchEncoder
    /// Whether this turn has changed something in it.
    var isTouched = false
    /// Messages that the shard's sessions sent in this turn, and messages to them that were applied.
    var posted: [PostedMessage] = []
    var taken: [Int64] = []

    init(_ shard: Shard, boot: String, actors: ActorTable) {
        self.shard = shard
        encoder = BatchEncoder(boot: boot, actors: actors)
    }

    func takeMail() -> Turn.Mail {
        defer { (posted, taken) = ([], []) }
        return Turn.Mail(shard: shard, posted: posted, taken: taken)
    }
}

// Shards that have changed their owners so recently that the new ones may not have heard of it: clients that were sent there would be sent back.

import Timers

struct UnheardOwners: Sendable {
    private var changes: [Int: (epoch: Int64, until: Instant)] = [:]
    /// The epochs under which shards are served, where that was heard before the change.
    private var served: [Int: Int64] = [:]

    /// `view` is the one before these records. An owner that has a lease has heard of the change at `until`.
    mutating func update(_ records: [ShardRecord], of view: ClusterView, until: Instant, _ now: Instant) {
        if !changes.isEmpty { changes = changes.filter { $0.value.until > now } }
        for record in records where record.shard >= 0 && record.shard < view.map.count {
            let isServed = served[record.shard].map { $0 >= record.epoch } ?? false
            if record.owner == nil || isServed {
                changes[record.shard] = nil
            } else if record.owner != view.owner(ofShard: record.shard) {
                changes[record.shard] = (record.epoch, until)
            }
            if let epoch = served[record.shard], epoch <= record.epoch { served[record.shard] = nil }
        }
    }

    /// The owner serves the shard, and says so.
    mutating func hear(_ arrival: Arrival, of view: ClusterView) {
        guard arrival.shard >= 0, arrival.shard < view.map.count else { return }
        if let change = changes[arrival.shard], change.epoch <= arrival.epoch { changes[arrival.shard] = nil }
        if arrival.epoch > view.epoch(ofShard: arrival.shard) { served[arrival.shard] = arrival.epoch }
    }

    func contains(_ shard: Int, at now: Instant) -> Bool { changes[shard].map { now < $0.until } ?? false }
}

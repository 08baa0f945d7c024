// Shards that this node has given to others, until those serve them: whoever gives faster than others read leaves shards without service.

import Timers

struct Transits: Equatable, Sendable {
    private struct Transit: Equatable {
        let epoch: Int64
        /// It counts as over then: that it was, may never be heard.
        let until: Instant
    }

    private var transits: [Int: Transit] = [:]

    var count: Int { transits.count }

    /// When the first of them counts as over.
    var next: Instant { transits.values.lazy.map(\.until).min() ?? .never }

    mutating func begin(_ shard: Int, _ epoch: Int64, until: Instant) {
        transits[shard] = Transit(epoch: epoch, until: until)
    }

    mutating func end(_ arrival: Arrival) {
        if let transit = transits[arrival.shard], transit.epoch <= arrival.epoch { transits[arrival.shard] = nil }
    }

    /// The shards have these epochs now: they may have moved on without having been served.
    mutating func removeSuperseded(by records: [ShardRecord]) {
        guard !transits.isEmpty else { return }
        for record in records {
            if let transit = transits[record.shard], transit.epoch < record.epoch { transits[record.shard] = nil }
        }
    }

    mutating func end(at now: Instant) {
        if !transits.isEmpty { transits = transits.filter { $0.value.until > now } }
    }
}

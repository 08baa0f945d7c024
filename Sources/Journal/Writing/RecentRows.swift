// The rows that this node has committed recently. A database that goes back in time, such as one that has failed over to a replica that was
// behind, gets them again.

import Cluster
import Store
import Synchronization

/// Used by the loop and by the threads that write and load.
final class RecentRows: Sendable {
    fileprivate struct Kept {
        let row: Commit.Row
        let at: Int64
    }

    /// The end of one shard's log.
    fileprivate struct Tail {
        var epoch: Int64
        /// The last number that the database has acknowledged.
        var committed: Int64
        /// Each has a value. Optional, so that `removeFirst` releases the row: a slice keeps removed elements until it grows.
        var rows: ArraySlice<Kept?> = []
        /// How many of these rows have applied, or deleted again, the message with each key.
        var applied: [Int64: Int] = [:]

        mutating func removeFirst() {
            rows[rows.startIndex] = nil
            rows.removeFirst()
            if rows.isEmpty { rows = [] }
        }
    }

    fileprivate struct State {
        var tails: [Int: Tail] = [:]
        /// The shards of all rows, oldest row first.
        var order: ArraySlice<Int> = []
        var bytes = 0
    }

    /// Batches missing from a shard's log although the database had acknowledged them.
    struct Missing {
        let shard: Shard
        /// In order, under the shard's present epoch. The last number is the last one acknowledged.
        let rows: [Commit.Row]
        /// How many rows before these are missing, too, and not kept.
        let lost: Int64
    }

    /// Replicas are behind by seconds. These rows take memory, so they have a bound.
    private static let nanoseconds: Int64 = 60_000_000_000
    fileprivate static let maxBytes = 64 << 20
    private let state = Mutex(State())

    /// This node has taken the shard over.
    func own(_ shard: Shard, after lastLogged: Int64) {
        state.withLock { state in
            if !state.continues(shard) { state.forget(shard.number) }
            let before = state.tails[shard.number]
            state.tails[shard.number] = Tail(
                epoch: shard.epoch, committed: lastLogged, rows: before?.rows ?? [], applied: before?.applied ?? [:])
        }
    }

    func add(_ row: Commit.Row, at now: Int64) {
        state.withLock { state in
            guard let tail = state.tails[row.shard.number], tail.epoch == row.shard.epoch, tail.committed < row.number else {
                return
            }
            state.tails[row.shard.number]?.committed = row.number
            state.tails[row.shard.number]?.rows.append(Kept(row: row, at: now))
            for message in row.taken { state.tails[row.shard.number]?.applied[message.key, default: 0] += 1 }
            state.order.append(row.shard.number)
            state.bytes += row.footprint
            state.drop(until: now - Self.nanoseconds)
        }
    }

    /// Returns the shards among these that have rows here.
    func known(of shards: [Shard]) -> [Shard] {
        state.withLock { state in shards.filter { state.tails[$0.number].map { $0.committed > 0 } ?? false } }
    }

    /// Whether a kept row of the shard has applied the message with this key. A message that was written again has another number, so that row's
    /// deletion missed it.
    func hasApplied(_ key: Int64, in shard: Int) -> Bool {
        state.withLock { $0.tails[shard]?.applied[key] != nil }
    }

    /// Returns nil if the log has all that it had. If another node may have owned the shard since, all that is missing is lost: that node's changes
    /// may contradict it.
    func missing(in shard: Shard, after last: Int64) -> Missing? {
        state.withLock { state in
            guard let tail = state.tails[shard.number], last < tail.committed else { return nil }
            let rows =
                state.continues(shard) ? tail.rows.lazy.compactMap { $0?.row.under(shard) }.filter { $0.number > last } : []
            let first = rows.first?.number ?? tail.committed + 1
            return Missing(shard: shard, rows: Array(rows), lost: first - last - 1)
        }
    }
}

extension RecentRows.State {
    fileprivate func continues(_ shard: Shard) -> Bool {
        tails[shard.number].map { Remembered.isSameOwner(at: shard.epoch, since: $0.epoch) } ?? false
    }

    fileprivate mutating func forget(_ number: Int) {
        guard let tail = tails.removeValue(forKey: number), !tail.rows.isEmpty else { return }
        bytes -= tail.rows.reduce(0) { $0 + ($1?.row.footprint ?? 0) }
        order.removeAll { $0 == number }
    }

    private mutating func forget(_ key: Int64, in number: Int) {
        guard let count = tails[number]?.applied[key] else { return }
        tails[number]?.applied[key] = count > 1 ? count - 1 : nil
    }

    fileprivate mutating func drop(until oldest: Int64) {
        while let number = order.first {
            let first = tails[number]?.rows.first ?? nil
            guard bytes > RecentRows.maxBytes || first.map({ $0.at < oldest }) ?? true else { return }
            order.removeFirst()
            guard let first else { continue }
            bytes -= first.row.footprint
            tails[number]?.removeFirst()
            for message in first.row.taken { forget(message.key, in: number) }
        }
    }
}

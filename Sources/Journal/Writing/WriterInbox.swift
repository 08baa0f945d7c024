// The data shared by the loop and the log's writer: waiting turns, and shards.

import Store

extension LogWriter {
    struct Inbox {
        var turns: [Turn] = []
        var waitingBytes = 0
        /// The same, and those of commits under way.
        var bytes = 0
        /// The shards of this daemon, and the last number in the log of each.
        var numbers: [Shard: Int64] = [:]
        /// Shards with possibly lost writes, until the loop collects them.
        var lost: Set<Shard> = []
        /// Shards with logs that lack commits which the writer no longer keeps, with the sessions of the tables.
        var gaps: [Shard: [SavedVersion]] = [:]
        /// Shards with changes that were dropped, or are not committed at the end.
        var unwritten: Set<Int> = []
        /// Whether remaining times of `freeze` timers are not committed at the end, and whether anything else is not that is no change.
        var (lacksTimers, lacksOther) = (false, false)
        /// Whether the store takes no changes.
        var isFailing = false
        /// Whether the node is leaving: `unwritten` is kept then, also if the store recovers.
        var isLeaving = false
        var probe = Probe.none
    }

    enum Probe {
        case none, asked
        case answered(String?)
    }
}

extension LogWriter.Inbox {
    /// Removes and returns the oldest turns, until they have `maxBytes`. Returns none while less than `least` bytes wait: many
    /// small commits cost more than waiting for a larger one.
    mutating func drain(atLeast least: Int, atMost maxBytes: Int) -> [Turn] {
        guard waitingBytes >= least else { return [] }
        var (count, bytes) = (0, 0)
        while count < turns.count, bytes < maxBytes {
            bytes += turns[count].bytes
            count += 1
        }
        waitingBytes -= bytes
        defer { turns.removeFirst(count) }
        return Array(turns.prefix(count))
    }

    mutating func nextNumber(in shard: Shard) -> Int64? {
        guard let last = numbers[shard] else { return nil }
        numbers[shard] = last + 1
        return last + 1
    }

    /// A commit of this many bytes is over, and this daemon no longer owns these shards.
    mutating func lose(_ shards: [Shard], bytes: Int) {
        self.bytes -= bytes
        for shard in shards where numbers.removeValue(forKey: shard) != nil { lost.insert(shard) }
    }

    /// Rows that are sent again were committed before: they are no changes.
    mutating func dropChanges(of commits: [Commit]) {
        for commit in commits {
            guard !commit.isAgain else {
                lacksOther = true
                continue
            }
            if !commit.onlyTimers.isEmpty { lacksTimers = true }
            unwritten.formUnion(commit.leftOut.union(commit.rows.map(\.shard.number)).subtracting(commit.onlyTimers))
        }
    }

    mutating func dropChanges(of turn: Turn) {
        if turn.hasOnlyTimers { lacksTimers = true } else { unwritten.formUnion(turn.parts.map(\.shard.number)) }
    }
}

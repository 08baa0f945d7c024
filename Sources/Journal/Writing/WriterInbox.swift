// The data shared by the loop and the log's writer: waiting turns, and shards.

import Store

extension LogWriter {
    struct Inbox {
        var turns: [Turn] = []
        var waitingBytes = 0
        /// The same, and those of commits in flight.
        var bytes = 0
        /// The shards of this daemon, and the last number in the log of each.
        var numbers: [Shard: Int64] = [:]
        /// Shards with possibly lost writes, until the loop collects them.
        var lost: Set<Shard> = []
        /// Shards with logs that lack commits which the writer no longer keeps, with the sessions of the tables.
        var gaps: [Shard: [SavedVersion]] = [:]
        /// Shards with changes that were dropped, or are not committed at the end.
        var unwritten: Set<Int> = []
        /// Whether remaining times of `freeze` timers were dropped, or are not committed at the end. They are no changes.
        var lacksTimers = false
        /// Whether the store may have lost changes that it had acknowledged.
        var lacksCommitted = false
        /// Whether the store takes no changes.
        var isFailing = false
        /// Whether the node is leaving: losses are kept then, also if the store recovers.
        var isLeaving = false
        /// Whether the loop waits for a probe; and its answer, until the loop takes it: why the store takes nothing, or nil in it.
        var isProbeWanted = false
        var probeAnswer: String??

        var lacksChanges: Bool { lacksCommitted || !unwritten.isEmpty }
    }
}

extension LogWriter.Inbox {
    mutating func enqueue(_ turn: Turn) {
        turns.append(turn)
        bytes += turn.bytes
        waitingBytes += turn.bytes
    }

    /// The shards of this daemon, in order.
    var shards: [Shard] { numbers.keys.sorted { $0.number < $1.number } }

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

    /// Drops these commits and all turns. Returns the last turn that was dropped, or 0.
    mutating func loseEverything(after commits: [Commit]) -> UInt64 {
        var last = commits.last?.lastTurn ?? 0
        dropChanges(of: commits)
        for commit in commits { lose(commit.rows.map(\.shard), bytes: commit.bytes) }
        for turn in turns {
            dropChanges(of: turn)
            lose(turn.parts.map(\.shard), bytes: turn.bytes)
            last = turn.number
        }
        (turns, waitingBytes) = ([], 0)
        return last
    }

    /// The node begins to leave. Forgets earlier losses, unless the store fails now: they were reported then.
    mutating func prepareToLeave() {
        (isLeaving, lacksTimers) = (true, false)
        if !isFailing { forgetLosses() }
    }

    mutating func recover() {
        isFailing = false
        if !isLeaving { forgetLosses() }
    }

    private mutating func forgetLosses() { (unwritten, lacksCommitted) = ([], false) }

    /// The commit is over, and these shards have refused it. Rows that are sent again were acknowledged before.
    mutating func recordLosses(of commit: Commit, refusedBy lost: [Shard]) {
        let shards = commit.leftOut.union(lost.map(\.number))
        guard commit.isAgain else { return unwritten.formUnion(shards.subtracting(commit.onlyTimers)) }
        if !shards.isEmpty { lacksCommitted = true }
    }

    /// These commits do not happen. Rows that are sent again are no changes of their turn, and were acknowledged before.
    mutating func dropChanges(of commits: [Commit]) {
        for commit in commits {
            guard !commit.isAgain else {
                lacksCommitted = true
                continue
            }
            if !commit.onlyTimers.isEmpty { lacksTimers = true }
            unwritten.formUnion(commit.leftOut.union(commit.rows.map(\.shard.number)).subtracting(commit.onlyTimers))
        }
    }

    mutating func dropChanges(of turn: Turn) {
        if turn.hasOnlyTimers { lacksTimers = true } else { unwritten.formUnion(turn.parts.map(\.shard.number)) }
    }

    /// Returns whether the loop waits for it.
    mutating func answerProbe(_ error: StoreError?) -> Bool {
        guard isProbeWanted else { return false }
        (isProbeWanted, probeAnswer) = (false, .some(error?.description))
        return true
    }
}

/// Brings messages that are committed.
protocol PostOffice: Sendable {
    /// Messages for these shards are committed.
    func posted(to shards: Set<Int>)
}

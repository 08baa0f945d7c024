// The messages for one shard of this node.

import Store

/// Each message is handed out once, for as long as the shard is here.
struct Mailbox {
    let shard: Shard
    /// Read, and not carried out.
    private var waiting: ArraySlice<WaitingMessage> = []
    /// Carried out, each with the turn whose commit deletes it.
    private var taken: [Int64: UInt64] = [:]
    private var isReading = false
    /// Whether there may be more than what was read.
    private var mayHaveMore = true

    init(_ shard: Shard) { self.shard = shard }

    var isEmpty: Bool { waiting.isEmpty }

    /// There are messages, or there may be.
    mutating func expectMore() { mayHaveMore = true }

    /// The numbers that are not to be read again; nil if nothing is to be read now. A message that a reading which begins now cannot
    /// find any more, since its deletion is committed, is forgotten.
    mutating func beginReading(committedThrough turn: UInt64) -> [Int64]? {
        guard mayHaveMore, !isReading, waiting.isEmpty else { return nil }
        (isReading, mayHaveMore) = (true, false)
        taken = taken.filter { $0.value > turn }
        return Array(taken.keys)
    }

    mutating func endReading(_ messages: [WaitingMessage], isAll: Bool) {
        isReading = false
        waiting += messages
        if !isAll { mayHaveMore = true }
    }

    /// The next message, which is deleted with this turn.
    mutating func dequeue(in turn: UInt64) -> WaitingMessage? {
        guard let message = waiting.popFirst() else { return nil }
        taken[message.number] = turn
        return message
    }
}

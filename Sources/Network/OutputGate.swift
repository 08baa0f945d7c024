// Limits a connection's output to finished turns, and with durability `always` to changes on disk.

/// Offsets into the output, counted from the connection's first byte.
struct OutputGate {
    private struct Part {
        /// The batch that must be on disk first.
        let batch: UInt64
        var end: Int
        /// How many requests it answers.
        var answers: Int
        /// Whether the reply to an EXEC with changes in it is due later.
        var isReplyDue: Bool
    }

    private var parts: [Part] = []
    /// Bytes sent, and bytes that may be.
    private var sent = 0
    private var released = 0

    /// How many of the unsent bytes may be sent now.
    var free: Int { released - sent }
    /// Whether something waits for a batch.
    var isHolding: Bool { !parts.isEmpty }

    mutating func advance(bySent count: Int) {
        sent += count
    }

    /// Everything unsent may leave.
    mutating func release(_ unsent: Int) {
        released = sent + unsent
        parts = []
    }

    /// Output since the last turn waits for this batch; `isReplyDue` says whether an EXEC of this turn has its reply later.
    mutating func hold(_ unsent: Int, answers: Int, isReplyDue: Bool = false, until batch: UInt64) {
        let end = sent + unsent
        if let last = parts.last, last.batch == batch {
            parts[parts.count - 1].end = end
            parts[parts.count - 1].answers += answers
            if isReplyDue { parts[parts.count - 1].isReplyDue = true }
        } else if isReplyDue || end > parts.last?.end ?? released {
            parts.append(Part(batch: batch, end: end, answers: answers, isReplyDue: isReplyDue))
        }
    }

    /// All batches up to this one are on disk.
    mutating func release(through safe: UInt64) {
        while let part = parts.first, part.batch <= safe {
            released = part.end
            parts.removeFirst()
        }
    }

    /// Discards the waiting output. Returns the number of bytes to discard.
    mutating func discard(_ unsent: Int) -> Int {
        parts = []
        return sent + unsent - released
    }

    /// The batches that output waits for will not reach the disk for now. Returns how many bytes to discard, how many requests they answered, and how many
    /// bytes behind them wait for no batch. Without any reply among them, they keep waiting.
    mutating func discardUnsafe(_ unsent: Int) -> (bytes: Int, answers: Int, behind: Int) {
        let answers = parts.reduce(0) { $0 + $1.answers }
        guard answers > 0, let end = parts.last?.end else { return (0, 0, 0) }
        parts = []
        return (end - released, answers, sent + unsent - end)
    }

    /// The reply that was due has come.
    mutating func replyIsComplete() { for index in parts.indices { parts[index].isReplyDue = false } }

    /// Whether an EXEC with changes in one of the batches has its reply later.
    var isReplyDue: Bool { parts.contains(where: \.isReplyDue) }

    /// The batch that the last part waits for; nil if none does.
    var lastBatch: UInt64? { parts.last?.batch }

    /// Where the bytes that wait for a batch begin and end, among the unsent ones.
    var waiting: Range<Int> { free..<(parts.last?.end ?? released) - sent }

    /// Moves this many bytes before the waiting ones; they may be sent.
    mutating func overtake(by count: Int) {
        released += count
        for index in parts.indices { parts[index].end += count }
    }
}

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
    /// Where pushed messages are that are not sent yet, in order; the rest of the output is replies.
    private var messages: [Range<Int>] = []
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

    /// The last `count` of the unsent bytes are pushed messages.
    mutating func markMessages(_ count: Int, _ unsent: Int) {
        let end = sent &+ unsent
        if let last = messages.last, last.upperBound == end - count {
            messages[messages.count - 1] = last.lowerBound..<end
        } else if count > 0 {
            messages.append(end - count..<end)
        }
    }

    /// Everything unsent may leave.
    mutating func release(_ unsent: Int) {
        released = sent + unsent
        parts = []
        if !messages.isEmpty { messages.removeAll(keepingCapacity: true) }
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
        if !messages.isEmpty { messages.removeAll { $0.upperBound <= released } }
    }

    /// Discards the waiting output. Returns the number of bytes to discard.
    mutating func discard(_ unsent: Int) -> Int {
        (parts, messages) = ([], [])
        return sent + unsent - released
    }

    /// Waiting output that is to be discarded.
    struct Unsafe {
        var bytes = 0
        /// How many requests it answers.
        var answers = 0
        /// How many bytes behind it wait for no batch.
        var behind = 0
        /// Where the messages in it are, among the unsent bytes.
        var messages: [Range<Int>] = []
        /// The last batch that it waits for.
        var batch: UInt64 = 0
    }

    /// The batches that output waits for will not reach the disk for now. Returns what to discard. Without any reply in it, it keeps waiting.
    mutating func discardUnsafe(_ unsent: Int) -> Unsafe {
        let answers = parts.reduce(0) { $0 + $1.answers }
        guard answers > 0, let last = parts.last else { return Unsafe() }
        let own = messages.map { $0.clamped(to: released..<last.end) }.filter { !$0.isEmpty }
        (parts, messages) = ([], [])
        return Unsafe(
            bytes: last.end - released, answers: answers, behind: sent + unsent - last.end,
            messages: own.map { $0.lowerBound - sent..<$0.upperBound - sent }, batch: last.batch)
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
        let end = parts.last?.end ?? released
        messages = messages.filter { $0.lowerBound < end }.map { $0.lowerBound + count..<min($0.upperBound, end) + count }
        released += count
        for index in parts.indices { parts[index].end += count }
    }
}

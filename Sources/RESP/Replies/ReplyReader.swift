// Replies, read from the bytes that a server sent. However small the pieces are that a reply comes in, what was read is not read
// again; and nothing is taken from memory for what is only announced.

/// One connection's reader. It remembers how far it came in a reply that is not complete, as an offset from its first byte: so the
/// caller keeps those bytes until the reply is complete.
public struct ReplyReader {
    private let limits: ReplyLimits
    private var scanner = ReplyScanner()
    /// The aggregates that are not complete, the outermost first.
    private var open: [OpenAggregate] = []

    public init(limits: ReplyLimits = ReplyLimits()) {
        self.limits = limits
    }

    /// Reads the reply that `bytes` begin with, and says how long it is; nil if it is not complete.
    public mutating func next(in bytes: UnsafeRawBufferPointer) throws(ReplyError) -> (reply: Reply, length: Int)? {
        while let item = try scanner.next(in: bytes, limits: limits) {
            guard let reply = try take(item) else { continue }
            let length = scanner.position
            scanner = ReplyScanner()
            return (reply, length)
        }
        return nil
    }

    /// The reply that is complete now, if this was the last that it lacked.
    private mutating func take(_ item: ReplyItem) throws(ReplyError) -> Reply? {
        switch item {
        case .value(let reply): return close(with: reply)
        case .aggregate(let type, let count):
            guard open.count < limits.depth else { throw .tooDeep(limit: limits.depth) }
            open.append(OpenAggregate(type: type, missing: count))
            return count == 0 ? closeLast() : nil
        }
    }

    private mutating func close(with reply: Reply) -> Reply? {
        guard !open.isEmpty else { return reply }
        return open[open.count - 1].isComplete(with: reply) ? closeLast() : nil
    }

    /// An attribute is dropped: the reply that it is about follows.
    private mutating func closeLast() -> Reply? {
        guard let reply = open.removeLast().reply else { return nil }
        return close(with: reply)
    }
}

/// An array, or its like, of which some replies are still to come.
private struct OpenAggregate {
    let type: ReplyType
    var missing: Int
    var replies: [Reply] = []

    mutating func isComplete(with reply: Reply) -> Bool {
        replies.append(reply)
        missing -= 1
        return missing == 0
    }

    /// What it is, once complete; nil for an attribute.
    var reply: Reply? {
        switch type {
        case .array: .array(replies)
        case .set: .set(replies)
        case .push: .push(replies)
        case .map: .map(stride(from: 1, to: replies.count, by: 2).map { .init(key: replies[$0 - 1], value: replies[$0]) })
        case .attribute, .simple, .error, .integer, .null, .double, .boolean, .bigNumber, .bulk, .bulkError, .verbatim: nil
        }
    }
}

// A map of a reply, which counts its own fields.

/// Appends a map field by field, and counts them. Until it ends, nothing else may be appended to the reply, except the value of a `key`.
public struct MapWriter<Reply: ReplyWriter>: ~Copyable {
    private let reply: Reply
    private let start: Int
    private var count = 0

    init(_ reply: Reply) {
        self.reply = reply
        start = reply.openMap()
    }

    /// The value is whatever is appended next.
    public mutating func key(_ name: String) {
        reply.append(bulk: name)
        count += 1
    }

    public mutating func field(_ name: String, _ value: String?) {
        key(name)
        reply.append(bulkOrNull: value)
    }

    public mutating func field(_ name: String, _ value: Int?) {
        key(name)
        if let value { reply.append(integer: value) } else { reply.appendNull() }
    }

    public mutating func field(_ name: String, _ value: Bool) {
        key(name)
        reply.append(boolean: value)
    }

    public mutating func field(_ name: String, _ values: some ReplyValue) {
        key(name)
        values.write(to: reply)
    }

    public consuming func end() { reply.closeMap(of: count, at: start) }
}

extension ReplyBuffer: ReplyWriter {
    public func append(json text: String) { append(bulk: text) }

    /// Most maps have as many fields as fit into this header; any other moves by a byte in the end.
    public func openMap() -> Int {
        let start = count
        append(mapOf: 9)
        return start
    }

    public func closeMap(of count: Int, at start: Int) {
        switch protocolVersion {
        case .resp2: queue.replace(header: 18, at: start, with: count * 2)
        case .resp3: queue.replace(header: 9, at: start, with: count)
        }
    }
}

// A map of a reply, which counts its own fields.

/// Appends a map field by field, and writes its header at the end. Until then, nothing else may be appended to the buffer, except the
/// value of a `key`.
public struct MapWriter: ~Copyable {
    private let reply: ReplyBuffer
    /// Where the header is.
    private let start: Int
    private var count = 0

    fileprivate init(_ reply: ReplyBuffer) {
        self.reply = reply
        start = reply.count
        // Most maps have as many fields as fit into this; any other moves by a byte in the end.
        reply.append(mapOf: 9)
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

    public mutating func field(_ name: String, _ values: [String]) {
        key(name)
        reply.append(arrayOf: values.count)
        for value in values { reply.append(bulk: value) }
    }

    public consuming func end() { reply.writeHeader(ofMap: count, at: start) }
}

extension ReplyBuffer {
    public func beginMap() -> MapWriter { MapWriter(self) }

    /// Writes the header of a map in place of the one for nine fields.
    fileprivate func writeHeader(ofMap count: Int, at start: Int) {
        switch protocolVersion {
        case .resp2: queue.replace(header: 18, at: start, with: count * 2)
        case .resp3: queue.replace(header: 9, at: start, with: count)
        }
    }
}

// Encodes requests, as arrays of bulks.

extension ByteQueue {
    public mutating func append(request words: [String]) {
        append(header: .star, words.count)
        for word in words { append(bulk: word) }
    }

    public mutating func append(request words: [[UInt8]]) {
        append(header: .star, words.count)
        for word in words { word.withUnsafeBytes { append(bulk: $0) } }
    }
}

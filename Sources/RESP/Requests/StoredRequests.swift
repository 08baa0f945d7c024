// Requests that are carried out later, or that come from within the process: their words, one behind the other.

import Memory

/// Copies of words. No frames are in between, so nothing is parsed again.
public struct StoredRequests: ~Copyable {
    private var bytes = ByteQueue(keeping: 0)
    /// Where each word ends.
    private var ends: [Int] = []
    /// How many words each request has.
    private var counts: [Int] = []

    public init() {}

    /// The number of requests.
    public var count: Int { counts.count }

    /// The bytes of all words, and of their places.
    public var byteCount: Int { bytes.count + ends.count * MemoryLayout<Int>.stride }

    /// How much memory they hold, in bytes.
    public var footprint: Int { bytes.footprint + (ends.capacity + counts.capacity) * MemoryLayout<Int>.stride }

    public mutating func append(_ words: Words) {
        for index in 0..<words.count { append(words[index].bytes) }
        endRequest(of: words.count)
    }

    public mutating func append(_ words: [String]) {
        for word in words { word.utf8Span.span.withUnsafeBytes { append($0) } }
        endRequest(of: words.count)
    }

    /// Adds a byte between two requests, so that a request of empty words has an address, too.
    private mutating func endRequest(of count: Int) {
        bytes.append(0)
        counts.append(count)
    }

    private mutating func append(_ word: UnsafeRawBufferPointer) {
        bytes.append(word)
        ends.append(bytes.count)
    }

    public mutating func removeAll() {
        bytes.removeAll()
        (ends, counts) = ([], [])
    }

    /// Lends each request, in order.
    public func forEach(_ body: (Request) -> Void) {
        let arguments = RequestArguments()
        var (word, start) = (0, 0)
        for count in counts {
            arguments.removeAll()
            for end in ends[word..<word + count] {
                arguments.append(offset: start, length: end - start)
                start = end
            }
            arguments.publish(in: bytes.bytes)
            word += count
            start += 1
            body(Request(words: Words(arguments)))
        }
    }
}

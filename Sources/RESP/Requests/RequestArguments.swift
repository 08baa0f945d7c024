// The words of a request, as ranges of the input.

import Memory

/// Refilled by the parser for every request, so that a request allocates nothing.
public final class RequestArguments {
    @usableFromInline
    struct WordRange {
        @usableFromInline let offset: Int
        @usableFromInline let length: Int
    }

    private static let smallest = 8
    /// Capacity beyond this is released before the next request.
    private static let kept = 1024

    @usableFromInline
    struct Content: ~Copyable {
        /// How many words can be read.
        @usableFromInline var published = 0
        @usableFromInline var ranges: UnsafeMutablePointer<WordRange>?
        /// The base of the ranges.
        @usableFromInline var origin: UnsafeRawPointer?
        var capacity = 0
        var filled = 0
        /// The unescaped words of a line with quotes; the ranges then point into it.
        var unescaped = ByteQueue(keeping: 1024)
    }

    /// Exclusivity is unchecked: no access outlasts a call, and the checks would cost as much as the parsing.
    @exclusivity(unchecked) @usableFromInline var content = Content()

    /// The number of arguments: 0 while the request is incomplete.
    @inlinable public var count: Int { content.published }

    public init() {}

    deinit {
        content.ranges?.deallocate()
    }

    /// How many bytes there are up to the end of the last argument, with what lies between.
    @inlinable public var extent: Int {
        guard content.published > 0 else { return 0 }
        let last = content.ranges.unsafelyUnwrapped[content.published &- 1]
        return last.offset &+ last.length
    }

    /// How much memory it holds, in bytes.
    public var footprint: Int { content.capacity * MemoryLayout<WordRange>.stride + content.unescaped.footprint }

    // MARK: Filling

    func removeAll() {
        (content.published, content.filled) = (0, 0)
        if content.capacity > Self.kept { deallocate() }
        if !content.unescaped.isEmpty { content.unescaped.removeAll() }
    }

    /// It has no arguments, and no room for any.
    func releaseMemory() {
        removeAll()
        deallocate()
        content.unescaped.releaseMemory()
    }

    func append(offset: Int, length: Int) {
        if content.filled == content.capacity { grow() }
        content.ranges.unsafelyUnwrapped.advanced(by: content.filled).initialize(to: WordRange(offset: offset, length: length))
        content.filled &+= 1
    }

    func append(wordsOf line: QuotedLine) throws(RequestError) {
        var line = line
        while let word = try line.copyWord(into: &content.unescaped) {
            append(offset: word.lowerBound, length: word.count)
        }
    }

    /// The request is complete, and these are the bytes that it came in.
    func publish(in bytes: UnsafeRawBufferPointer) {
        content.origin = content.unescaped.isEmpty ? bytes.baseAddress : content.unescaped.bytes.baseAddress
        content.published = content.filled
    }

    /// Whether the headers of the words are the same at both places. Of words that did not come in an array of bulks, none are.
    func hasSameHeaders(at start: UnsafeRawPointer, as origin: UnsafeRawPointer) -> Bool {
        guard content.published > 0, content.unescaped.isEmpty, origin.load(as: UInt8.self) == .star,
            let ranges = content.ranges
        else { return false }
        var end = 0
        for index in 0..<content.published {
            let word = ranges[index]
            guard start.hasSameHeader(as: origin, from: end, to: word.offset) else { return false }
            end = word.offset &+ word.length
        }
        return true
    }

    private func grow() {
        let larger = content.capacity == 0 ? Self.smallest : content.capacity * 2
        let new = UnsafeMutablePointer<WordRange>.allocate(capacity: larger)
        if let ranges = content.ranges {
            new.moveInitialize(from: ranges, count: content.filled)
            ranges.deallocate()
        }
        (content.ranges, content.capacity) = (new, larger)
    }

    private func deallocate() {
        content.ranges?.deallocate()
        (content.ranges, content.capacity) = (nil, 0)
    }
}

extension RequestArguments: RandomAccessCollection {
    @inlinable public var startIndex: Int { 0 }

    @inlinable public var endIndex: Int { count }

    @inlinable
    public subscript(index: Int) -> Argument { Argument(bytes(index, from: content.origin)) }

    @inline(__always)
    @inlinable func bytes(_ index: Int, from origin: UnsafeRawPointer?) -> UnsafeRawBufferPointer {
        precondition(index >= 0 && index < count, "there is no argument \(index); the request has \(count)")
        let range = content.ranges.unsafelyUnwrapped[index]
        return UnsafeRawBufferPointer(start: origin.unsafelyUnwrapped + range.offset, count: range.length)
    }
}

extension UnsafeRawPointer {
    /// Whether the bytes before a word are the same, back to the end of the word before it. A header of more than eight bytes never is: the
    /// parser reads it.
    fileprivate func hasSameHeader(as other: UnsafeRawPointer, from start: Int, to end: Int) -> Bool {
        guard end >= 8, end &- start <= 8, end > start else { return false }
        let difference =
            loadUnaligned(fromByteOffset: end &- 8, as: UInt64.self)
            ^ other.loadUnaligned(fromByteOffset: end &- 8, as: UInt64.self)
        return difference.littleEndian &>> UInt64(truncatingIfNeeded: 8 &* (8 &- (end &- start))) == 0
    }
}

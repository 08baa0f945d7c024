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

    // Exclusivity is unchecked: no access outlasts a call, and the checks would cost as much as the parsing.

    /// The number of arguments: 0 while the request is incomplete.
    @inlinable public var count: Int { published }
    @exclusivity(unchecked) @usableFromInline private(set) var published = 0
    @exclusivity(unchecked) @usableFromInline private(set) var ranges: UnsafeMutablePointer<WordRange>?
    /// The base of the ranges.
    @exclusivity(unchecked) @usableFromInline private(set) var origin: UnsafeRawPointer?
    @exclusivity(unchecked) private var capacity = 0
    @exclusivity(unchecked) private var filled = 0
    /// The unescaped words of a line with quotes; the ranges then point into it.
    @exclusivity(unchecked) private var unescaped = ByteQueue(keeping: 1024)

    public init() {}

    deinit {
        ranges?.deallocate()
    }

    /// How many bytes there are up to the end of the last argument, with what lies between.
    @inlinable public var extent: Int {
        guard published > 0 else { return 0 }
        let last = ranges.unsafelyUnwrapped[published &- 1]
        return last.offset &+ last.length
    }

    /// How much memory it holds, in bytes.
    public var footprint: Int { capacity * MemoryLayout<WordRange>.stride + unescaped.footprint }

    // MARK: Filling

    @inline(__always)
    func removeAll() {
        (published, filled) = (0, 0)
        if capacity > Self.kept { deallocate() }
        if !unescaped.isEmpty { unescaped.removeAll() }
    }

    /// It has no arguments, and no room for any.
    func releaseMemory() {
        removeAll()
        deallocate()
        unescaped.releaseMemory()
    }

    @inline(__always)
    func append(offset: Int, length: Int) {
        if filled == capacity { grow() }
        ranges.unsafelyUnwrapped.advanced(by: filled).initialize(to: WordRange(offset: offset, length: length))
        filled &+= 1
    }

    func append(wordsOf line: QuotedLine) throws(RequestError) {
        var line = line
        while let word = try line.copyWord(into: &unescaped) {
            append(offset: word.lowerBound, length: word.count)
        }
    }

    /// The request is complete, and these are the bytes that it came in.
    @inline(__always)
    func publish(in bytes: UnsafeRawBufferPointer) {
        origin = unescaped.isEmpty ? bytes.baseAddress : unescaped.bytes.baseAddress
        published = filled
    }

    /// Whether the headers of the words are the same at both places. Of words that did not come in an array of bulks, none are.
    @inline(__always)
    func hasSameHeaders(at start: UnsafeRawPointer, as origin: UnsafeRawPointer) -> Bool {
        guard published > 0, unescaped.isEmpty, origin.load(as: UInt8.self) == .star, let ranges else { return false }
        var end = 0
        for index in 0..<published {
            let word = ranges[index]
            guard start.hasSameHeader(as: origin, from: end, to: word.offset) else { return false }
            end = word.offset &+ word.length
        }
        return true
    }

    @inline(never)
    private func grow() {
        let larger = capacity == 0 ? Self.smallest : capacity * 2
        let new = UnsafeMutablePointer<WordRange>.allocate(capacity: larger)
        if let ranges {
            new.moveInitialize(from: ranges, count: filled)
            ranges.deallocate()
        }
        (ranges, capacity) = (new, larger)
    }

    @inline(never)
    private func deallocate() {
        ranges?.deallocate()
        (ranges, capacity) = (nil, 0)
    }
}

extension RequestArguments: RandomAccessCollection {
    @inlinable public var startIndex: Int { 0 }

    @inlinable public var endIndex: Int { count }

    @inlinable
    public subscript(index: Int) -> Argument { Argument(bytes(index, from: origin)) }

    @inlinable @inline(__always)
    func bytes(_ index: Int, from origin: UnsafeRawPointer?) -> UnsafeRawBufferPointer {
        precondition(index >= 0 && index < count, "there is no argument \(index); the request has \(count)")
        let range = ranges.unsafelyUnwrapped[index]
        return UnsafeRawBufferPointer(start: origin.unsafelyUnwrapped + range.offset, count: range.length)
    }
}

extension UnsafeRawPointer {
    /// Whether the bytes before a word are the same, back to the end of the word before it. A header of more than eight bytes never is: the
    /// parser reads it.
    @inline(__always)
    fileprivate func hasSameHeader(as other: UnsafeRawPointer, from start: Int, to end: Int) -> Bool {
        guard end >= 8, end &- start <= 8, end > start else { return false }
        let difference =
            loadUnaligned(fromByteOffset: end &- 8, as: UInt64.self)
            ^ other.loadUnaligned(fromByteOffset: end &- 8, as: UInt64.self)
        return difference.littleEndian &>> UInt64(truncatingIfNeeded: 8 &* (8 &- (end &- start))) == 0
    }
}

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

// MARK: - The fast path for nearly every request

extension RequestArguments {
    private static let maxWords = 9
    private static let maxWordLength = 99

    /// Parses such a request and returns its length; nil if it is another kind, and then the arguments are undefined.
    @inline(__always)
    func appendShort(_ bytes: UnsafeRawBufferPointer, _ limits: RequestLimits) -> Int? {
        guard limits.arguments >= Self.maxWords, limits.bulk >= Self.maxWordLength else { return nil }
        guard var (left, offset) = bytes.shortHeader(.star, at: 0), left <= Self.maxWords else { return nil }
        while left > 0 {
            guard let (length, word) = bytes.shortHeader(.dollar, at: offset) else { return nil }
            append(offset: word, length: length)
            (left, offset) = (left &- 1, word &+ length &+ 2)
        }
        // The last word may be incomplete.
        return offset <= bytes.count ? offset : nil
    }
}

extension UnsafeRawBufferPointer {
    /// `$4` or `$16` with its line end: the number, and where the line ends. As in Redis, the byte behind the carriage return is not
    /// looked at.
    func shortHeader(_ marker: UInt8, at offset: Int) -> (number: Int, end: Int)? {
        guard count &- offset >= 5 else { return nil }
        let line = UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        let first = line >> 8 & 0xFF &- UInt32(UInt8.digitZero)
        guard UInt8(truncatingIfNeeded: line) == marker, first <= 9 else { return nil }
        let second = line >> 16 & 0xFF
        if second == UInt32(UInt8.carriageReturn) { return (Int(first), offset &+ 4) }
        let digit = second &- UInt32(UInt8.digitZero)
        guard digit <= 9, first != 0, line >> 24 == UInt32(UInt8.carriageReturn) else { return nil }
        return (Int(first &* 10 &+ digit), offset &+ 5)
    }
}

// MARK: - One word of a request

/// A view of the parser's bytes, valid until the parser is called again.
public typealias Argument = ByteView

extension Argument {
    /// Whether this is the word, case-insensitive. Nearly always it is short and written alike.
    @inlinable
    @inline(__always)
    public func isWord(_ word: StaticString) -> Bool {
        guard word.hasPointerRepresentation, word.utf8CodeUnitCount == bytes.count else { return false }
        if (4...8).contains(bytes.count), let start = bytes.baseAddress,
            start.isShortWord(UnsafeRawPointer(word.utf8Start), count: bytes.count)
        {
            return true
        }
        return isAnyWord(word)
    }

    /// The same for a word of this length.
    @usableFromInline
    func isAnyWord(_ word: StaticString) -> Bool {
        guard let start = bytes.baseAddress else { return true }
        var offset = 0
        while offset < bytes.count {
            let (mine, its) = (start.load(fromByteOffset: offset, as: UInt8.self), word.utf8Start[offset])
            if mine != its, mine.capital != its.capital { return false }
            offset &+= 1
        }
        return true
    }

    /// As much of it as an error could quote.
    public var beginning: Argument { Argument(UnsafeRawBufferPointer(rebasing: bytes.prefix(512))) }

    /// Parsed as a number in canonical form: no plus, no blanks, no leading zeros.
    public var integer: Int? { Decimal.parse(bytes) }

    /// As text; nil if it is not UTF-8.
    public var text: String? { String(validating: bytes, as: UTF8.self) }

    /// As text, with `�` for invalid UTF-8.
    public var repairedText: String { String(decoding: bytes, as: UTF8.self) }
}

extension UnsafeRawPointer {
    /// Whether four to eight bytes are the same: the first four and the last four, which may overlap.
    @inlinable func isShortWord(_ other: UnsafeRawPointer, count: Int) -> Bool {
        let end = count &- 4
        return loadUnaligned(as: UInt32.self) == other.loadUnaligned(as: UInt32.self)
            && loadUnaligned(fromByteOffset: end, as: UInt32.self) == other.loadUnaligned(fromByteOffset: end, as: UInt32.self)
    }
}

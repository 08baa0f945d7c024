// A batch of pipelined requests, parsed before the first is carried out, so that their memory can be prefetched together.

import Memory

/// Shared by all connections.
public final class RequestBatch {
    package static var size: Int { 32 }
    /// No hint.
    public static let noHint = UInt32.max

    // Exclusivity is unchecked: no access outlasts a call.

    /// The words of each, in order of arrival.
    @usableFromInline let words: UnsafeMutablePointer<Words>
    /// Positions of words, for one or several requests of the same shape; the others are spare.
    private let requests: UnsafeMutablePointer<RequestArguments>
    /// The second word of each, while `withNames` runs.
    private let names: UnsafeMutablePointer<Argument>
    /// A hint for each, such as the slot of the session that it names; none until `withNames` has run.
    @usableFromInline let hints: UnsafeMutablePointer<UInt32>
    /// Where each ends in the input.
    @usableFromInline let ends: UnsafeMutablePointer<Int>

    /// How many there are, and the error in what follows them.
    @usableFromInline
    struct Extent {
        @usableFromInline var filled = 0
        @usableFromInline var fault: RequestError?
    }
    @exclusivity(unchecked) @usableFromInline private(set) var extent = Extent()

    package init() {
        requests = .allocate(capacity: Self.size)
        for number in 0..<Self.size { (requests + number).initialize(to: RequestArguments()) }
        words = .allocate(capacity: Self.size)
        words.initialize(repeating: Words(requests[0]), count: Self.size)
        names = .allocate(capacity: Self.size)
        hints = .allocate(capacity: Self.size)
        hints.initialize(repeating: Self.noHint, count: Self.size)
        ends = .allocate(capacity: Self.size)
        ends.initialize(repeating: 0, count: Self.size)
    }

    deinit {
        requests.deinitialize(count: Self.size)
        requests.deallocate()
        words.deallocate()
        names.deallocate()
        hints.deallocate()
        ends.deallocate()
    }

    // Computed, since another module would check each access to a stored property for exclusivity.

    @inlinable public var count: Int { extent.filled }
    /// The error in what follows them, if any.
    @inlinable public var error: RequestError? { extent.fault }

    @inlinable public subscript(index: Int) -> Request { Request(words: words(index), hint: hints[index]) }

    /// The length in bytes of these requests, which are the first of their input.
    @inlinable public func length(of requests: Range<Int>) -> Int { requests.isEmpty ? 0 : ends[requests.upperBound - 1] }

    @inlinable public func words(_ index: Int) -> Words { words[index] }

    /// Lends the second word of each, which in nearly every command is a name, or nothing; and the hints. A single request, which has no
    /// other cache misses to overlap with, is left without a hint.
    package func withNames(_ body: (Span<Argument>, inout MutableSpan<UInt32>) -> Void) {
        guard extent.filled > 1 else { return }
        for number in 0..<extent.filled {
            let words = words[number]
            (names + number).initialize(to: words.count > 1 ? words[1] : Argument(UnsafeRawBufferPointer(start: nil, count: 0)))
        }
        var hints = MutableSpan(_unsafeStart: hints, count: extent.filled)
        body(Span(_unsafeStart: names, count: extent.filled), &hints)
    }

    /// Parses as many requests as are complete and `limit` allows.
    package func fill(_ parser: inout RequestParser, from bytes: UnsafeRawBufferPointer, atMost limit: Int) {
        removeAll()
        append(&parser, from: bytes, atMost: limit)
    }

    package func removeAll() { extent = Extent() }

    /// Adds the requests of another input. Returns false, and adds none, if it ends within a request, is invalid, or has more than `limit`.
    package func appendAll(_ parser: inout RequestParser, of bytes: UnsafeRawBufferPointer, atMost limit: Int) -> Bool {
        let before = extent.filled
        append(&parser, from: bytes, atMost: limit)
        if extent.filled > before, ends[extent.filled &- 1] == bytes.count { return true }
        extent = Extent(filled: before)
        parser.beginAgain()
        return false
    }

    /// Where each ends counts from the start of `bytes`.
    @inline(__always)
    private func append(_ parser: inout RequestParser, from bytes: UnsafeRawBufferPointer, atMost limit: Int) {
        var (number, length) = (extent.filled, 0)
        let end = min(number &+ limit, Self.size)
        do throws(RequestError) {
            while number < end, length < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[length...])
                if number > 0, let next = words[number &- 1].repeated(in: rest) {
                    words[number] = next.words
                    length &+= next.length
                } else if let next = try parser.next(in: rest) {
                    parser.exchange(with: &requests[number])
                    words[number] = Words(requests[number])
                    length &+= next
                } else {
                    break
                }
                ends[number] = length
                hints[number] = Self.noHint
                number &+= 1
            }
        } catch {
            extent.fault = error
        }
        extent.filled = number
    }
}

/// A complete request.
public struct Request {
    public let words: Words
    public let hint: UInt32

    @inlinable
    public init(words: Words, hint: UInt32 = RequestBatch.noHint) {
        self.words = words
        self.hint = hint
    }
}

// MARK: - The words of one request, as commands read them

/// The words of a request, unretained: the caller keeps them alive until the request is carried out. At millions of requests a second,
/// reference counting would cost more than parsing.
public struct Words {
    /// Where the words are, from `origin` on. Requests of one shape share it.
    @usableFromInline let arguments: Borrowed<RequestArguments>
    /// Nil if there are none.
    @usableFromInline let origin: UnsafeRawPointer?

    @inlinable public init(_ arguments: RequestArguments) {
        (self.arguments, origin) = (Borrowed(arguments), arguments.content.origin)
    }

    private init(_ arguments: Borrowed<RequestArguments>, from origin: UnsafeRawPointer) {
        (self.arguments, self.origin) = (arguments, origin)
    }

    @inlinable public var count: Int { arguments.with { $0.count } }

    @inline(__always)
    @inlinable public subscript(index: Int) -> Argument {
        Argument(arguments.with { $0.bytes(index, from: origin) })
    }

    /// How many bytes there are from the first word's first to the last one's last, or more.
    @inlinable public var extent: Int { arguments.with { $0.extent } }

    /// Whether the request is a line of HTTP. Its sender is a browser then, and the page could smuggle commands after it.
    @inlinable public var lookLikeHTTP: Bool {
        // The first letter rules out nearly every request.
        guard count > 0, let letter = self[0].bytes.first,
            letter & 0xDF == UInt8(ascii: "P") || letter & 0xDF == UInt8(ascii: "H")
        else { return false }
        return beginsLikeHTTP
    }

    @usableFromInline
    var beginsLikeHTTP: Bool { self[0].isWord("POST") || self[0].isWord("HOST:") }

    /// The words of a request at the start of `bytes`, and its length, if it has the shape of this one: as many words of the same lengths.
    /// Nil otherwise, and if it is incomplete. Clients that pipeline mostly repeat a shape, and comparing the headers takes a third of
    /// parsing them.
    func repeated(in bytes: UnsafeRawBufferPointer) -> (words: Words, length: Int)? {
        guard let origin, let start = bytes.baseAddress else { return nil }
        return arguments.with { arguments in
            let length = arguments.extent &+ 2
            guard length <= bytes.count, arguments.hasSameHeaders(at: start, as: origin) else { return nil }
            return (Words(self.arguments, from: start), length)
        }
    }
}

// MARK: - Requests that are carried out later, or that come from within the process: their words, one behind the other.

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

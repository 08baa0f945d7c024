// A batch of pipelined requests, parsed before the first is carried out, so that their memory can be prefetched together.

import Memory

/// Shared by all connections.
public final class RequestBatch {
    package static let size = 32
    /// No hint.
    public static let noHint = UInt32.max

    // Exclusivity is unchecked: no access outlasts a call.

    /// The words of each, in order of arrival.
    @usableFromInline let words: UnsafeMutablePointer<Words>
    /// Positions of words, for one or several requests of the same shape; the others are spare.
    private let requests: UnsafeMutablePointer<RequestArguments>
    /// The second word of each, while `withNames` runs.
    private let names: UnsafeMutablePointer<Argument>
    /// A hint for each, such as the slot of the session that it names.
    @usableFromInline let hints: UnsafeMutablePointer<UInt32>
    @exclusivity(unchecked) @usableFromInline private(set) var filled = 0
    /// Where each ends in the input.
    @usableFromInline let ends: UnsafeMutablePointer<Int>
    @exclusivity(unchecked) @usableFromInline private(set) var fault: RequestError?

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

    @inlinable public var count: Int { filled }
    /// The error in what follows them, if any.
    @inlinable public var error: RequestError? { fault }

    @inlinable public subscript(index: Int) -> Request { Request(words: words(index), hint: hints[index]) }

    /// The length in bytes of the first requests.
    @inlinable public func length(of count: Int) -> Int { count == 0 ? 0 : ends[count - 1] }

    @inlinable public func words(_ index: Int) -> Words { words[index] }

    @inlinable public func setHint(_ hint: UInt32, at index: Int) { hints[index] = hint }
    @inlinable public func hint(at index: Int) -> UInt32 { hints[index] }

    /// Lends the second word of each, which in nearly every command is a name, or nothing; and the hints. A single request, which has no
    /// other cache misses to overlap with, is left without a hint.
    package func withNames(_ body: (Span<Argument>, inout MutableSpan<UInt32>) -> Void) {
        guard filled > 1 else { return setHint(Self.noHint, at: 0) }
        for number in 0..<filled {
            let words = words[number]
            (names + number).initialize(to: words.count > 1 ? words[1] : Argument(UnsafeRawBufferPointer(start: nil, count: 0)))
        }
        var hints = MutableSpan(_unsafeStart: hints, count: filled)
        body(Span(_unsafeStart: names, count: filled), &hints)
    }

    /// Parses as many requests as are complete and `limit` allows.
    package func fill(_ parser: inout RequestParser, from bytes: UnsafeRawBufferPointer, atMost limit: Int) {
        var (number, length) = (0, 0)
        fault = nil
        do throws(RequestError) {
            while number < min(limit, Self.size), length < bytes.count {
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
                number &+= 1
            }
        } catch {
            fault = error
        }
        filled = number
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

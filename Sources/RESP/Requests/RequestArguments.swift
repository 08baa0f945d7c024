// The words of a request, as places in the bytes that it came in.

/// A parser fills it, and anew with every request: so a request costs no memory of its own.
public final class RequestArguments {
    @usableFromInline
    struct Place {
        @usableFromInline let offset: Int
        @usableFromInline let length: Int
    }

    private static let smallest = 8
    /// More places than this are given back before the next request.
    private static let kept = 1024

    // No access to these outlasts a call, so none can overlap another; to check that at each would cost as much as the parsing.

    /// How many arguments the request has: none while it is not complete.
    @inlinable public var count: Int { published }
    @exclusivity(unchecked) @usableFromInline private(set) var published = 0
    @exclusivity(unchecked) @usableFromInline private(set) var places: UnsafeMutablePointer<Place>?
    /// What the places count from.
    @exclusivity(unchecked) @usableFromInline private(set) var origin: UnsafeRawPointer?
    @exclusivity(unchecked) private var capacity = 0
    @exclusivity(unchecked) private var filled = 0
    /// The words of a line that has quotes in it, which then are what the places lie in.
    @exclusivity(unchecked) private var unescaped = ByteQueue(keeping: 1024)

    public init() {}

    deinit {
        places?.deallocate()
    }

    /// How many bytes there are up to the end of the last argument, with what lies between.
    @inlinable public var extent: Int {
        guard published > 0 else { return 0 }
        let last = places.unsafelyUnwrapped[published &- 1]
        return last.offset &+ last.length
    }

    /// How much memory it holds, in bytes.
    public var footprint: Int { capacity * MemoryLayout<Place>.stride + unescaped.footprint }

    // MARK: Filling

    @inline(__always)
    func removeAll() {
        (published, filled) = (0, 0)
        if capacity > Self.kept { giveBack() }
        if !unescaped.isEmpty { unescaped.removeAll() }
    }

    /// It has no arguments, and no room for any.
    func releaseMemory() {
        removeAll()
        giveBack()
        unescaped.releaseMemory()
    }

    @inline(__always)
    func append(offset: Int, length: Int) {
        if filled == capacity { grow() }
        places.unsafelyUnwrapped.advanced(by: filled).initialize(to: Place(offset: offset, length: length))
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

    @inline(never)
    private func grow() {
        let larger = capacity == 0 ? Self.smallest : capacity * 2
        let new = UnsafeMutablePointer<Place>.allocate(capacity: larger)
        if let places {
            new.moveInitialize(from: places, count: filled)
            places.deallocate()
        }
        (places, capacity) = (new, larger)
    }

    @inline(never)
    private func giveBack() {
        places?.deallocate()
        (places, capacity) = (nil, 0)
    }
}

extension RequestArguments: RandomAccessCollection {
    @inlinable public var startIndex: Int { 0 }

    @inlinable public var endIndex: Int { count }

    @inlinable
    public subscript(index: Int) -> Argument {
        precondition(index >= 0 && index < count, "there is no argument \(index); the request has \(count)")
        let place = places.unsafelyUnwrapped[index]
        return Argument(UnsafeRawBufferPointer(start: origin.unsafelyUnwrapped + place.offset, count: place.length))
    }

    /// Whether this is how a browser begins, or is made to begin by a page: a line of HTTP that could carry commands behind it.
    public var looksLikeHTTP: Bool {
        // A look at the first letter spares nearly every request the rest.
        guard let first, let letter = first.bytes.first?.capital, letter == UInt8(ascii: "P") || letter == UInt8(ascii: "H")
        else {
            return false
        }
        return first.isWord("POST") || first.isWord("HOST:")
    }
}

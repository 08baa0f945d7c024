// Elements of arrays that are still open.

/// Most arrays are made once complete, with exactly the room that they need. The elements of a long array are moved in parts, since
/// touching fresh memory costs more than the moves.
struct JSONStack<Element>: ~Copyable {
    private static var many: Int { 512 }
    /// Above this, a bulk move is faster than single ones.
    private static var few: Int { 16 }

    private(set) var count = 0
    private var capacity = 0
    private var elements: UnsafeMutablePointer<Element>?

    deinit {
        elements?.deinitialize(count: count)
        elements?.deallocate()
    }

    mutating func push(_ element: consuming Element) {
        if count == capacity { grow() }
        elements.unsafelyUnwrapped.advanced(by: count).initialize(to: element)
        count &+= 1
    }

    /// Whether enough elements have come since `mark` to move them to their array.
    func isFull(above mark: Int) -> Bool { count &- mark >= Self.many }

    /// Moves them there. Going by the input so far, `times` as many are still expected.
    mutating func spill(to mark: Int, into array: inout [Element], _ times: Int = 0) {
        guard let first = elements?.advanced(by: mark) else { return }
        if array.isEmpty { array.reserveCapacity((count - mark) * (times + 1)) }
        for offset in 0..<count - mark { array.append((first + offset).move()) }
        count = mark
    }

    /// The elements since `mark`, after those already moved.
    mutating func pop(to mark: Int, behind earlier: consuming [Element]) -> [Element] {
        let length = count &- mark
        guard length > 0, let first = elements?.advanced(by: mark), earlier.isEmpty else {
            spill(to: mark, into: &earlier)
            return earlier
        }
        count = mark
        // The standard library makes an array from a literal in half the time, and a filled one in twice the time.
        if length == 1 { return [first.move()] }
        return length <= Self.few ? Self.moved(few: length, first) : Self.moved(many: length, first)
    }

    private static func moved(few length: Int, _ first: UnsafeMutablePointer<Element>) -> [Element] {
        var taken: [Element] = []
        taken.reserveCapacity(length)
        for offset in 0..<length { taken.append((first + offset).move()) }
        return taken
    }

    private static func moved(many length: Int, _ first: UnsafeMutablePointer<Element>) -> [Element] {
        Array(unsafeUninitializedCapacity: length) { buffer, initialized in
            buffer.baseAddress.unsafelyUnwrapped.moveInitialize(from: first, count: length)
            initialized = length
        }
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: max(16, capacity * 2))
        if let elements {
            larger.moveInitialize(from: elements, count: count)
            elements.deallocate()
        }
        (elements, capacity) = (larger, max(16, capacity * 2))
    }
}

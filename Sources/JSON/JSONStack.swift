// Elements of arrays that are not complete.

/// Most arrays are made when they are complete, with as much room as they need. Of a long one the elements go there in parts:
/// memory that was never touched costs more than what is done with it.
struct JSONStack<Element>: ~Copyable {
    private static var many: Int { 512 }
    /// Above this, to move elements at once is faster than to move them one by one.
    private static var few: Int { 16 }

    private(set) var count = 0
    private var capacity = 0
    private var elements: UnsafeMutablePointer<Element>?

    deinit {
        elements?.deinitialize(count: count)
        elements?.deallocate()
    }

    @inline(__always)
    mutating func push(_ element: consuming Element) {
        if count == capacity { grow() }
        elements.unsafelyUnwrapped.advanced(by: count).initialize(to: element)
        count &+= 1
    }

    /// Whether enough have come, since there were `mark` of them, to be moved to their array.
    @inline(__always)
    func isFull(above mark: Int) -> Bool { count &- mark >= Self.many }

    /// Moves them there. As they came, `times` as many are still to be expected.
    @inline(never)
    mutating func spill(to mark: Int, into array: inout [Element], _ times: Int = 0) {
        guard let first = elements?.advanced(by: mark) else { return }
        if array.isEmpty { array.reserveCapacity((count - mark) * (times + 1)) }
        for offset in 0..<count - mark { array.append((first + offset).move()) }
        count = mark
    }

    /// The elements that have come since there were `mark` of them, behind those that have been moved.
    @inline(__always)
    mutating func pop(to mark: Int, behind earlier: consuming [Element]) -> [Element] {
        let length = count &- mark
        guard length > 0, let first = elements?.advanced(by: mark), earlier.isEmpty else {
            spill(to: mark, into: &earlier)
            return earlier
        }
        count = mark
        // The library makes a literal's array in half the time, and a filled one in twice.
        if length == 1 { return [first.move()] }
        return length <= Self.few ? Self.take(few: length, first) : Self.take(many: length, first)
    }

    @inline(__always)
    private static func take(few length: Int, _ first: UnsafeMutablePointer<Element>) -> [Element] {
        var taken: [Element] = []
        taken.reserveCapacity(length)
        for offset in 0..<length { taken.append((first + offset).move()) }
        return taken
    }

    private static func take(many length: Int, _ first: UnsafeMutablePointer<Element>) -> [Element] {
        Array(unsafeUninitializedCapacity: length) { buffer, initialized in
            buffer.baseAddress.unsafelyUnwrapped.moveInitialize(from: first, count: length)
            initialized = length
        }
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: max(16, capacity * 2))
        if let elements {
            larger.moveInitialize(from: elements, count: count)
            elements.deallocate()
        }
        (elements, capacity) = (larger, max(16, capacity * 2))
    }
}

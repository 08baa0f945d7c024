// Elements by number in one piece of memory, for counts that change with every event.

/// An array without the check for other owners: the check is a call, and takes longer than the work with an element. An element is used where it
/// lies; that it exists is the owner's promise, checked in debug builds.
public struct PlainTable<Element: BitwiseCopyable>: ~Copyable {
    private let blank: Element
    @usableFromInline private(set) var elements: UnsafeMutablePointer<Element>
    /// Elements that are there.
    @usableFromInline private(set) var size: UInt32 = 0
    private var capacity = 1

    /// None yet; new elements are `blank`.
    public init(blank: Element) {
        self.blank = blank
        elements = .allocate(capacity: 1)
    }

    deinit {
        elements.deallocate()
    }

    @inlinable public var count: Int { Int(size) }

    /// Whether the element is there.
    @inlinable public func has(_ number: UInt32) -> Bool { number < size }

    /// The element with this number.
    @inlinable
    public subscript(number: UInt32) -> Element {
        unsafeAddress { UnsafePointer(address(of: number)) }
        nonmutating unsafeMutableAddress { address(of: number) }
    }

    @inlinable func address(of number: UInt32) -> UnsafeMutablePointer<Element> {
        assert(number < size, "element \(number) is beyond the last")
        return elements + Int(number)
    }

    /// The element is there from here on, and all before it.
    public mutating func makeRoom(for number: UInt32) {
        guard number >= size else { return }
        if Int(number) >= capacity { grow(to: max(Int(number) + 1, capacity + capacity / 2)) }
        (elements + Int(size)).initialize(repeating: blank, count: Int(number + 1 - size))
        size = number + 1
    }

    private mutating func grow(to larger: Int) {
        let moved = UnsafeMutablePointer<Element>.allocate(capacity: larger)
        moved.moveInitialize(from: elements, count: Int(size))
        elements.deallocate()
        (elements, capacity) = (moved, larger)
    }
}

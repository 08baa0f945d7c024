// A queue, first in, first out, is a slice: its first element is removed without moving those behind it.

extension ArraySlice {
    /// Removes the first element and returns it, or nil if there is none. Emptied, the slice releases its memory, with the removed elements in it; one
    /// that never becomes empty releases them when it grows. Inlinable, since a generic function is specialized only then.
    @inlinable
    public mutating func dequeue() -> Element? {
        let element = popFirst()
        if isEmpty { self = [] }
        return element
    }
}

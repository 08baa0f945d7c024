// Untrusted input must not grow memory without bound: everything that this module remembers is in one of these tables.

/// A dictionary of about 1,000 entries at most, which are searched one by one. When it is full, a new key replaces the oldest one.
struct BoundedTable<Key: Equatable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    /// The oldest first.
    private(set) var contents: [(key: Key, value: Value)] = []

    init(capacity: Int) {
        precondition(capacity > 0, "a table needs a capacity of at least 1")
        self.capacity = capacity
    }

    subscript(key: Key) -> Value? { contents.first { $0.key == key }?.value }

    /// Returns the value that had to go: the former one of the key, or that of the oldest key of a full table.
    @discardableResult
    mutating func insert(_ key: Key, _ value: Value) -> Value? {
        let former = remove(key) ?? (contents.count == capacity ? contents.removeFirst().value : nil)
        contents.append((key, value))
        return former
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        contents.firstIndex { $0.key == key }.map { contents.remove(at: $0).value }
    }
}

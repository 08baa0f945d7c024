// Untrusted input must not grow memory without bound: everything that this module remembers is in one of these tables.

/// A dictionary with a fixed capacity. When it is full, a new key replaces the entry of the oldest slot: slots are reused round
/// robin.
struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private var entries: [Key: (value: Value, slot: Int)] = [:]
    private var keys: [Key] = []
    /// Slots of removed keys.
    private var free: [Int] = []
    /// The slot that is replaced next.
    private var hand = 0

    init(capacity: Int) {
        precondition(capacity > 0, "a table needs a capacity of at least 1")
        self.capacity = capacity
    }

    var count: Int { entries.count }

    /// In slot order, so that the same input always gives the same result.
    var contents: [(key: Key, value: Value)] {
        keys.enumerated().compactMap { slot, key in
            guard let entry = entries[key], entry.slot == slot else { return nil }
            return (key, entry.value)
        }
    }

    subscript(key: Key) -> Value? {
        get { entries[key]?.value }
        set {
            if let newValue { entries[key] = (newValue, entries[key]?.slot ?? claimSlot(for: key)) } else { remove(key) }
        }
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        free.append(entry.slot)
        return entry.value
    }

    private mutating func claimSlot(for key: Key) -> Int {
        if let slot = free.popLast() {
            keys[slot] = key
            return slot
        }
        guard keys.count == capacity else {
            keys.append(key)
            return keys.count - 1
        }
        let slot = hand
        hand = (hand + 1) % capacity
        entries.removeValue(forKey: keys[slot])
        keys[slot] = key
        return slot
    }
}

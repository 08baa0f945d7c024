// Memory of what strangers say has to end somewhere: everything that this module remembers, it remembers in one of these.

/// A dictionary of at most so many entries. When it is full, a new key takes the place of another one, round and round, so
/// that the places that were filled first are the first to go.
struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private var entries: [Key: (value: Value, place: Int)] = [:]
    private var keys: [Key] = []
    /// Places whose keys have been removed.
    private var free: [Int] = []
    /// The place that is given up next.
    private var hand = 0

    init(capacity: Int) {
        precondition(capacity > 0, "a table has room for something")
        self.capacity = capacity
    }

    var count: Int { entries.count }

    /// In order of place, so that the same stream leads to the same memory each time.
    var contents: [(key: Key, value: Value)] {
        keys.enumerated().compactMap { place, key in
            guard let entry = entries[key], entry.place == place else { return nil }
            return (key, entry.value)
        }
    }

    subscript(key: Key) -> Value? {
        get { entries[key]?.value }
        set {
            if let newValue { set(newValue, for: key) } else { remove(key) }
        }
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        free.append(entry.place)
        return entry.value
    }

    private mutating func set(_ value: Value, for key: Key) {
        let place = entries[key]?.place ?? takePlace(for: key)
        entries[key] = (value, place)
    }

    private mutating func takePlace(for key: Key) -> Int {
        if let place = free.popLast() {
            keys[place] = key
            return place
        }
        guard keys.count == capacity else {
            keys.append(key)
            return keys.count - 1
        }
        let place = hand
        hand = (hand + 1) % capacity
        entries.removeValue(forKey: keys[place])
        keys[place] = key
        return place
    }
}

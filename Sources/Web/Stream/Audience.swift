// Readers by the name of the session that they watch.

import GameFlow
import RESP

struct Audience {
    private var readers: [ByteString: [ObjectIdentifier: FeedReader]] = [:]

    var isEmpty: Bool { readers.isEmpty }

    subscript(name: ByteString) -> Dictionary<ObjectIdentifier, FeedReader>.Values? { readers[name]?.values }

    mutating func add(_ reader: FeedReader, to name: ByteString) {
        readers[name, default: [:]][ObjectIdentifier(reader)] = reader
    }

    mutating func remove(_ reader: FeedReader, from name: ByteString) {
        readers[name]?[ObjectIdentifier(reader)] = nil
        if readers[name]?.isEmpty == true { readers[name] = nil }
    }
}

/// Slots whose session nobody watches: looking for its name at each event would cost as much as the event.
struct UnwatchedSlots {
    private var isUnwatched: [Bool] = []

    func contains(_ slot: UInt32) -> Bool { slot < isUnwatched.count && isUnwatched[Int(slot)] }

    mutating func insert(_ slot: UInt32) {
        guard slot != FlightMark.nowhere else { return }
        let count = isUnwatched.count
        if slot >= count { isUnwatched += Array(repeating: false, count: max(Int(slot) + 1, 2 * count) - count) }
        isUnwatched[Int(slot)] = true
    }

    mutating func remove(_ slot: UInt32) {
        if slot < isUnwatched.count { isUnwatched[Int(slot)] = false }
    }

    mutating func removeAll() { isUnwatched = [] }
}

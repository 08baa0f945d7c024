// Who is told of what sessions do. Telling costs a part of what an event costs, and is mostly in vain.

import GameFlow
import Memory

/// The observers, and the sessions that none of them has to be told of just now. There are nearly always no observers.
struct SessionObservers: ~Copyable {
    /// In the order in which they came.
    private(set) var all: [SessionObserver] = []
    /// The same, for the path of every event.
    private(set) var uncounted: [Borrowed<SessionObserver>] = []
    private var unobserved = SlotSet()

    var isEmpty: Bool { uncounted.isEmpty }

    mutating func add(_ observer: SessionObserver) {
        guard !all.contains(where: { $0 === observer }) else { return }
        set(all + [observer])
        resumeAll()
    }

    mutating func remove(_ observer: SessionObserver) { set(all.filter { $0 !== observer }) }

    private mutating func set(_ observers: [SessionObserver]) {
        all = observers
        uncounted = observers.map { Borrowed($0) }
    }

    /// Whether one of them has to be told of the session in this slot.
    @inline(__always)
    func observe(_ slot: UInt32) -> Bool { !unobserved.contains(slot) }

    /// None of them has to be told of the session in this slot, until it is resumed.
    mutating func suspend(_ slot: UInt32) { unobserved.insert(slot) }

    mutating func resume(_ slot: UInt32) { unobserved.remove(slot) }

    mutating func resumeAll() { unobserved.removeAll() }

    /// Frees its memory: see `SessionTable.freeMemory`.
    mutating func freeMemory() { unobserved.freeMemory() }
}

// The observers of sessions. Notifying them costs a noticeable part of an event, so sessions that no observer needs are muted.

import GameFlow
import Memory

/// The observers, and the sessions that are muted for all of them. There are nearly always no observers.
struct SessionObservers: ~Copyable {
    /// In the order in which they came.
    private(set) var all: [SessionObserver] = []
    /// The same, for the path of every event.
    private(set) var uncounted: [Borrowed<SessionObserver>] = []
    private var muted = SlotSet()

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

    /// Whether an observer needs what happens to the session in this slot.
    func observe(_ slot: UInt32) -> Bool { !muted.contains(slot) }

    /// No observer needs what happens to the session in this slot, until it is resumed.
    mutating func mute(_ slot: UInt32) { muted.insert(slot) }

    mutating func resume(_ slot: UInt32) { muted.remove(slot) }

    mutating func resumeAll() { muted.removeAll() }

    /// Frees its memory: see `SessionTable.freeMemory`.
    mutating func freeMemory() { muted.freeMemory() }
}

// The observers of sessions, tested without sessions.

import Testing
@testable import Sessions

@Suite struct `The observers of sessions` {
    private func observed(_ observers: borrowing SessionObservers) -> [Bool] {
        var observed: [Bool] = []
        for slot in [UInt32(0), 63, 64, 65, 1_000_000] { observed.append(observers.observe(slot)) }
        return observed
    }

    @Test func `A muted session is not observed until it is resumed, and others are`() {
        var observers = SessionObservers()
        defer { observers.freeMemory() }
        observers.mute(64)
        let muted = observed(observers)
        observers.resume(64)
        let resumed = observed(observers)
        #expect(muted == [true, true, false, true, true] && resumed == [true, true, true, true, true])
    }

    @Test func `Adding a new observer unmutes all sessions, and adding it again changes nothing`() {
        var observers = SessionObservers()
        defer { observers.freeMemory() }
        let (one, other) = (SessionObserver(), SessionObserver())
        observers.add(one)
        observers.mute(0)
        observers.add(one)
        let before = (observed(observers)[0], observers.all.count)
        observers.add(other)
        let after = (observed(observers)[0], observers.all.count)
        #expect(before == (false, 1) && after == (true, 2))
        observers.remove(one)
        observers.remove(other)
        let isEmpty = observers.isEmpty
        #expect(isEmpty)
    }
}

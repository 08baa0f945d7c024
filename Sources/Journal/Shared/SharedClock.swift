// The time that the nodes of a shared store have in common: the database's. Deadlines are kept in it, so that nodes' clocks may differ.

import Posix
import Synchronization

/// The database's time, counted on by this machine's boot clock. It is known within bounds: what is left of a timer is saved with the latest time
/// that it can be and restored with the earliest, so that no deadline comes early.
package final class SharedClock: Sendable {
    /// Nanoseconds from the boot clock's time to the database's, at least and at most.
    private let least: Atomic<Int64>
    private let most: Atomic<Int64>

    /// Until the database has been asked, the machine's own time is the best guess.
    package init() {
        let now = TurnClock.now()
        least = Atomic(now.wallNanoseconds - now.bootNanoseconds)
        most = Atomic(now.wallNanoseconds - now.bootNanoseconds)
    }

    /// At this time of the boot clock it is between these, in nanoseconds since 1970.
    package func set(_ nanoseconds: ClosedRange<Int64>, atBoot boot: Int64) {
        least.store(nanoseconds.lowerBound - boot, ordering: .relaxed)
        most.store(nanoseconds.upperBound - boot, ordering: .relaxed)
    }

    /// It is not later than this. Without a boot's time, which is one machine's own.
    package func latest() -> TurnTime {
        TurnTime(wallNanoseconds: TurnClock.now().bootNanoseconds + most.load(ordering: .relaxed), bootNanoseconds: 0)
    }

    /// It is not earlier than this. With the boot's time, for this process alone.
    package func earliest() -> TurnTime {
        let boot = TurnClock.now().bootNanoseconds
        return TurnTime(wallNanoseconds: boot + least.load(ordering: .relaxed), bootNanoseconds: boot)
    }
}

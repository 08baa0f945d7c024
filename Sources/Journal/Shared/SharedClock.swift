// The time that the nodes of a shared store have in common: the database's. Deadlines are kept in it, so that nodes' clocks may differ.

import Posix
import Synchronization

/// The database's time, counted on by this machine's boot clock.
package final class SharedClock: Sendable {
    /// Nanoseconds from the boot clock's time to the database's.
    private let offset: Atomic<Int64>

    /// Until the database has been asked, the machine's own time is the best guess.
    package init() {
        let now = TurnClock.now()
        offset = Atomic(now.wallNanoseconds - now.bootNanoseconds)
    }

    /// At this time of the boot clock it is so late.
    package func set(_ nanoseconds: Int64, atBoot boot: Int64) { offset.store(nanoseconds - boot, ordering: .relaxed) }

    /// Without a boot's time, which is one machine's own.
    package func now() -> TurnTime {
        TurnTime(wallNanoseconds: TurnClock.now().bootNanoseconds + offset.load(ordering: .relaxed), bootNanoseconds: 0)
    }
}

// The clock by which sessions are saved. The daemons that share a database have its time in common: deadlines are kept in it, so that nodes'
// clocks may differ.

import Posix
import Synchronization

/// The machine's clock, or the database's time counted on by this machine's boot clock. That is known within bounds: the rest of a timer is
/// saved with the latest time that it can be and restored with the earliest, so that no deadline comes early.
package final class StoreClock: Sendable {
    /// The boot that saved times count from; empty for a database's, since a boot is one machine's own.
    let bootID: String
    /// Nanoseconds from the boot clock's time to the database's, at least and at most.
    private let minimum: Atomic<Int64>
    private let maximum: Atomic<Int64>

    /// Until the database has been asked, the machine's own time is the best guess.
    package convenience init() { self.init(bootID: "") }

    /// The machine's clock, which may be set at any time.
    package static let ofMachine = StoreClock(bootID: TurnClock.bootID)

    private init(bootID: String) {
        self.bootID = bootID
        let now = TurnClock.now()
        minimum = Atomic(now.wallNanoseconds - now.bootNanoseconds)
        maximum = Atomic(now.wallNanoseconds - now.bootNanoseconds)
    }

    private var isMachine: Bool { !bootID.isEmpty }

    /// Sets the bounds of the database's time at this time of the boot clock, in nanoseconds since 1970.
    package func set(_ nanoseconds: ClosedRange<Int64>, atBoot boot: Int64) {
        minimum.store(nanoseconds.lowerBound - boot, ordering: .relaxed)
        maximum.store(nanoseconds.upperBound - boot, ordering: .relaxed)
    }

    /// The upper bound of the present time. A database's time has no boot time.
    package func latest() -> TurnTime {
        guard !isMachine else { return TurnClock.now() }
        return TurnTime(
            wallNanoseconds: TurnClock.bootNanoseconds + maximum.load(ordering: .relaxed), bootNanoseconds: 0)
    }

    /// The lower bound of the present time. It has the boot time, for this process only.
    package func earliest() -> TurnTime {
        guard !isMachine else { return TurnClock.now() }
        let boot = TurnClock.bootNanoseconds
        return TurnTime(wallNanoseconds: boot + minimum.load(ordering: .relaxed), bootNanoseconds: boot)
    }

    /// The same, as it is compared with times of rows.
    var moment: StoredTime { StoredTime(bootID: bootID, time: earliest()) }
}

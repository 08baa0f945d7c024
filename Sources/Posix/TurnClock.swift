// The clocks that outlast the process: what a deadline is kept by when nobody is there to wait for it.

import Glibc

package enum TurnClock {
    package static func now() -> TurnTime {
        TurnTime(wallNanoseconds: read(CLOCK_REALTIME), bootNanoseconds: read(CLOCK_BOOTTIME))
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Changes with every start of the machine. Within one, the time since that start says how long somebody was away, whatever
    /// became of the wall clock meanwhile.
    package static let bootID: String = {
        let text = (try? SmallFile("/proc/sys/kernel/random/boot_id").text()) ?? nil
        return String((text ?? "").filter(\.isHexDigit).prefix(12))
    }()
}

/// The time of a turn by the clocks that outlast the process.
package struct TurnTime: Equatable, Sendable {
    /// Since 1970.
    package var wallNanoseconds: Int64
    /// Since the machine was started, sleep included.
    package var bootNanoseconds: Int64

    package init(wallNanoseconds: Int64, bootNanoseconds: Int64) {
        self.wallNanoseconds = wallNanoseconds
        self.bootNanoseconds = bootNanoseconds
    }
}

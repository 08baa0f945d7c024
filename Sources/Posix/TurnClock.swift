// The clocks that outlast the process, for deadlines across a restart.

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

    /// Changes with every boot. Within one, the boot clock measures a downtime correctly even if the wall clock was set meanwhile.
    package static let bootID: String = {
        let text = (try? SmallFile("/proc/sys/kernel/random/boot_id").text()) ?? nil
        return String((text ?? "").filter(\.isHexDigit).prefix(12))
    }()
}

/// The clock that systemd and the kernel compare with, which does not go on while the machine sleeps.
package enum MonotonicClock {
    package static var microseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}

/// A turn's time, by the clocks that outlast the process.
package struct TurnTime: Equatable, Sendable {
    /// Since 1970.
    package var wallNanoseconds: Int64
    /// Since boot, sleep included.
    package var bootNanoseconds: Int64

    package init(wallNanoseconds: Int64, bootNanoseconds: Int64) {
        self.wallNanoseconds = wallNanoseconds
        self.bootNanoseconds = bootNanoseconds
    }
}

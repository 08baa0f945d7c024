// The clocks that outlast the process, for deadlines across a restart.

import Glibc

package enum TurnClock {
    package static func now() -> TurnTime {
        TurnTime(wallNanoseconds: read(CLOCK_REALTIME), bootNanoseconds: bootNanoseconds)
    }

    /// The boot clock's time: since boot, sleep included.
    package static var bootNanoseconds: Int64 { read(CLOCK_BOOTTIME) }

    /// The clock that systemd and the kernel compare with, which stops while the machine sleeps.
    package static var monotonicMicroseconds: Int64 { read(CLOCK_MONOTONIC) / 1_000 }

    /// The processor time of the calling thread.
    package static var threadNanoseconds: Int64 { read(CLOCK_THREAD_CPUTIME_ID) }

    /// The wall clock that the daemon can count with, in seconds since 1970: from 1700 until 2250. Nanoseconds in 64 bits reach from 1677 to
    /// 2262; the rest is room for sums.
    private static let seconds: ClosedRange<Int> = -8_520_336_000...8_835_955_200

    /// Beyond those years it stays at their end.
    private static func read(_ clock: clockid_t) -> Int64 {
        let time = time(of: clock)
        let whole = min(max(time.tv_sec, seconds.lowerBound), seconds.upperBound)
        return Int64(whole) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static func time(of clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }

    /// Throws if the wall clock shows a time that the daemon cannot count with.
    package static func check() throws(WallClockError) {
        let now = time(of: CLOCK_REALTIME).tv_sec
        guard !seconds.contains(now) else { return }
        let date = DateZone.utc.text(now, "%Y-%m-%d") ?? "\(now) seconds from 1970"
        throw WallClockError(
            description:
                "the machine's clock is at \(date), outside gamed's range from 1700 to 2249; set the clock: timedatectl")
    }

    /// Changes with every boot. Within one, the boot clock measures a downtime correctly even if the wall clock was set meanwhile.
    package static let bootID: String = {
        let text = (try? SmallFile("/proc/sys/kernel/random/boot_id").text()) ?? nil
        return String((text ?? "").filter(\.isHexDigit).prefix(12))
    }()
}

/// The wall clock is set to a time that cannot be right.
package struct WallClockError: Error, CustomStringConvertible {
    package let description: String
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

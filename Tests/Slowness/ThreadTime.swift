// CPU time of a thread.

import Glibc

/// The CPU time of the calling thread: time during which other programs have the processor does not count.
package enum ThreadTime {
    /// In nanoseconds, since the thread began.
    package static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// In nanoseconds.
    package static func taken<Failure: Error>(by body: () throws(Failure) -> Void) throws(Failure) -> Int {
        let began = now
        try body()
        return now - began
    }
}

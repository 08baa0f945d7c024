// The date for clients: instants are on a separate clock.

import Posix
import Timers

extension Timekeeper {
    /// The wall clock at the instant of this turn, in nanoseconds since 1970. In virtual time too it is the real date.
    var wallNanoseconds: Int64 {
        let sinceThen = source.now.nanoseconds(since: now)
        return TurnClock.now().wallNanoseconds.subtractingReportingOverflow(sinceThen).partialValue
    }
}

extension Host {
    /// The date at the instant of this turn, in milliseconds since 1970.
    package var wallMilliseconds: Int { Int(timekeeper.wallNanoseconds / 1_000_000) }

    /// The same in nanoseconds, by the clock that entries of the history are stored by: in a cluster, the database's.
    package var wallNanoseconds: Int64 { cluster?.wallNanoseconds ?? timekeeper.wallNanoseconds }

    /// The same in milliseconds. All nodes of a cluster agree on it.
    package var sharedMilliseconds: Int { Int(wallNanoseconds / 1_000_000) }
}

extension StateTimer {
    /// When it fires, in milliseconds since 1970, rounded up; nil while it stands still.
    func wallDeadline(from wallNow: Int64) -> Int? {
        guard deadline != nil, let remaining else { return nil }
        let (sum, isBeyond) = wallNow.addingReportingOverflow(remaining.wholeNanoseconds)
        return Duration.nanoseconds(isBeyond ? .max : sum).milliseconds
    }
}

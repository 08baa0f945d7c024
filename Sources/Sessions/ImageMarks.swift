// Marks that precede a flow's own timers in a session's image.

import GameFlow

/// Marks have the form of timers; no flow's timer has a name that begins with `-`.
package struct ImageMarks {
    /// Marks a session with a clock that the daemon stopped.
    package static let halted = "--halted"

    /// Time without activity when the session was saved; nil if the session does not expire.
    package private(set) var untouched: Duration?
    /// Whether it was set aside then.
    package private(set) var wasSetAside = false
    /// Whether the daemon had stopped its clock.
    package private(set) var isHalted = false
    /// The flow's own timers.
    package private(set) var own: ArraySlice<TimerImage>

    package init(_ timers: ArraySlice<TimerImage>) {
        own = timers
        while let first = own.first, first.name.utf8.first == UInt8(ascii: "-") {
            if let untouched = ExpiryRule.untouched(in: first) {
                (self.untouched, wasSetAside) = (untouched, first.isPaused)
            } else if first.name == Self.halted {
                isHalted = true
            } else {
                return
            }
            own.removeFirst()
        }
    }
}

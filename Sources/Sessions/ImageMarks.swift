// Marks that precede a flow's own timers in a session's image.

import GameFlow

/// Marks have the form of timers; no flow's timer has a name that begins with `-`.
package struct ImageMarks {
    /// Marks a session with a clock that the daemon stopped.
    package static let halted = "--halted"

    /// Time without activity when the session was saved; nil if the session does not expire.
    package private(set) var untouched: Duration?
    package private(set) var wasSetAside = false
    /// Whether the daemon had stopped its clock.
    package private(set) var isHalted = false
    /// The number of marks; the flow's own timers follow.
    package private(set) var count = 0

    package init(_ timers: ArraySlice<TimerImage>) {
        // Most sessions have none: their first timer is not copied.
        while count < timers.count, timers[timers.startIndex + count].name.utf8.first == UInt8(ascii: "-") {
            let mark = timers[timers.startIndex + count]
            if let untouched = ExpiryRule.untouched(in: mark) {
                (self.untouched, wasSetAside) = (untouched, mark.isPaused)
            } else if mark.name == Self.halted {
                isHalted = true
            } else {
                return
            }
            count += 1
        }
    }
}

// What stands before a flow's own timers in a session's image.

import GameFlow

/// Marks have the form of timers; no flow's timer has a name that begins with `-`.
package struct ImageMarks {
    /// The mark of a session whose clock the daemon stopped.
    package static let halted = "--halted"

    /// How long nobody had touched the session when it was saved; nil where it did not expire.
    package private(set) var untouched: Duration?
    /// Whether the daemon had stopped its clock.
    package private(set) var isHalted = false
    /// The flow's own timers.
    package private(set) var own: ArraySlice<TimerImage>

    package init(_ timers: ArraySlice<TimerImage>) {
        own = timers
        while let first = own.first, first.name.utf8.first == UInt8(ascii: "-") {
            if let untouched = ExpiryRule.untouched(in: first) {
                self.untouched = untouched
            } else if first.name == Self.halted {
                isHalted = true
            } else {
                return
            }
            own.removeFirst()
        }
    }
}

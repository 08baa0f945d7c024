// What a replay has come to.

import GameFlow

package struct ReplayReport: Sendable {
    package enum Verdict: Sendable, Equatable {
        /// Everything happened again, and the session is where it was left.
        case agrees
        /// The flow does something else at this line, counted from 1.
        case differs(at: Int, String)
        /// All lines agree, and yet the session is elsewhere.
        case endsElsewhere(String)
        /// From this line on nothing can be said.
        case cannotGoOn(at: Int, String)
    }

    package struct Step: Sendable {
        package let number: Int
        package let line: RecordedLine
        /// Why it could not be checked, although those behind it could.
        package let unchecked: String?
    }

    /// The state in which the replay began.
    package internal(set) var beginning = ""
    /// Whether the lines go back to where the session began.
    package internal(set) var isComplete = true
    /// How many of the kept lines come before the first that a replay can begin with.
    package internal(set) var skipped = 0
    /// The lines that agree.
    package internal(set) var steps: [Step] = []
    /// Where the flow is in the end.
    package internal(set) var state = ""
    package internal(set) var verdict = Verdict.agrees
}

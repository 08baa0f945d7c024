// The result of a replay.

import GameFlow

package struct ReplayReport: Sendable {
    package enum Verdict: Sendable, Equatable {
        /// Every line agrees, and so does the final state.
        case agrees
        /// The flow behaves differently at this line, counted from 1.
        case differs(at: Int, String)
        /// All lines agree, but the final state differs.
        case endsElsewhere(String)
        /// The replay cannot continue at this line.
        case cannotGoOn(at: Int, String)
    }

    package struct Step: Sendable {
        package let number: Int
        package let line: HistoryEntryText
        /// Why it could not be checked, if so; later lines may still be.
        package let unchecked: String?
    }

    /// The state in which the replay began.
    package internal(set) var beginning = ""
    /// Whether the lines go back to where the session began.
    package internal(set) var isComplete = true
    /// Lines before the first that the replay could begin with.
    package internal(set) var skipped = 0
    /// The lines that agree, in order.
    package internal(set) var steps: [Step] = []
    /// The final state of the replay.
    package internal(set) var state = ""
    package internal(set) var verdict = Verdict.agrees
    /// Another definition of the flow than the replay's, under which lines came about up to where it differs: a reason why it does.
    package internal(set) var change: ChangedDefinition?

    package struct ChangedDefinition: Sendable, Equatable {
        /// Nil for a flow that is part of the program.
        package let recorded: String?
        package let replayed: String?
    }
}

import GameFlow
import RESP
import Texts

/// A session that could not be restored. Its row stays in the database, set aside from the live ones.
package struct UnrestoredSession {
    package let name: ByteString
    /// The number of its row, below zero.
    package let id: Int64
    package let flow: String
    package let problem: String
    /// Whether only RETRY restores it: the daemon died of it, or its row was damaged. All others are tried again at each start.
    package let isQuarantined: Bool

    package init(name: ByteString, id: Int64, flow: String, problem: String, isQuarantined: Bool = false) {
        self.name = name
        self.id = id
        self.flow = flow
        self.problem = problem
        self.isQuarantined = isQuarantined
    }

    package var error: CommandError { CommandError(.setAside, isQuarantined ? quarantineSentence : unrestoredSentence) }

    private var unrestoredSentence: String {
        "'\(shortName)' could not be restored and was set aside: \(problem); DROP \(shortName) gives it up"
    }

    private var quarantineSentence: String {
        "'\(shortName)' is quarantined: \(problem); HISTORY \(shortName) and SESSIONS 0 STATE ! show it, "
            + "RETRY \(shortName) tries it again, DROP \(shortName) gives it up"
    }

    private var shortName: String { name.text.shortened }

    /// Logged at each start.
    package var report: String {
        isQuarantined ? quarantineSentence : "'\(shortName)' could not be restored and was set aside: \(problem)"
    }
}

import GameFlow
import RESP
import Texts

/// A session that could not be restored: it is kept in the database, and nothing is done with it.
package struct UnrestoredSession {
    package let name: ByteString
    /// Its place in the database.
    package let id: Int64
    package let flow: String
    package let problem: String
    /// What had happened to one that the daemon has died of, and that no start tries again, the newest last; nil for all others.
    package var history: [PastEvent]?

    package init(name: ByteString, id: Int64, flow: String, problem: String, history: [PastEvent]? = nil) {
        self.name = name
        self.id = id
        self.flow = flow
        self.problem = problem
        self.history = history
    }

    package var isQuarantined: Bool { history != nil }

    package var error: CommandError { CommandError("ASIDE", isQuarantined ? quarantineSentence : unrestoredSentence) }

    private var unrestoredSentence: String {
        "'\(shortName)' could not be restored and was set aside: \(problem); DROP \(shortName) gives it up"
    }

    private var quarantineSentence: String {
        "'\(shortName)' is quarantined: \(problem); HISTORY \(shortName) and SESSIONS 0 STATE ! show it, "
            + "RETRY \(shortName) tries it again, DROP \(shortName) gives it up"
    }

    private var shortName: String { name.text.shortened }

    /// What the operator is told at each start.
    package var report: String {
        isQuarantined ? quarantineSentence : "'\(shortName)' could not be restored and was set aside: \(problem)"
    }
}

/// A line of the history in words, as clients are told it.
package struct PastEvent: Sendable {
    package enum Outcome: String, Sendable {
        case taken, postponed, refused, begun, forced
    }

    /// Nanoseconds since 1970.
    package let atWallNanoseconds: Int64
    package let source: String
    /// `NEW` where the session was begun elsewhere than its flow begins, `FORCE` where its state was forced.
    package let event: String
    package let payload: String?
    package let timer: String?
    package let outcome: Outcome
    package let from: String
    package let to: String
    package let version: Int
    package let code: String?
    package let refused: String?

    package init(
        atWallNanoseconds: Int64, source: String, event: String, payload: String?, timer: String?, outcome: Outcome,
        from: String, to: String, version: Int, code: String?, refused: String?
    ) {
        self.atWallNanoseconds = atWallNanoseconds
        self.source = source
        self.event = event
        self.payload = payload
        self.timer = timer
        self.outcome = outcome
        self.from = from
        self.to = to
        self.version = version
        self.code = code
        self.refused = refused
    }
}

// What clients are told of a session's past.

import Texts

/// A history line in words, as clients see it.
package struct PastEvent: Sendable {
    package enum Outcome: String, Sendable {
        case taken, postponed, refused, begun, forced
    }

    /// Nanoseconds since 1970.
    package let atWallNanoseconds: Int64
    package let source: String
    /// `NEW` where the session began in a given state, `FORCE` where its state was forced.
    package let event: String
    package let payload: String?
    package let timer: String?
    package let outcome: Outcome
    package let from: String
    package let to: String
    package let version: Int
    package let code: ErrorCode?
    package let refused: String?

    package init(
        atWallNanoseconds: Int64, source: String, event: String, payload: String?, timer: String?, outcome: Outcome,
        from: String, to: String, version: Int, code: ErrorCode?, refused: String?
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

// What clients are told of a session's past.

import GameFlow
import Texts

/// A history line in words, as clients see it.
package struct PastEvent: Sendable {
    /// Nanoseconds since 1970.
    package let atWallNanoseconds: Int64
    package let source: String
    /// The event's name, or the command of an operator's deed.
    package let event: String
    package let payload: String?
    package let timer: String?
    package let what: Happening
    package let from: String
    package let to: String
    package let version: Int
    package let code: ErrorCode?
    package let refused: String?
    /// The events that were accepted in place of a refused one, if they are known.
    package let accepted: [String]?
    /// The sender of the event, or the operator; nil for a timer.
    package let actor: String?
    /// The definition of the flow under which it came about; nil for a flow that is part of the program.
    package let definition: String?

    package init(
        atWallNanoseconds: Int64, source: String, event: String, payload: String?, timer: String?, what: Happening,
        from: String, to: String, version: Int, code: ErrorCode?, refused: String?, accepted: [String]?, actor: String?,
        definition: String? = nil
    ) {
        self.atWallNanoseconds = atWallNanoseconds
        self.source = source
        self.event = event
        self.payload = payload
        self.timer = timer
        self.what = what
        self.from = from
        self.to = to
        self.version = version
        self.code = code
        self.refused = refused
        self.accepted = accepted
        self.actor = actor
        self.definition = definition
    }
}

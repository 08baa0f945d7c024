// Why something could not be done to a session.

import GameFlow
import Texts

/// An error of the registry of sessions: a code for programs, a sentence for people.
package struct SessionError: Error, CustomStringConvertible {
    package let code: ErrorCode
    package let sentence: String

    /// Bytes of the longest sentence; a longer one is cut.
    private static let maxLength = 1_000

    package init(_ code: ErrorCode, _ sentence: String) {
        (self.code, self.sentence) = (code, sentence.cut(to: Self.maxLength))
    }

    package static func noFlow(_ name: String, _ flows: [FlowKind]) -> SessionError {
        SessionError(.noFlow, "there is no flow '\(name.shortened)'; \(flows.map(\.name).advice(for: name))")
    }

    package var description: String { "\(code) \(sentence)" }
}

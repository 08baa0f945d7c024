// A session and its history as the daemon tells them: what a replay is given.

import GameFlow
import RESP
import ReplyJSON

package struct RecordedSession: Sendable {
    package var flow: String
    package var state: String
    package var version: Int
    /// What the state carries, if it is known.
    package var data: JSON?
    /// The parameters that it was begun with, where its flow has some.
    package var context: JSON?
    /// The oldest first.
    package var lines: [RecordedLine]

    /// From the replies to STATE and HISTORY; nil if they are none.
    package init?(state: Reply, history: Reply) {
        guard let flow = state["flow"]?.text, let name = state["state"]?.text, let version = state["version"]?.integer,
            case .array(let lines) = history
        else { return nil }
        self.flow = flow
        self.state = name
        self.version = version
        data = state["data"]?.text.flatMap { try? JSON(parsing: $0) }
        context = state["context"]?.text.flatMap { try? JSON(parsing: $0) }
        self.lines = lines.reversed().compactMap(RecordedLine.init)
        guard self.lines.count == lines.count else { return nil }
    }

    /// Whether the lines lead up to the state: otherwise there was a change between one question and the other.
    package var isOfOneMoment: Bool { lines.last.map { $0.version == version && $0.to == state } ?? true }

    /// Takes the last line for the end: where a session never rests for long enough to be asked twice.
    package mutating func endWithLines() {
        guard let last = lines.last else { return }
        (state, version, data) = (last.to, last.version, nil)
    }
}

/// One line of it.
package struct RecordedLine: Sendable, Equatable {
    package enum Kind: Sendable {
        /// The session began somewhere else than where its flow begins.
        case beginning
        case force
        case event
    }

    /// Milliseconds since 1970.
    package var at: Int
    package var kind: Kind
    package var source: EventSource
    package var event: String
    /// JSON, unless it was too long to be kept or was never any.
    package var payload: String?
    package var timer: String?
    package var from: String
    package var to: String
    package var version: Int
    /// If it was refused: the error's word.
    package var code: String?
    /// Whether it was put off until the state changed.
    package var isPostponed = false

    /// Whether it led anywhere.
    var isTaken: Bool { code == nil && !isPostponed }

    package init?(_ reply: Reply) {
        guard let at = reply["at_ms"]?.integer, let event = reply["event"]?.text, let from = reply["from"]?.text,
            let source = EventSource.allCases.first(where: { $0.name == reply["source"]?.text }),
            let to = reply["to"]?.text, let version = reply["version"]?.integer
        else { return nil }
        (self.at, self.source, self.event, self.from, self.to, self.version) = (at, source, event, from, to, version)
        payload = reply["payload"]?.text
        timer = reply["timer"]?.text
        code = reply["code"]?.text
        isPostponed = reply["what"]?.text == "postponed"
        kind = .event
        guard code == nil, timer == nil else { return }
        if event == "FORCE" { kind = .force }
        if event == "NEW", version == 0 { kind = .beginning }
    }

    /// How many swings a pendulum had missed; nil if none.
    var missedSwings: Int? {
        guard timer != nil, let payload, case .object(let members)? = try? JSON(parsing: payload), members.count == 1 else {
            return nil
        }
        return members[0].value.integer
    }

    /// What came along; nil if it cannot be known.
    package var carried: JSON?? {
        guard let payload else { return .some(nil) }
        return (try? JSON(parsing: payload)).map { .some($0) }
    }
}

extension Reply {
    fileprivate var integer: Int? {
        if case .integer(let value) = self { value } else { nil }
    }
}

// A session and its history, from the daemon's replies: the input of a replay.

import GameFlow
import RESP
import ReplyJSON

package struct RecordedSession: Sendable {
    package var flow: String
    package var state: String
    package var version: Int
    /// The state's data, if known.
    package var data: JSON?
    /// The parameters it was begun with, if its flow has some.
    package var context: JSON?
    /// Oldest first.
    package var lines: [RecordedLine]

    /// From the replies to STATE and HISTORY; nil if they are malformed.
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

    /// Whether the lines lead up to the state: otherwise it changed between the two requests.
    package var isOfOneMoment: Bool { lines.last.map { $0.version == version && $0.to == state } ?? true }

    /// Takes the last line as the end, for a session too busy to be read consistently.
    package mutating func endWithLines() {
        guard let last = lines.last else { return }
        (state, version, data) = (last.to, last.version, nil)
    }
}

/// One line of the history.
package struct RecordedLine: Sendable, Equatable {
    package enum Kind: Sendable {
        /// The session began.
        case beginning
        case force
        case event
        /// What changes no state: time that an operator stopped or added, and an event that had to wait for its hook and comes again.
        case aside
    }

    /// Milliseconds since 1970.
    package var at: Int
    package var kind: Kind
    package var source: EventSource
    package var event: String
    /// JSON, unless it was cut or was never valid.
    package var payload: String?
    package var timer: String?
    package var from: String
    package var to: String
    package var version: Int
    /// The error's code, if it was refused.
    package var code: ErrorCode?
    package var what: Happening
    /// The definition of the flow under which it came about; nil for a flow that is part of the program.
    package var definition: String?

    /// Whether it was a change.
    var isTaken: Bool { what.isChange }

    package init?(_ reply: Reply) {
        guard let at = reply["at_ms"]?.integer, let event = reply["event"]?.text, let from = reply["from"]?.text,
            let source = EventSource.allCases.first(where: { $0.name == reply["source"]?.text }),
            let to = reply["to"]?.text, let version = reply["version"]?.integer
        else { return nil }
        (self.at, self.source, self.event, self.from, self.to, self.version) = (at, source, event, from, to, version)
        payload = reply["payload"]?.text
        timer = reply["timer"]?.text
        definition = reply["definition"]?.text
        code = reply["code"]?.text.map { ErrorCode($0) }
        let word = reply["what"]?.text
        what = Happening.allCases.first { $0.name == word } ?? (code == nil ? .taken : .refused)
        switch what {
        case .begun: kind = .beginning
        case .forced: kind = .force
        case .taken, .postponed, .refused, .ignored: kind = .event
        case .waiting, .paused, .resumed, .extended, .dropped: kind = .aside
        }
    }

    /// Missed swings of a pendulum; nil if none.
    var missedSwings: Int? {
        guard timer != nil, let payload, case .object(let members)? = try? JSON(parsing: payload), members.count == 1 else {
            return nil
        }
        return members[0].value.integer
    }

    /// The payload; nil if it is unknown.
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

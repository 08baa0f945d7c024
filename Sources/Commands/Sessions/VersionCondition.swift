// IF version: an event that is meant for the session as its sender has seen it.

import GameFlow
import RESP
import Sessions
import Texts

/// `17`, or `3:17` with the session's life: what a sender has seen of a session.
package struct VersionCondition {
    private let seen: NumberInLife

    package init(_ text: String) throws(CommandError) {
        guard let seen = NumberInLife(text) else {
            throw CommandError(
                .generic, "'\(text.shortened)' is not a version; STATE says it: 17, or 3:17 with the session's life")
        }
        self.seen = seen
    }

    /// Describes the difference; nil if the session is as the sender has seen it. Timers that stayed in their state do not count: a clock that ticks
    /// each second would otherwise refuse every honest tap.
    func objection(to session: Session) -> String? {
        let (now, version) = (session.machine.version, seen.number)
        if let life = seen.life, life != session.life {
            return "'\(session.name.shortened)' is at version \(session.life):\(now), not \(life):\(version): it has begun anew"
        }
        guard !session.isAsSeen(at: version) else { return nil }
        return "'\(session.name.shortened)' is at version \(now), not \(version)"
    }
}

extension WordParser<VersionCondition> {
    /// `17`, or `3:17` with the session's life.
    static let version = WordParser(type: .version) { word, _ throws(CommandError) in
        try VersionCondition(word.repairedText)
    } fromJSON: { json, _ throws(CommandError) in
        try VersionCondition(json.text ?? json.description)
    }
}

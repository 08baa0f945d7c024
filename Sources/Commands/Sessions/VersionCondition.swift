// IF version: an event that is meant for the session as its sender has seen it.

import GameFlow
import RESP
import Sessions
import Texts

/// `17`, or `3:17` with the session's life: what a sender has seen of a session.
package struct VersionCondition {
    private let life: Life?
    private let version: UInt32

    package init(_ text: String) throws(CommandError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { UInt32($0) }
        guard let number = parts.last, let version = number, parts.count == 1 || parts[0] != nil else {
            throw CommandError(
                .generic, "'\(text.shortened)' is not a version; STATE says it: 17, or 3:17 with the session's life")
        }
        self.version = version
        life = parts.count == 2 ? parts[0] : nil
    }

    /// Says what is different; nil if the session is as the sender has seen it. Timers that stayed in their state do not count: a clock
    /// that ticks each second would otherwise refuse every honest tap.
    func objection(to session: Session) -> String? {
        let now = session.machine.version
        if let life, life != session.life {
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

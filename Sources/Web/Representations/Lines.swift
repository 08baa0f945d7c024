// Entries of a session's history, as the page gets them.

import Commands
import GameFlow
import RESP
import Sessions

enum Lines {
    /// Maximum of entries in one response.
    static let maxCount = 50

    /// `hasGap` says that some entries before the first are missing.
    static func text(_ entries: [HistoryEntryText], of session: Session, hasGap: Bool) -> String {
        var text = JSONText(reserving: 300 * entries.count + 100)
        text.beginObject()
        text.member("session", session.name)
        text.name("lines")
        append(entries, of: session, to: &text)
        if hasGap { text.member("gap", true) }
        text.endObject()
        return text.finished()
    }

    static func append(_ entries: [HistoryEntryText], of session: Session, to text: inout JSONText) {
        text.beginArray()
        for entry in entries { entry.append(to: &text, life: session.life) }
        text.endArray()
    }
}

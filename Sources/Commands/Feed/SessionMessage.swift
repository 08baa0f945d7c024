// The messages for subscribers of a session, as JSON.

import GameFlow
import Sessions

enum SessionMessage {
    /// An entry of its history, sent when it happens, or later to a subscriber that has missed it.
    static func text(_ entry: HistoryEntryText, of session: Session) -> String {
        text(entry, of: session.name, flow: session.machine.kind.name, session.life)
    }

    /// The same of a session that may be gone.
    static func text(_ entry: HistoryEntryText, of session: String, flow: String, _ life: Life) -> String {
        var text = JSONText(reserving: 320)
        text.beginObject()
        text.member("what", entry.kind.name)
        text.member("seq", entry.seq)
        text.member("session", session)
        text.member("flow", flow)
        text.member("event", entry.shownEvent)
        text.member("source", entry.source.name)
        text.member("timer", entry.timer)
        text.member("from", entry.from)
        text.member("to", entry.to)
        text.member("life", Int(life))
        text.member("version", entry.version)
        if let code = entry.code {
            text.member("code", code.text)
            text.member("refused", entry.refused)
            if let accepted = entry.accepted { text.member("accepted", .array(accepted.map { .string($0) })) }
        }
        if let actor = entry.actor { text.member("actor", actor) }
        if let repeats = entry.repeats {
            text.member("times", repeats.times)
            text.member("last_seq", repeats.lastSeq)
        }
        text.endObject()
        return text.finished()
    }

    /// An event that the session emits. It is not in the history and has the number of the latest entry.
    static func text(_ emission: Emission, of session: Session) -> String {
        JSON.object([
            .init("session", .string(session.name)), .init("what", "emitted"), .init("event", .string(emission.event)),
            .init("payload", emission.data ?? .null), .init("seq", .integer(Int(session.seq))),
            .init("version", .integer(Int(session.machine.version))),
        ]).description
    }

    /// Some messages up to the number `seq` are no longer kept; without a session, all of them.
    static func gap(_ name: String, _ session: Session?, before seq: Int) -> String {
        JSON.object([
            .init("what", "gap"), .init("seq", .integer(seq)), .init("session", .string(name)),
            .init("life", session.map { .integer(Int($0.life)) } ?? .null),
        ]).description
    }
}

// HISTORY: a session's history.

import GameFlow
import Memory
import Posix
import RESP
import Sessions

extension Command {
    package static let history = Command(
        name: "HISTORY", group: .sessions, needs: .reads(.session),
        summary: "Shows a session's history, newest first, refused events included.",
        details: """
            at_ms counts from 1970; in virtual time it is the real date of the reply less the virtual time since, so it \
            differs between two replies; ago_ms is virtual. Refused events have the code and the sentence of their error, in \
            `accepted` the events that were valid, where known, and in `timer` the timer that had just changed the state. A \
            payload is JSON; one of more than \(JSON.maxKept) bytes is cut and ends in …, and one that was not JSON is shown \
            as received. `what` is taken, refused, postponed (until the state changes), waiting (for a hook), ignored (by the \
            flow's policy), begun, forced, paused, resumed, extended, dropped or withdrawn; an event that was postponed or \
            had to wait appears once more when it is decided. `actor` is the sender of the event, or the operator: a user, a \
            token, a device or a session; a timer has none. An operator's action has the command as its event; a restarted \
            session has RESTART or UNDROP there. `definition` is a hash of the flow's definition when the entry was recorded. \
            Repeated ticks of a timer are one entry, and so are repeated refusals, if at most 15 entries are between them and \
            all of these are ticks or refusals: `times` counts them; `last_at_ms`, `last_seq` and `last_version` are of the \
            last one. So two entries may overlap, each from its `seq` to its `last_seq`. The history of a dropped session can \
            be read until newer entries replace it, or another session has its name.
            """,
        examples: ["HISTORY room", "HISTORY room COUNT 5"],
        Form(HistoryRequest.self))
}

package struct HistoryRequest: SessionRequest {
    package let name: ByteString
    let count: Int

    package init(session: ByteString, count: Int?) { (name, self.count) = (session, count ?? 20) }

    package static let form = CommandForm(
        .session, .optional(keyword: "COUNT", "n", .positive, "number of entries; default 20")
    ) {
        HistoryRequest(session: $0, count: $1)
    }
    package static var command: Command { .history }

    package func run(_ call: Call) throws(CommandError) -> HistoryReply {
        let now = call.host.wallNanoseconds
        return HistoryReply(entries: try entries(call, at: now), now: now)
    }

    /// The newest entries, the newest first, of the session, or of the last one of that name.
    private func entries(_ call: Call, at wall: Int64) throws(CommandError) -> [HistoryEntryText] {
        let sessions = call.host.sessions
        if sessions.find(name) == nil {
            if let entries = setAsideEntries(in: call.host) { return entries.suffix(count).reversed() }
            if let gone = sessions.historyTexts(ofGone: name, count, at: wall) { return gone }
        }
        return try call.session(name).historyTexts(count, at: wall)
    }

    /// The history of a session that a start has set aside, whether it was dropped since or not; nil for any other.
    private func setAsideEntries(in host: Host) -> [HistoryEntryText]? {
        guard let persistence = host.persistence else { return nil }
        if let session = host.sessions.setAsideSessions[name] {
            return session.isInMemory ? nil : persistence.history(ofHeld: name) ?? []
        }
        return host.sessions.hasDropped(name) ? nil : persistence.history(ofHeld: name)
    }
}

package struct HistoryReply: ReplyValue {
    package let entries: [HistoryEntryText]
    /// The wall clock's time.
    let now: Int64

    package func write(to reply: ReplyBuffer) {
        Maps(of: entries, write).write(to: reply)
    }

    private func write(_ entry: HistoryEntryText, to map: inout MapWriter) {
        map.field("at_ms", Int(entry.at / 1_000_000))
        map.field("ago_ms", Duration.nanoseconds(now - entry.at).milliseconds)
        map.field("source", entry.source.name)
        map.field("event", entry.eventOrCommand)
        map.field("payload", entry.shownPayload)
        map.field("timer", entry.timer)
        map.field("from", entry.from)
        map.field("to", entry.to)
        map.field("version", entry.version)
        map.field("code", entry.code?.text)
        map.field("refused", entry.refused)
        if let accepted = entry.accepted { map.field("accepted", accepted) }
        map.field("what", entry.kind.name)
        map.field("actor", entry.actor)
        if let definition = entry.definition { map.field("definition", definition) }
        map.field("seq", entry.seq)
        map.field("times", entry.repeats?.times ?? 1)
        if let repeats = entry.repeats {
            map.field("last_at_ms", Int(repeats.lastAt / 1_000_000))
            map.field("last_seq", repeats.lastSeq)
            map.field("last_version", repeats.lastVersion)
        }
    }
}

extension HistoryEntryText {
    /// Timers in the data of a beginning or a forced state are shown in milliseconds, even if they were given in another unit.
    fileprivate var shownPayload: String? {
        switch kind {
        case .taken, .postponed, .waiting, .ignored, .refused, .paused, .resumed, .extended, .dropped, .withdrawn:
            return payload
        case .begun, .forced:
            guard let payload, let json = try? JSON(parsing: payload) else { return payload }
            let shown = json.inMilliseconds
            return shown == json ? payload : shown.kept
        }
    }

    // MARK: A history entry as JSON, for the page and the sandbox.

    /// `life` is its session's, nil if that is gone; `elapsed` is how long its sandbox had run, in milliseconds.
    package func append(to text: inout JSONText, life: Life?, elapsed: Int? = nil) {
        text.beginObject()
        text.member("seq", seq)
        text.member("life", life.map { .integer(Int($0)) } ?? JSON.null)
        text.member("version", version)
        if let elapsed { text.member("t_ms", elapsed) }
        text.member("at_ms", Int(at / 1_000_000))
        text.member("what", kind.name)
        text.member("event", shownEvent)
        text.member("payload", payload)
        text.member("source", source.name)
        text.member("timer", timer)
        text.member("from", from)
        text.member("to", to)
        text.member("code", code?.text)
        text.member("refused", refused)
        text.member("accepted", accepted.map { .array($0.map { .string($0) }) } ?? JSON.null)
        text.member("actor", actor)
        if let definition { text.member("definition", definition) }
        text.member("times", repeats?.times ?? 1)
        if let repeats {
            text.member("last_at_ms", Int(repeats.lastAt / 1_000_000))
            text.member("last_seq", repeats.lastSeq)
            text.member("last_version", repeats.lastVersion)
        }
        text.endObject()
    }
}

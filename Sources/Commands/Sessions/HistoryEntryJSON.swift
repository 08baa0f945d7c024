// A history entry as JSON, for the page and the sandbox.

import GameFlow
import Sessions

extension HistoryEntryText {
    /// `life` is its session's; `elapsed` is how long its sandbox had run, in milliseconds.
    package func append(to text: inout JSONText, life: Life, elapsed: Int? = nil) {
        text.beginObject()
        text.member("seq", seq)
        text.member("life", Int(life))
        text.member("version", version)
        if let elapsed { text.member("t_ms", elapsed) }
        text.member("at_ms", Int(at / 1_000_000))
        text.member("what", kind.name)
        text.member("event", event ?? kind.deed)
        text.member("payload", payload)
        text.member("source", source.name)
        text.member("timer", timer)
        text.member("from", from)
        text.member("to", to)
        text.member("code", code?.text)
        text.member("refused", refused)
        text.member("accepted", accepted.map { .array($0.map { .string($0) }) } ?? JSON.null)
        text.member("actor", actor)
        text.member("times", repeats?.times ?? 1)
        if let repeats {
            text.member("last_at_ms", Int(repeats.lastAt / 1_000_000))
            text.member("last_seq", repeats.lastSeq)
            text.member("last_version", repeats.lastVersion)
        }
        text.endObject()
    }
}

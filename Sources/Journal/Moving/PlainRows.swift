// Rows as every store can have them: texts are UTF-8 without NUL, and times have a date in the calendar.

import GameFlow
import Memory
import Store

/// Puts rows right, and counts those for which it was necessary.
struct PlainRows {
    private(set) var repaired = 0

    mutating func withPlain<Result>(_ row: SessionRow, _ body: (SessionRow) throws -> Result) throws -> Result {
        guard row.name.isStorable else {
            throw StoreError(
                .unusable, "the session '\(row.name.string.prefix(64))' has a name that is no text in UTF-8: drop it first")
        }
        var plain = row
        plain.since = row.since.withinCalendar
        let texts = PlainTexts()
        plain.replaceTexts(texts.plain)
        if texts.isUsed || plain.since != row.since { repaired += 1 }
        return try withExtendedLifetime(texts) { try body(plain) }
    }

    mutating func plain(_ line: StoredEntry) -> StoredEntry {
        var plain = line
        plain.at = line.at.withinCalendar
        plain.name = ByteString(line.name.text.storable)
        plain.names = line.names.mapped(\.storable)
        plain.payload = line.payload?.storable
        plain.facts = line.facts.map { RefusalFacts(json: $0.json.storable) }
        if let repeats = line.repeats { plain.repeats?.lastAt = repeats.lastAt.withinCalendar }
        if plain != line { repaired += 1 }
        return plain
    }
}

/// Keeps texts that had to be put right.
private final class PlainTexts {
    private var owned: [BatchBytes] = []

    var isUsed: Bool { !owned.isEmpty }

    func plain(_ text: Text) -> Text {
        guard !text.isStorable else { return text }
        let repaired = text.string.storable
        let bytes = BatchBytes(capacity: max(1, repaired.utf8.count))
        bytes.write(repaired)
        owned.append(bytes)
        return bytes.bytes
    }
}

extension SessionRow {
    /// A checksum of everything but the row's number, valid in this process.
    var sum: UInt64 {
        var hasher = Hasher()
        for text in [name, flow, state, data, timers, problem, waiting, context] {
            hasher.combine(text?.count)
            if let text { hasher.combine(bytes: text) }
        }
        for number in [version, since, saved, life, seq] { hasher.combine(number) }
        hasher.combine(paused)
        hasher.combine(quarantined)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

// Rows as every store can have them: texts are UTF-8 without NUL, and times have a date in the calendar.

import GameFlow
import Memory
import Store

/// Puts rows right, and counts those for which it was necessary.
struct PlainRows {
    private(set) var repaired = 0
    /// Milliseconds from the year 1 to 9999.
    private static let times: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    mutating func withPlain<Result>(_ row: SessionRow, _ body: (SessionRow) throws -> Result) throws -> Result {
        guard row.name.isPlain else {
            throw StoreError(
                .unusable, "the session '\(row.name.string.prefix(64))' has a name that is no text in UTF-8: drop it first")
        }
        var plain = row
        plain.since = Self.times.clamping(row.since)
        let texts = PlainTexts()
        plain.replaceTexts(texts.plain)
        if texts.isUsed || plain.since != row.since { repaired += 1 }
        return try withExtendedLifetime(texts) { try body(plain) }
    }

    mutating func plain(_ line: StoredEntry) -> StoredEntry {
        var plain = line
        plain.at = Self.times.clamping(line.at)
        plain.name = ByteString(line.name.text.plain)
        plain.names = line.names.mapped(\.plain)
        plain.payload = line.payload?.plain
        plain.facts = line.facts.map { RefusalFacts(json: $0.json.plain) }
        if let repeats = line.repeats { plain.repeats?.lastAt = Self.times.clamping(repeats.lastAt) }
        if plain != line { repaired += 1 }
        return plain
    }
}

/// Keeps texts that had to be put right.
private final class PlainTexts {
    private var owned: [BatchBytes] = []

    var isUsed: Bool { !owned.isEmpty }

    func plain(_ text: Text) -> Text {
        guard !text.isPlain else { return text }
        let repaired = text.string.plain
        let bytes = BatchBytes(capacity: max(1, repaired.utf8.count))
        bytes.write(repaired)
        owned.append(bytes)
        return bytes.bytes
    }
}

extension Text {
    fileprivate var isPlain: Bool {
        allSatisfy { $0 != 0 && $0 < 0x80 } || !contains(0) && String(validating: self, as: UTF8.self) != nil
    }
}

extension String {
    fileprivate var plain: String {
        utf8.contains(0) ? String(String.UnicodeScalarView(unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : $0 })) : self
    }
}

extension ClosedRange<Int64> {
    fileprivate func clamping(_ number: Int64) -> Int64 { Swift.min(Swift.max(number, lowerBound), upperBound) }
}

extension SessionRow {
    /// Of everything but its number, within this process.
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

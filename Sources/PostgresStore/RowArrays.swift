// Rows as columns, in memory that is used again and again.

import Postgres
import Store

/// The rows of one transaction that have not been sent.
final class RowArrays {
    let drops = BinaryArray(of: .text)
    private let sessionTexts = (0..<8).map { _ in BinaryArray(of: .text) }
    private let sessionNumbers = (0..<5).map { _ in BinaryArray(of: .int64) }
    private let sessionFlags = (0..<2).map { _ in BinaryArray(of: .bool) }
    private let lineTexts = (0..<13).map { _ in BinaryArray(of: .text) }
    private let lineNumbers = (0..<5).map { _ in BinaryArray(of: .int64) }

    func removeAll() {
        drops.removeAll()
        for array in sessionTexts + sessionNumbers + sessionFlags + lineTexts + lineNumbers { array.removeAll() }
    }

    var sessionCount: Int { sessionTexts[0].count }
    var lineCount: Int { lineTexts[0].count }
    var bytes: Int { (sessionTexts + lineTexts).reduce(0) { $0 + $1.byteCount } }

    // MARK: Sessions

    func add(_ row: SessionRow, problem: Text?) {
        let texts: [Text?] = [row.name, row.flow, row.state, row.data, row.timers, problem, row.waiting, row.context]
        for (array, text) in zip(sessionTexts, texts) { array.append(text) }
        let numbers: [Int64?] = [row.version, row.since, row.saved, row.life, row.seq]
        for (array, number) in zip(sessionNumbers, numbers) { array.append(number) }
        sessionFlags[0].append(row.paused)
        sessionFlags[1].append(row.quarantined)
    }

    /// In the order of the statement.
    func sessions(of shard: Shard) -> [Parameter] {
        let (texts, numbers, flags) = (sessionTexts, sessionNumbers, sessionFlags)
        return [.int32(shard)]
            + [
                texts[0], texts[1], texts[2], texts[3], texts[4], numbers[0], numbers[1], numbers[2], flags[0], texts[5],
                numbers[3],
                texts[6], texts[7], flags[1], numbers[4],
            ].map { .array($0) }
    }

    func removeSessions() { for array in sessionTexts + sessionNumbers + sessionFlags { array.removeAll() } }

    // MARK: Lines

    func add(_ row: HistoryRow) {
        let texts: [Text?] = [
            row.name, row.source, row.event, row.timer, row.from, row.to, row.code, row.refused, row.payload, row.what, row.who,
            row.flow, row.definition,
        ]
        for (array, text) in zip(lineTexts, texts) { array.append(text) }
        let numbers: [Int64?] = [row.serial, row.at, row.version, row.life, row.seq]
        for (array, number) in zip(lineNumbers, numbers) { array.append(number) }
    }

    func lines(of shard: Shard) -> [Parameter] {
        let (texts, numbers) = (lineTexts, lineNumbers)
        return [.int32(shard)]
            + [
                numbers[0], texts[0], numbers[1], texts[1], texts[2], texts[3], texts[4], texts[5], numbers[2], texts[6],
                texts[7],
                texts[8], numbers[3], texts[9], numbers[4], texts[10], texts[11], texts[12],
            ].map { .array($0) }
    }

    func removeLines() { for array in lineTexts + lineNumbers { array.removeAll() } }
}

extension BinaryArray {
    /// PostgreSQL takes valid UTF-8 without zeros: what is not is repaired.
    fileprivate func append(_ text: Text?) {
        guard let text else { return appendNull() }
        if text.isStorable { append(text) } else { append(text.storable) }
    }

    fileprivate func append(_ number: Int64?) {
        if let number { append(number) } else { appendNull() }
    }
}

extension UnsafeRawBufferPointer {
    /// Nearly always it is ASCII, which is seen soonest.
    fileprivate var isStorable: Bool {
        var isPlain = true
        for byte in self where byte == 0 || byte >= 0x80 {
            isPlain = false
            break
        }
        return isPlain || !contains(0) && String(validating: self, as: UTF8.self) != nil
    }

    fileprivate var storable: String { String(decoding: self, as: UTF8.self).storable }
}

extension String {
    /// As it stands in the tables.
    var storable: String { String(unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : Character($0) }) }
}

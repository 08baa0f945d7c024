// Rows as columns, in memory that is used again and again.

import Postgres
import Store

/// The rows of one transaction that have not been sent.
final class RowArrays {
    let drops = BinaryArray(of: .text)
    private let sessionTexts = (0..<8).map { _ in BinaryArray(of: .text) }
    private let sessionNumbers = (0..<6).map { _ in BinaryArray(of: .int64) }
    private let sessionFlags = (0..<2).map { _ in BinaryArray(of: .bool) }
    private let blockTexts = (0..<2).map { _ in BinaryArray(of: .text) }
    private let blockNumbers = (0..<4).map { _ in BinaryArray(of: .int64) }
    private let repeatNumbers = (0..<6).map { _ in BinaryArray(of: .int64) }

    func removeAll() {
        drops.removeAll()
        for array in sessionTexts + sessionNumbers + sessionFlags + blockTexts + blockNumbers + repeatNumbers {
            array.removeAll()
        }
    }

    var sessionCount: Int { sessionTexts[0].count }
    var blockCount: Int { blockTexts[0].count }
    var repeatCount: Int { repeatNumbers[0].count }
    var bytes: Int { (sessionTexts + blockTexts).reduce(0) { $0 + $1.byteCount } }

    // MARK: Sessions

    func add(_ row: SessionRow, problem: Text?) {
        let texts: [Text?] = [row.name, row.flow, row.state, row.data, row.timers, problem, row.waiting, row.context]
        for (array, text) in zip(sessionTexts, texts) { array.append(text) }
        let numbers = [row.version, row.since, row.saved, row.life, row.seq, checksum(of: row)]
        for (array, number) in zip(sessionNumbers, numbers) { array.append(number) }
        sessionFlags[0].append(row.paused)
        sessionFlags[1].append(row.quarantined)
    }

    /// Of the row as it will be stored: some texts were repaired.
    private func checksum(of row: SessionRow) -> Int64 {
        var stored = row
        func text(_ index: Int) -> Text { sessionTexts[index].last ?? Text(start: nil, count: 0) }
        (stored.name, stored.flow, stored.state, stored.data, stored.timers) = (text(0), text(1), text(2), text(3), text(4))
        (stored.waiting, stored.context) = (sessionTexts[6].last, sessionTexts[7].last)
        return stored.checksum
    }

    func sessions(of shard: Shard) -> [Parameter] {
        [.int32(shard)] + (sessionTexts + sessionNumbers + sessionFlags).map { .array($0) }
    }

    // MARK: History

    func add(_ block: HistoryBlock) {
        blockTexts[0].append(json: block.names)
        blockTexts[1].append(json: block.entries)
        var stored = block
        (stored.names, stored.entries) = (blockTexts[0].last ?? block.names, blockTexts[1].last ?? block.entries)
        let numbers = [block.first, block.last, block.count, RowChecksum.of(stored)]
        for (array, number) in zip(blockNumbers, numbers) { array.append(number) }
    }

    func blocks(of shard: Shard) -> [Parameter] { [.int32(shard)] + (blockNumbers + blockTexts).map { .array($0) } }

    /// One statement has no two rows for one entry.
    func add(_ row: RepeatRow) {
        let numbers = [row.serial, row.times, row.lastAt, row.lastSeq, row.lastVersion, row.storedChecksum]
        for (array, number) in zip(repeatNumbers, numbers) { array.append(number) }
    }

    func repeats(of shard: Shard) -> [Parameter] { [.int32(shard)] + repeatNumbers.map { .array($0) } }
}

extension BinaryArray {
    /// PostgreSQL stores valid UTF-8 without zeros. Other text is repaired.
    fileprivate func append(_ text: Text?) {
        guard let text else { return appendNull() }
        if text.isStorable { append(text) } else { append(text.string.storable) }
    }

    /// PostgreSQL cannot show an escaped NUL of JSON as text: U+FFFD replaces it.
    fileprivate func append(json: Text) {
        guard json.hasEscapedZero else { return append(json as Text?) }
        withText(json.string.withoutEscapedZeros) { append($0 as Text?) }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var hasEscapedZero: Bool {
        var rest = self[...]
        while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
            rest = rest[(backslash + 1)...]
            if rest.starts(with: "u0000".utf8) { return true }
        }
        return false
    }
}

extension String {
    /// An escaped backslash begins no other escape. An escape is found by its bytes: as a character, it may be one with its neighbours.
    fileprivate var withoutEscapedZeros: String {
        var (rest, plain) = (Array(utf8)[...], [UInt8]())
        while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
            plain += rest[..<backslash]
            let escape = rest[backslash...]
            let isZero = escape.starts(with: "\\u0000".utf8)
            if isZero { plain += "\u{FFFD}".utf8 } else { plain += escape.prefix(2) }
            rest = escape.dropFirst(isZero ? 6 : 2)
        }
        return String(decoding: plain + rest, as: UTF8.self)
    }
}

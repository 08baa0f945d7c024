// Rows on their way from one store to another, as bytes: grouped by shard, so that one transaction has many, and summed up.

import Memory
import Store

/// Rows of one shard.
final class MovedRows {
    private let bytes = BatchBytes()
    private(set) var count = 0

    var size: Int { bytes.count }

    // MARK: Sessions

    /// Its row number stands first, since it counts in no sum. Returns the sum of the rest.
    func add(_ row: SessionRow) -> UInt64 {
        put(row.id)
        let start = bytes.count
        for text in [row.name, row.flow, row.state, row.data, row.timers, row.problem, row.waiting, row.context] { put(text) }
        for number in [row.version, row.since, row.saved, row.life, row.seq, row.paused ? 1 : 0, row.quarantined ? 1 : 0] {
            put(number)
        }
        return end(from: start)
    }

    func forEachSession(_ body: (SessionRow) throws -> Void) throws {
        var reader = BatchReader(bytes.bytes)
        while !reader.isAtEnd {
            let id = try reader.take(Int64.self)
            let texts = try (0..<8).map { _ in try reader.takeOptionalText() }
            let numbers = try (0..<7).map { _ in try reader.take(Int64.self) }
            try body(
                SessionRow(
                    id: id, name: texts[0].orEmpty, flow: texts[1].orEmpty, state: texts[2].orEmpty, data: texts[3].orEmpty,
                    timers: texts[4].orEmpty, version: numbers[0], since: numbers[1], saved: numbers[2],
                    paused: numbers[5] == 1,
                    problem: texts[5], life: numbers[3], waiting: texts[6], context: texts[7], quarantined: numbers[6] == 1,
                    seq: numbers[4]))
        }
    }

    // MARK: Bytes

    private func put(_ number: Int64) {
        bytes.reserve(8)
        bytes.put(number)
    }

    /// With its length before it; a missing one has none.
    private func put(_ text: Text?) {
        bytes.reserve(8 + (text?.count ?? 0))
        bytes.put(Int64(text?.count ?? -1))
        if let text { bytes.put(text) }
    }

    private func end(from start: Int) -> UInt64 {
        count += 1
        // FNV-1a.
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes.bytes[start...] { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return sum
    }
}

extension BatchReader {
    fileprivate mutating func takeOptionalText() throws(DamagedBatch) -> Text? {
        let count = try take(Int64.self)
        return count < 0 ? nil : try take(Int(clamping: count))
    }
}

extension Text? {
    fileprivate var orEmpty: Text { self ?? Text(start: nil, count: 0) }
}

// The rows of the two tables, with their own copies of the texts, which a store is only lent.

import Store

/// A text that may be missing.
typealias OwnedText = [UInt8]?

struct OwnedSessionRow: Equatable {
    let id: Int64
    private let texts: [OwnedText]
    private let numbers: [Int64?]
    private let flags: [Bool]

    init(_ row: SessionRow, at id: Int64, problem: String? = nil) {
        self.id = id
        texts =
            [row.name, row.flow, row.state, row.data, row.timers, row.extra, row.waiting, row.context].map {
                $0.map(Array.init)
            }
            + [problem.map { Array($0.utf8) }]
        numbers = [row.version, row.since, row.saved, row.life, row.seq]
        flags = [row.paused, row.quarantined]
    }

    func lend(_ body: (SessionRow) throws -> Void) rethrows {
        try withLent(texts) { texts in
            try body(
                SessionRow(
                    id: id, name: texts[0].orEmpty, flow: texts[1].orEmpty, state: texts[2].orEmpty, data: texts[3].orEmpty,
                    timers: texts[4].orEmpty, version: numbers[0] ?? 0, since: numbers[1] ?? 0, saved: numbers[2] ?? 0,
                    paused: flags[0], extra: texts[5], problem: texts[8], life: numbers[3] ?? 0, waiting: texts[6],
                    context: texts[7], quarantined: flags[1], seq: numbers[4] ?? 0))
        }
    }
}

struct OwnedHistoryBlock: Equatable {
    let first, last, count: Int64
    private let texts: [OwnedText]

    init(_ block: HistoryBlock) {
        (first, last, count) = (block.first, block.last, block.count)
        texts = [Array(block.names), Array(block.entries)]
    }

    func lend(with repeats: [RepeatRow], _ body: (HistoryBlock) throws -> Void) rethrows {
        try withLent(texts) { texts in
            var block = HistoryBlock(
                first: first, last: last, count: count, names: texts[0].orEmpty, entries: texts[1].orEmpty)
            block.repeats = repeats
            try body(block)
        }
    }
}

extension Text? {
    fileprivate var orEmpty: Text { self ?? Text(start: nil, count: 0) }
}

/// Lends all texts at once, in memory of exactly their length.
private func withLent(_ texts: [OwnedText], _ body: ([Text?]) throws -> Void) rethrows {
    let copies = texts.map { text -> UnsafeMutableRawBufferPointer? in
        guard let text else { return nil }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
        copy.copyBytes(from: text)
        return copy
    }
    defer { for copy in copies { copy?.deallocate() } }
    try body(copies.map { $0.map { Text($0) } })
}

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

struct OwnedHistoryRow: Equatable {
    let serial: Int64
    private let texts: [OwnedText]
    private let numbers: [Int64?]

    init(_ row: HistoryRow) {
        serial = row.serial
        texts = [
            row.name, row.source, row.event, row.timer, row.from, row.to, row.code, row.refused, row.payload, row.what, row.who,
            row.flow, row.definition,
        ].map { $0.map(Array.init) }
        numbers = [row.session, row.at, row.version, row.life, row.seq]
    }

    func lend(_ body: (HistoryRow) throws -> Void) rethrows {
        try withLent(texts) { texts in
            try body(
                HistoryRow(
                    serial: serial, session: numbers[0] ?? 0, name: texts[0].orEmpty, at: numbers[1] ?? 0,
                    source: texts[1].orEmpty, event: texts[2], timer: texts[3], from: texts[4].orEmpty, to: texts[5].orEmpty,
                    version: numbers[2] ?? 0, code: texts[6], refused: texts[7], payload: texts[8],
                    life: numbers[3] ?? 0, what: texts[9].orEmpty, seq: numbers[4] ?? 0, who: texts[10],
                    flow: texts[11].orEmpty, definition: texts[12]))
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

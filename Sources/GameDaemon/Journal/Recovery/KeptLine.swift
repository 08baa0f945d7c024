import JournalStore

/// A line of the history as the database has it.
struct KeptLine: Sendable {
    let serial: UInt64
    let session: Int64
    let name: String
    let atWallNanoseconds: Int64
    let source: String
    let event: String?
    let timer: String?
    let from: String
    let to: String
    let version: UInt32
    let code: String?
    let refused: String?
    let payload: String?
    let life: Int64?

    init(_ row: HistoryRow) {
        serial = UInt64(max(0, row.serial))
        session = row.session
        name = row.name.string
        atWallNanoseconds = wallNanoseconds(milliseconds: row.at)
        source = row.source.string
        event = row.event?.string
        timer = row.timer?.string
        from = row.from.string
        to = row.to.string
        version = UInt32(truncatingIfNeeded: row.version)
        code = row.code?.string
        refused = row.refused?.string
        payload = row.payload?.string
        life = row.life
    }
}

extension KeptLine {
    /// The row that it was, but for its place.
    func withRow(at place: Int64, _ body: (HistoryRow) throws(StoreError) -> Void) throws(StoreError) {
        let texts = [name, source, event, timer, from, to, code, refused, payload]
        let bytes = texts.reduce(into: [UInt8]()) { $0 += ($1 ?? "").utf8 }
        try bytes.span.withUnsafeBytes { bytes throws(StoreError) in
            var start = 0
            let parts = texts.map { text -> Text? in
                guard let text else { return nil }
                defer { start += text.utf8.count }
                return Text(rebasing: bytes[start..<start + text.utf8.count])
            }
            func part(_ index: Int) -> Text { parts[index] ?? Text(start: nil, count: 0) }
            try body(
                HistoryRow(
                    serial: Int64(serial), session: place, name: part(0), at: atWallNanoseconds / 1_000_000, source: part(1),
                    event: parts[2], timer: parts[3], from: part(4), to: part(5), version: Int64(version), code: parts[6],
                    refused: parts[7], payload: parts[8], life: life))
        }
    }
}

import RESP
import Store

/// A history line as the store has it.
package struct StoredLine: Sendable {
    let serial: UInt64
    let session: Int64
    let name: ByteString
    let atWallNanoseconds: Int64
    let source: String
    let event: String?
    let timer: String?
    let from: String
    let to: String
    /// Nil in a line from before lives were numbered.
    let life: Int64?
    let version: UInt32
    let code: String?
    let refused: String?
    let payload: String?

    /// The inverse of what `RowText` writes.
    var isPostponed: Bool { refused == nil && code == "POSTPONED" }

    init(_ row: HistoryRow) {
        serial = UInt64(max(0, row.serial))
        session = row.session
        name = ByteString(row.name)
        atWallNanoseconds = wallNanoseconds(milliseconds: row.at)
        source = row.source.string
        event = row.event?.string
        timer = row.timer?.string
        from = row.from.string
        to = row.to.string
        life = row.life
        version = UInt32(truncatingIfNeeded: row.version)
        code = row.code?.string
        refused = row.refused?.string
        payload = row.payload?.string
    }
}

extension StoredLine {
    /// Lends its row, with another slot.
    func withRow(at slot: Int64, _ body: (HistoryRow) throws(StoreError) -> Void) throws(StoreError) {
        let texts = [source, event, timer, from, to, code, refused, payload]
        let bytes = texts.reduce(into: name.withBytes { [UInt8]($0) }) { $0 += ($1 ?? "").utf8 }
        try bytes.span.withUnsafeBytes { bytes throws(StoreError) in
            var start = name.count
            let parts = texts.map { text -> Text? in
                guard let text else { return nil }
                defer { start += text.utf8.count }
                return Text(rebasing: bytes[start..<start + text.utf8.count])
            }
            func part(_ index: Int) -> Text { parts[index] ?? Text(start: nil, count: 0) }
            try body(
                HistoryRow(
                    serial: Int64(serial), session: slot, name: Text(rebasing: bytes[..<name.count]),
                    at: atWallNanoseconds / 1_000_000, source: part(0), event: parts[1], timer: parts[2], from: part(3),
                    to: part(4), version: Int64(version), code: parts[5], refused: parts[6], payload: parts[7], life: life))
        }
    }
}

import GameFlow
import RESP
import Sessions
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
    let life: Int64
    let version: UInt32
    let code: String?
    let refused: String?
    let payload: String?
    let what: Happening
    let seq: Int64
    let who: String?
    let flow: String
    /// The definition of its flow under which it came about.
    let definition: String?

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
        let word = row.what.string
        // A row that was edited by hand may say anything.
        what = Happening.allCases.first { $0.name == word } ?? (row.refused == nil ? .taken : .refused)
        seq = row.seq
        who = row.who?.string
        flow = row.flow.string
        definition = row.definition?.string
    }
}

extension StoredLine {
    /// Lends its row, with another slot.
    func withRow(at slot: Int64, _ body: (HistoryRow) throws(StoreError) -> Void) throws(StoreError) {
        let texts = [source, event, timer, from, to, code, refused, payload, what.name, who, flow, definition]
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
                    to: part(4), version: Int64(version), code: parts[5], refused: parts[6], payload: parts[7], life: life,
                    what: part(8), seq: seq, who: parts[9], flow: part(10), definition: parts[11]))
        }
    }
}

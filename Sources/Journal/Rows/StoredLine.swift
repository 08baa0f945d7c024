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

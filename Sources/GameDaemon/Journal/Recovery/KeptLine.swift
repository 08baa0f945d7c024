import JournalStore
import RESP

/// A line of the history as the database has it.
struct KeptLine: Sendable {
    let serial: UInt64
    let session: Int64
    let name: ByteString
    let atWallNanoseconds: Int64
    let source: String
    let event: String?
    let timer: String?
    let from: String
    let to: String
    /// Nil in a line from before lives had numbers.
    let life: Int64?
    let version: UInt32
    let code: String?
    let refused: String?
    let payload: String?

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

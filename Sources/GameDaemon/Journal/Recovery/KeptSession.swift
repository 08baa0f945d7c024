// A session as the database has it, read back on the writer's thread: what takes time is done there, and the loop only makes the
// machine.

import GameFlow
import JournalStore

struct KeptSession: Sendable {
    let id: Int64
    let name: String
    let flow: String
    let state: String
    let version: UInt32
    let isFrozen: Bool
    let sinceWallNanoseconds: Int64
    let kept: KeptTime
    /// As they were read, for a row that has to be set aside; what is nothing is not kept.
    private let dataText: String?
    private let timersText: String
    let contents: Result<Contents, RestoringError>
    let wasAside: Bool

    struct Contents: Sendable {
        let data: JSON
        let timers: [TimerImage]
    }

    init(_ row: SessionRow) {
        id = row.id
        name = row.name.string
        flow = row.flow.string
        state = row.state.string
        version = UInt32(truncatingIfNeeded: row.version)
        isFrozen = row.paused
        sinceWallNanoseconds = wallNanoseconds(milliseconds: row.since)
        kept = KeptTime(text: row.extra, wallNanoseconds: plausible(row.saved))
        dataText = row.data.elementsEqual("{}".utf8) ? nil : row.data.string
        timersText = row.timers.string
        contents = Self.contents(dataText, row.timers)
        wasAside = row.id < 0
    }

    private static func contents(_ data: String?, _ timers: UnsafeRawBufferPointer) -> Result<Contents, RestoringError> {
        do throws(JSONError) {
            let data = try data.map { data throws(JSONError) in try JSON(parsing: data) } ?? JSON.object([])
            return .success(Contents(data: data, timers: try TimersText.read(timers)))
        } catch {
            return .failure(RestoringError("what was kept of it is no JSON: \(error)"))
        }
    }

    /// The row that it was, for the table of those that are set aside.
    func withRow(_ body: (SessionRow) throws(StoreError) -> Void) throws(StoreError) {
        let text = [name, flow, state, dataText ?? "{}", timersText, kept.text].map { Array($0.utf8) }
        let flat = text.flatMap { $0 }
        var failure: StoreError?
        flat.withUnsafeBytes { bytes in
            var start = 0
            let parts = text.map { part in
                defer { start += part.count }
                return UnsafeRawBufferPointer(rebasing: bytes[start..<start + part.count])
            }
            do throws(StoreError) {
                try body(
                    SessionRow(
                        id: id, name: parts[0], flow: parts[1], state: parts[2], data: parts[3], timers: parts[4],
                        version: Int64(version), since: sinceWallNanoseconds / 1_000_000, saved: kept.time.wallNanoseconds,
                        paused: isFrozen, extra: parts[5]))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}

/// Whatever a file says, one can reckon with it.
private func plausible(_ nanoseconds: Int64) -> Int64 { min(max(0, nanoseconds), Int64.max / 4) }

private func wallNanoseconds(milliseconds: Int64) -> Int64 {
    let (nanoseconds, isBeyond) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return plausible(isBeyond ? .max : nanoseconds)
}

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
    }
}

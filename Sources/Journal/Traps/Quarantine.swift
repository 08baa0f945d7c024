// One session must not take the daemon down twice: the session that the previous daemon died of is quarantined before any is
// restored.

import GameFlow
import Sessions
import Store

/// Runs on the writer's thread, once the log is in the tables.
struct Quarantine: Sendable {
    let record: FlightRecord
    let file: FlightFile

    /// Returns a sentence for the log. By then the session is quarantined on disk and the record is cleared.
    func apply(to tables: any StoreTables) throws -> String? {
        guard let mark = record.mark else { return nil }
        var news = "the previous daemon was ended by \(record.signalName): "
        if var quarantined = try find(mark, in: tables) {
            try tables.write(.only, coveringLogThrough: nil) { writer throws(StoreError) in try quarantined.move(by: writer) }
            try tables.sync()
            news += quarantined.problem
        } else {
            news += record.problemWithoutSession(mark)
        }
        Failpoint.hit("after-quarantine")
        try file.clearSignal()
        return news
    }

    private struct SearchFinished: Error {}

    private func find(_ mark: FlightMark, in tables: any StoreTables) throws -> SetAsideRow? {
        guard let id = mark.row else { return nil }
        var found: SetAsideRow?
        do {
            try tables.load(
                .only, entries: 0, summary: { _ in },
                sessions: { row in
                    guard row.id == id else { return }
                    if mark.isOf(row) { found = quarantined(row, mark) }
                    throw SearchFinished()
                }, history: { _ in throw SearchFinished() })
        } catch is SearchFinished {}
        return found
    }

    private func quarantined(_ row: SessionRow, _ mark: FlightMark) -> SetAsideRow {
        let problem = FlightRecord.problem(mark, record.names, session: row.name.string, flow: row.flow.string)
        return SetAsideRow(row, problem: problem, isQuarantined: true)
    }
}

extension FlightMark {
    /// The session's row number; nil if it has no row.
    fileprivate var row: Int64? {
        switch deed {
        case .restoring: Int64(Int32(bitPattern: slot))
        case .event, .timer, .work, .read, .force, .command: slot == Self.noSlot ? nil : Int64(slot)
        }
    }

    /// The row on disk may be of an earlier session in the same slot: the life tells.
    fileprivate func isOf(_ row: SessionRow) -> Bool {
        stamp == 0 || LifeCounter.stamp(of: Life(truncatingIfNeeded: row.life)) == stamp
    }

    /// For a row being restored. Rows that were set aside have numbers below zero.
    package init(restoring row: Int64) {
        self.init(
            .restoring, of: row == SessionRow.unnumbered ? Self.noSlot : UInt32(bitPattern: Int32(truncatingIfNeeded: row)))
    }
}

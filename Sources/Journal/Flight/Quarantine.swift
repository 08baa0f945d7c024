// One session must not take the daemon down twice: the one that the gamed before this one has died of is set aside, before any is
// restored.

import GameFlow
import Sessions
import Store

/// Carried out on the writer's thread, when the log is in the tables.
struct Quarantine: Sendable {
    let record: FlightRecord
    let file: FlightFile
    let moment: StoredTime

    /// Returns what the operator is to be told. When this returns, the session is set aside on disk and the record is cleared.
    func carryOut(on store: any Store) throws -> String? {
        guard let mark = record.mark else { return nil }
        var news = "the gamed before this one was ended by \(record.signalName): "
        if let row = try find(mark, in: store) {
            let problem = FlightRecord.problem(mark, record.names, session: row.name.text, flow: row.flow)
            try store.materialize { writer throws(StoreError) in
                _ = try FailedSession(row: row, problem: problem, isQuarantined: true).moved(by: writer)
            }
            try store.sync()
            news += problem
        } else {
            news += record.problemWithoutSession(mark)
        }
        Failpoint.hit("after-quarantine")
        try file.clearSignal()
        return news
    }

    private struct IsFound: Error {}

    private func find(_ mark: FlightMark, in store: any Store) throws -> StoredRow? {
        guard let id = mark.row else { return nil }
        var found = SessionCollector(until: moment)
        do {
            try store.load(
                sessions: { row in
                    guard row.id == id else { return }
                    if mark.isOf(row) { found.append(row) }
                    throw IsFound()
                }, history: { _ in throw IsFound() }, log: { _, _ in })
        } catch is IsFound {}
        return found.part.sessions.first.map { found.part.row(of: $0) }
    }
}

extension FlightMark {
    /// The number of the row of that session; nil if it can have none.
    fileprivate var row: Int64? {
        switch deed {
        case .restoring: Int64(Int32(bitPattern: place))
        case .event, .timer, .work, .look, .force, .command: place == Self.nowhere ? nil : Int64(place)
        }
    }

    /// A place may have been another's when what is on disk was written.
    fileprivate func isOf(_ row: SessionRow) -> Bool {
        guard stamp != 0, let life = row.life else { return true }
        return LifeCounter.stamp(of: Life(truncatingIfNeeded: life)) == stamp
    }

    /// For a row that is being restored: those that were set aside have numbers below zero.
    package init(restoring row: Int64) {
        self.init(.restoring, of: UInt32(bitPattern: Int32(truncatingIfNeeded: row)))
    }
}

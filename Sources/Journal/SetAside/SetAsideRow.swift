// A session that a start has set aside: its row for when it is tried again, its history for HISTORY.

import GameFlow
import Sessions
import Store

struct SetAsideRow: Sendable {
    /// The number of a session whose row has none.
    private static let nowhere: Int64 = -1

    private(set) var row: StoredRow
    /// Why it is set aside.
    let problem: String
    /// Whether only RETRY restores it: the daemon died of it, or its row was damaged.
    let isQuarantined: Bool
    /// The newest last.
    private(set) var lines: [StoredEntry] = []

    var session: SetAsideSession {
        SetAsideSession(
            name: row.name, id: row.session.hasNumber ? row.session.id : Self.nowhere, flow: row.flow, problem: problem,
            isQuarantined: isQuarantined)
    }

    init(_ row: StoredRow, problem: String, isQuarantined: Bool) {
        (self.row, self.problem, self.isQuarantined) = (row, problem, isQuarantined)
    }

    /// Moves the row out of the way of live sessions.
    mutating func move(by writer: any TableWriter) throws(StoreError) {
        var id = row.session.id
        try row.withRow { row throws(StoreError) in
            var row = row
            row.quarantined = isQuarantined
            id = try writer.keepUnrestored(row, because: problem)
        }
        row.move(to: id)
    }

    /// Its row was moved out of the way of live sessions.
    mutating func move(to id: Int64) { row.move(to: id) }

    /// Adds a history line of its name, unless it belongs to another session. Lines come in order.
    mutating func add(_ line: StoredEntry, atMost most: Int) {
        guard line.life == row.session.life else { return }
        lines.append(line)
        if lines.count > most { lines.removeFirst() }
    }
}

extension HistoryEntryText {
    /// A stored line, in words. Its flow need not be here any more.
    init(_ line: StoredEntry, of flow: FlowKind?) {
        self.init(
            seq: Int(line.seq), version: Int(line.version), at: line.atWallNanoseconds, kind: line.kind,
            source: line.eventSource, event: line.event, payload: line.payload, timer: line.timer, from: line.from, to: line.to,
            code: line.kind == .refused ? line.code.map { ErrorCode($0) } : nil, refused: line.refused(by: flow),
            accepted: line.facts?.accepted, actor: line.actor, definition: line.definition,
            repeats: line.repeats.map {
                Repeats(
                    times: Int($0.times), lastAt: $0.lastWallNanoseconds, lastSeq: Int($0.lastSeq),
                    lastVersion: Int($0.lastVersion))
            })
    }
}

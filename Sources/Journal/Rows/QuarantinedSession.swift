// A session that the daemon died of, or whose row was damaged: its row for RETRY, its history for HISTORY.

import GameFlow
import Sessions

struct QuarantinedSession: Sendable {
    private(set) var row: StoredRow
    /// Why it is quarantined.
    let problem: String
    /// The newest last.
    private(set) var lines: [StoredLine] = []
    private let mostLines: Int

    init(_ row: StoredRow, mostLines: Int) {
        self.row = row
        problem = row.problem ?? "its row was damaged"
        self.mostLines = mostLines
    }

    /// Its row was moved out of the way of live sessions.
    mutating func move(to id: Int64) { row.move(to: id) }

    /// Adds a history line of its name, unless it belongs to another session. Lines come in order.
    mutating func add(_ line: StoredLine) {
        if let life = row.session.life, let its = line.life {
            guard its == life else { return }
        } else if let last = lines.last, !follows(line, last) {
            lines = []
        }
        lines.append(line)
        if lines.count > mostLines { lines.removeFirst() }
    }

    /// Versions without a gap in one slot are of one session; otherwise the earlier lines belong to another.
    private func follows(_ line: StoredLine, _ last: StoredLine) -> Bool {
        line.session == last.session && line.version == (line.what.isChange ? last.version &+ 1 : last.version)
    }

    /// Unnumbered lines that do not lead to the row's version belong to another session.
    mutating func forgetOthers() {
        if let last = lines.last, last.life == nil, Int64(last.version) != row.session.version { lines = [] }
    }
}

extension PastEvent {
    /// A stored line, in words.
    init(_ line: StoredLine) {
        self.init(
            atWallNanoseconds: line.atWallNanoseconds, source: line.source,
            event: line.event ?? line.what.deed ?? "", payload: line.payload,
            timer: line.timer, what: line.what, from: line.from, to: line.to, version: Int(line.version),
            code: line.what == .refused ? line.code.map { ErrorCode($0) } : nil, refused: line.refused, who: line.who)
    }
}

// A session that a start has set aside: its row for when it is tried again, its history for HISTORY.

import GameFlow
import Memory
import Sessions
import Store

struct SetAsideRow: Sendable {
    /// The number of a session without a row number.
    private static let nowhere: Int64 = -1
    /// The names of more might not fit a batch. No flow has as many.
    private static let maxTimers = 10_000

    /// Its row alone, as it was read.
    private let rows = SessionRows()
    /// Its row's number, which changes when the row is moved out of the way of live sessions.
    var id: Int64
    let name: ByteString
    let flow: String
    private let life: Int64
    /// Why it is set aside.
    let problem: String
    /// Whether only RETRY restores it: the daemon died of it, or its row was damaged.
    let isQuarantined: Bool
    /// The newest last.
    private(set) var lines: [StoredEntry] = []

    var session: SetAsideSession {
        SetAsideSession(
            name: name, id: id == SessionRow.unnumbered ? Self.nowhere : id, flow: flow, problem: problem,
            isQuarantined: isQuarantined)
    }

    init(_ row: SessionRow, problem: String, isQuarantined: Bool) {
        rows.append(row)
        (id, name, flow, life) = (row.id, ByteString(row.name), row.flow.string, row.life)
        (self.problem, self.isQuarantined) = (problem, isQuarantined)
    }

    /// Lends its row as a store's.
    func withRow<Result, Failure: Error>(_ body: (SessionRow) throws(Failure) -> Result) throws(Failure) -> Result {
        try rows.withRow(0) { row throws(Failure) in
            var row = row
            row.id = id
            return try body(row)
        }
    }

    /// Its timers, for an image. Nil if it gets none: it is quarantined, or its timers cannot be read.
    var timers: [TimerImage]? {
        guard !isQuarantined else { return nil }
        return withRow { row in
            var timers: [TimerImage] = []
            guard (try? TimersText.read(row.timers, into: &timers)) != nil, timers.count <= Self.maxTimers else { return nil }
            return timers
        }
    }

    /// Its timers with the mark that it is set aside. Nil without need for it: its row has the mark or another one, or the session does not expire.
    var markedTimers: [TimerImage]? {
        guard let timers else { return nil }
        let marks = ImageMarks(timers[...])
        guard marks.untouched != nil, !marks.wasSetAside else { return nil }
        return timers.map { ExpiryRule.untouched(in: $0) == nil ? $0 : $0.paused }
    }

    /// Moves the row out of the way of live sessions.
    mutating func move(by writer: any TableWriter) throws(StoreError) {
        id = try withRow { row throws(StoreError) in
            var row = row
            row.quarantined = isQuarantined
            return try writer.writeSetAside(row, because: problem)
        }
    }

    /// Adds a history entry of its name, unless it belongs to another session. Entries come in order.
    mutating func add(_ line: StoredEntry, atMost most: Int) {
        guard line.life == life else { return }
        lines.append(line)
        if lines.count > most { lines.removeFirst() }
    }
}

extension ReservedSlot {
    /// Lends the row of its image, and separately its timers and marks, unless its state could not be encoded.
    /// `savedAt`: when the image was taken, in nanoseconds since 1970.
    func withRow(ofFlow flow: String, savedAt: Int64, _ body: (SessionRow, [TimerImage]) throws -> Void) rethrows {
        guard let image else { return }
        let since = savedAt - max(0, image.since.map { at.nanoseconds(since: $0) } ?? 0)
        let texts = [flow, state, image.data.description, "[]", image.events?.text ?? "", image.context?.description ?? ""]
        try withText(texts.joined()) { all in
            var start = 0
            let parts = texts.map { text in
                defer { start += text.utf8.count }
                return Text(rebasing: all[start..<start + text.utf8.count])
            }
            let row = SessionRow(
                id: SessionRow.unnumbered, name: Text(rebasing: all[..<0]), flow: parts[0], state: parts[1], data: parts[2],
                timers: parts[3], version: Int64(version),
                since: since / 1_000_000 + (since % 1_000_000 > 0 ? 1 : 0), saved: savedAt, paused: image.isFrozen,
                life: Int64(life), waiting: parts[4].isEmpty ? nil : parts[4], context: parts[5].isEmpty ? nil : parts[5],
                seq: Int64(seq))
            try body(row, marks + image.timers)
        }
    }

    /// As `BatchEncoder` writes them for a session with a machine.
    private var marks: [TimerImage] {
        let halt = TimerImage(name: ImageMarks.halted, kind: .countdown, left: .zero, isPaused: false)
        return (expiry.map { [$0] } ?? []) + (image?.isHalted == true ? [halt] : [])
    }
}

extension TimerImage {
    fileprivate var paused: TimerImage {
        TimerImage(name: name, kind: kind, left: left, isPaused: true, milestonesDue: milestonesDue)
    }
}

extension HistoryEntryText {
    /// A stored entry, in words. Its flow may be gone.
    init(_ line: StoredEntry, of flow: FlowKind?) {
        let names = line.names
        self.init(
            seq: Int(line.seq), version: Int(line.version), at: line.atWallNanoseconds, kind: line.kind,
            source: line.eventSource, event: names.event, payload: line.payload, timer: names.timer, from: names.from,
            to: names.to, code: line.kind == .refused ? names.code.map { ErrorCode($0) } : nil,
            refused: line.refused(by: flow), accepted: line.facts?.accepted, actor: names.actor, definition: names.definition,
            repeats: line.repeats.map {
                Repeats(
                    times: Int($0.times), lastAt: $0.lastWallNanoseconds, lastSeq: Int($0.lastSeq),
                    lastVersion: Int($0.lastVersion))
            })
    }
}

// Makes sessions of a shard's parts. The rest of the daemon keeps running, so each part is a bounded piece of a turn.

import GameFlow
import Memory
import Sessions
import Store
import Timers

final class ShardRestorer {
    let load: ShardLoad
    private let sessions: Sessions
    private let sessionHistory: Int
    /// The flow of the latest row: neighbouring rows are mostly of the same one.
    private var latest: FlowKind?
    /// Machines with waiting events.
    private var waiting: [AnyMachine] = []
    /// Machines of sessions that were set aside when their images were recorded.
    private var marked: [AnyMachine] = []
    /// The part that is being restored, and the index of its current row. A trap's report reads them.
    private var rows: SessionRows?
    private var currentRow: Int?
    private(set) var restored = 0
    private(set) var lines = 0
    /// Sessions that are set aside, by name.
    private(set) var held: [ByteString: SetAsideRow] = [:]
    /// Sessions that were set aside, and could be restored this time.
    private var returned: [ByteString: (held: SetAsideRow, machine: AnyMachine)] = [:]
    /// Rows that must move before new sessions get their slots.
    private(set) var failed: [SetAsideRow] = []
    /// Parts of restored sessions that a changed flow lacks, by flow.
    private var lost: [String: LostParts] = [:]
    /// Rows with the name of another session.
    private var namesakes: [SetAsideSession] = []

    /// Where the sessions' downtime ends; nil before the first part.
    private var downtime: Instant?
    private let onRestored: (_ slot: UInt32) -> Void

    init(_ load: ShardLoad, in sessions: Sessions, sessionHistory: Int, onRestored: @escaping (_ slot: UInt32) -> Void) {
        self.load = load
        self.onRestored = onRestored
        self.sessions = sessions
        self.sessionHistory = sessionHistory
    }

    func begin(_ summary: ShardSummary) {
        downtime = sessions.timekeeper.endOfDowntime
        sessions.continueLives(afterAtLeast: Life(clamping: summary.lastLife))
        sessions.advanceSerial(to: UInt64(max(0, summary.nextSerial)))
        if summary.slotsInUse > 0 { sessions.makeRoom(for: summary.slotsInUse) }
    }

    // MARK: Sessions

    func restore(_ part: SessionRows) {
        let late = sessions.nanoseconds(since: load.moment)
        // Flows may have changed since the last part.
        latest = nil
        let images = part.images
        rows = part
        defer { (rows, currentRow) = (nil, nil) }
        part.forEach {
            sessions.prefetch(ByteView($0))
        } _: { index, row in
            guard !row.isQuarantined else { return hold(row) }
            currentRow = index
            do {
                var image = try images[index].get()
                try restore(row, &image, late)
                restored += 1
            } catch {
                fail(row, because: "\(error)")
            }
            currentRow = nil
        }
    }

    private func restore(_ row: SessionRow, _ image: inout SessionImage, _ late: Int64) throws {
        let name = ByteView(row.name)
        try SessionName.checkLength(ofStored: name.count)
        guard let vacancy = sessions.vacancy(for: name), returned.isEmpty || returned[ByteString(name.bytes)] == nil else {
            throw RestorationError("there is another session of that name")
        }
        let flow = try flow(of: row)
        guard row.id < SessionTable.maxSessions else {
            throw RestorationError("its row number \(row.id) is beyond what this version can hold")
        }
        let machine = try sessions.machine(restoring: row, &image, of: flow, late: late)
        let parts = image.lostParts(in: machine)
        if !parts.isEmpty {
            lost[flow.name, default: LostParts(of: flow.name, groupingValues: true)].add(parts, of: row.name.string)
        }
        if row.waiting != nil { waiting.append(machine) }
        guard !row.wasUnrestored else {
            returned[ByteString(name.bytes)] = (SetAsideRow(row, problem: "", isQuarantined: false), machine)
            return
        }
        let seq = UInt32(truncatingIfNeeded: row.seq)
        if row.hasNumber {
            sessions.restore(name, machine, at: UInt32(row.id), row.knownLife, seq: seq, vacancy)
        } else {
            sessions.restore(ByteString(name.bytes), machine, row.knownLife, seq: seq)
        }
        sessions.restoreExpiry(of: machine, image)
        if image.wasSetAside { marked.append(machine) }
        onRestored(machine.tag)
    }

    private func flow(of row: SessionRow) throws(RestorationError) -> FlowKind {
        if let latest, withText(latest.name, { $0.hasSameBytes(as: row.flow) }) { return latest }
        let flow = try sessions.hosted(row.flow.string)
        latest = flow
        return flow
    }

    /// Lends the row of the session that is being restored; returns nil between sessions.
    func withRowUnderWay<Result>(_ body: (SessionRow) -> Result) -> Result? {
        currentRow.flatMap { index in rows?.withRow(index, body) }
    }

    /// The parts that restored sessions have lost, in the order of their flows' names.
    var lostParts: [LostParts] { lost.values.sorted { $0.flow < $1.flow } }

    // MARK: Setting aside

    /// A quarantined session. Its history entries come later.
    private func hold(_ row: SessionRow) {
        let problem = row.problem.flatMap { $0.isEmpty ? nil : $0.string }
        let quarantined = SetAsideRow(row, problem: problem ?? "its row was damaged", isQuarantined: true)
        if row.hasNumber, row.isDamaged || !row.wasUnrestored { failed.append(quarantined) }
        held[quarantined.name] = quarantined
    }

    private func fail(_ row: SessionRow, because problem: String) {
        let unfit = SetAsideRow(row, problem: problem, isQuarantined: false)
        if row.hasNumber { failed.append(unfit) }
        if sessions.find(unfit.name) == nil, held[unfit.name] == nil { held[unfit.name] = unfit }
    }

    /// There is one for each in `failed`.
    func move(to moved: [SetAsideRow]) {
        for (failed, moved) in zip(failed, moved) {
            if held[moved.name]?.id == failed.id {
                held[moved.name]?.id = moved.id
            } else {
                namesakes.append(moved.session)
            }
        }
    }

    /// The sessions that are set aside. They have rows in `held`, unless another session has their name.
    var setAside: [SetAsideSession] { namesakes + held.values.map(\.session) }

    // MARK: History

    func restore(_ lines: [StoredEntry]) {
        let wall = sessions.wallNanoseconds(since: load.moment)
        var indices = EntryIndexCache()
        for index in lines.indices { restore(lines[index], &indices, at: wall) }
    }

    private func restore(_ line: StoredEntry, _ indices: inout EntryIndexCache, at wall: Int64) {
        if let machine = machine(of: line) {
            sessions.restore(sessions.past(line, machine.kind, &indices, at: wall), recorded: line.serial, of: machine)
            lines += 1
        } else if held[line.name] != nil {
            held[line.name]?.add(line, atMost: sessionHistory)
            sessions.advanceSerial(to: line.serial + 1)
        } else {
            returned[line.name]?.held.add(line, atMost: sessionHistory)
            restoreOfGone(line, &indices, at: wall)
        }
    }

    /// An entry of a session that is gone: it can be read for as long as it is kept. Its slot may be another session's by now.
    private func restoreOfGone(_ line: StoredEntry, _ indices: inout EntryIndexCache, at wall: Int64) {
        guard let flow = sessions.flow(named: line.names.flow), returned[line.name] == nil else {
            return sessions.advanceSerial(to: line.serial + 1)
        }
        sessions.restore(
            sessions.past(line, flow, &indices, at: wall), recorded: line.serial, ofGone: Life(truncatingIfNeeded: line.life),
            named: line.name, flow, slot: SessionTable.noSlot - 1)
        lines += 1
    }

    private func machine(of line: StoredEntry) -> AnyMachine? {
        guard let session = sessions.find(line.name), line.life == Int64(session.life) else { return nil }
        return session.machine
    }

    // MARK: The end

    /// Called once the shard is served: reinstates sessions that were set aside before, and resumes the work that waited.
    func finish(droppingRow drop: (SetAsideSession) -> Void) {
        for (name, session) in returned {
            let held = session.held
            // Both rows have the same name: the old one is dropped before the new one is recorded.
            drop(SetAsideSession(name: name, id: held.id, flow: held.flow, problem: ""))
            guard sessions.find(name) == nil else { continue }
            sessions.readmit(held, session.machine)
            sessions.restoreHistory(held.lines, of: session.machine, at: sessions.wallNanoseconds(since: load.moment))
        }
        // Otherwise each start would give them their full time until expiry again.
        for machine in marked { sessions.recordImage(of: machine) }
        sessions.relinkReturned()
        if let downtime { sessions.timekeeper.serviceDidBegin(after: downtime) }
        for machine in waiting { machine.resumeWaitingEvents() }
    }
}

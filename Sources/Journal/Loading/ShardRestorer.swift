// Makes sessions of a shard's parts. The rest of the daemon goes on meanwhile, so each part is a bounded piece of a turn.

import GameFlow
import Memory
import RESP
import Sessions
import Store

final class ShardRestorer {
    let load: ShardLoad
    private let sessions: Sessions
    private let sessionHistory: Int
    private var states: [StoredState] = []
    private var startingStates: [Result<StartingState, RestoringError>] = []
    /// The change of flows after which the starting states were looked up.
    private var flowChanges = -1
    /// Machines with waiting events.
    private var waiting: [AnyMachine] = []
    /// The session whose machine is being made, and its part.
    private var underWay: StoredSession?
    private var part = StoredSessions()
    private(set) var restored = 0
    private(set) var lines = 0
    /// Sessions that are set aside, by name.
    private(set) var held: [ByteString: SetAsideRow] = [:]
    /// Sessions that were set aside, and could be restored this time.
    private var returned: [ByteString: (held: SetAsideRow, machine: AnyMachine)] = [:]
    /// Rows that must move before new sessions get their slots.
    private(set) var failed: [SetAsideRow] = []
    /// Rows whose name another session has.
    private var namesakes: [SetAsideSession] = []

    private let onRestored: (_ slot: UInt32) -> Void

    init(_ load: ShardLoad, in sessions: Sessions, sessionHistory: Int, onRestored: @escaping (_ slot: UInt32) -> Void) {
        self.load = load
        self.onRestored = onRestored
        self.sessions = sessions
        self.sessionHistory = sessionHistory
    }

    func begin(_ summary: ShardSummary) {
        sessions.continueLives(afterAtLeast: Life(clamping: summary.lastLife))
        sessions.advanceSerial(to: UInt64(max(0, summary.nextSerial)))
        if summary.slotsInUse > 0 { sessions.makeRoom(for: summary.slotsInUse) }
    }

    // MARK: Sessions

    func restore(_ part: StoredSessions) {
        self.part = part
        defer { self.part = StoredSessions() }
        findStartingStates(part.newStates)
        let late = sessions.nanoseconds(since: load.moment)
        part.forEach {
            sessions.prefetch(Argument($0))
        } _: { session, name in
            guard !session.isQuarantined else { return hold(part.row(of: session)) }
            do {
                try restore(session, Argument(name), part, late)
                restored += 1
            } catch {
                fail(part.row(of: session), because: "\(error)")
            }
        }
    }

    /// A change of flows moves the sessions that are there when it begins. Those that come later begin with the new definitions.
    private func findStartingStates(_ newStates: [StoredState]) {
        states += newStates
        if flowChanges == sessions.flowChanges {
            startingStates += newStates.map(sessions.startingState)
        } else {
            startingStates = states.map(sessions.startingState)
            flowChanges = sessions.flowChanges
        }
    }

    private func restore(_ session: StoredSession, _ name: Argument, _ part: StoredSessions, _ late: Int64) throws {
        guard (1...SessionName.longest).contains(name.count) else {
            throw RestoringError("a session's name has 1 to \(SessionName.longest) bytes, and not \(name.count)")
        }
        guard let vacancy = sessions.vacancy(for: name), returned.isEmpty || returned[ByteString(name.bytes)] == nil else {
            throw RestoringError("there is another session of that name")
        }
        let state = try startingStates[session.stateIndex].get()
        guard session.id < SessionTable.mostSessions else {
            throw RestoringError("its row number \(session.id) is beyond what this version can hold")
        }
        underWay = session
        defer { underWay = nil }
        let machine = try sessions.machine(restoring: session, in: part, at: state, late: late)
        if session.waiting != nil { waiting.append(machine) }
        guard !session.wasUnrestored else {
            let row = part.row(of: session)
            returned[row.name] = (SetAsideRow(row, problem: "", isQuarantined: false), machine)
            return
        }
        let seq = UInt32(truncatingIfNeeded: session.seq)
        if session.hasNumber {
            sessions.restore(name, machine, at: UInt32(session.id), session.knownLife, seq: seq, vacancy)
        } else {
            sessions.restore(ByteString(name.bytes), machine, session.knownLife, seq: seq)
        }
        sessions.restoreExpiry(of: machine, session, in: part, late: late)
        onRestored(machine.tag)
    }

    /// The row of the session whose machine is being made.
    var rowUnderWay: StoredRow? { underWay.map(part.row) }

    // MARK: Setting aside

    /// A quarantined session. Its history lines come later.
    private func hold(_ row: StoredRow) {
        let quarantined = SetAsideRow(row, problem: row.problem ?? "its row was damaged", isQuarantined: true)
        if row.session.hasNumber, row.session.isDamaged || !row.session.wasUnrestored { failed.append(quarantined) }
        held[row.name] = quarantined
    }

    private func fail(_ row: StoredRow, because problem: String) {
        let unfit = SetAsideRow(row, problem: problem, isQuarantined: false)
        if row.session.hasNumber { failed.append(unfit) }
        if sessions.find(row.name) == nil, held[row.name] == nil { held[row.name] = unfit }
    }

    /// There is one for each in `failed`.
    func move(to moved: [SetAsideRow]) {
        for (failed, moved) in zip(failed, moved) {
            let name = moved.row.name
            if held[name]?.row.session.id == failed.row.session.id {
                held[name]?.move(to: moved.row.session.id)
            } else {
                namesakes.append(moved.session)
            }
        }
    }

    /// The sessions that are set aside. They have rows in `held`, unless another session has their name.
    var setAside: [SetAsideSession] { namesakes + held.values.map(\.session) }

    /// How many sessions of each flow could not be restored.
    var unfit: [String: Int] {
        var unfit: [String: Int] = [:]
        for session in held.values where !session.isQuarantined { unfit[session.row.flow, default: 0] += 1 }
        return unfit
    }

    // MARK: History

    func restore(_ lines: [StoredEntry]) {
        let wall = sessions.wallNanoseconds(since: load.moment)
        for line in lines { restore(line, at: wall) }
    }

    private func restore(_ line: StoredEntry, at wall: Int64) {
        if let machine = machine(of: line) {
            sessions.restore(sessions.past(line, machine.kind, at: wall), recorded: line.serial, of: machine)
            lines += 1
        } else if held[line.name] != nil {
            held[line.name]?.add(line, atMost: sessionHistory)
            sessions.advanceSerial(to: line.serial + 1)
        } else {
            returned[line.name]?.held.add(line, atMost: sessionHistory)
            restoreOfGone(line, at: wall)
        }
    }

    /// A line of a session that is gone: it can be read for as long as it is kept. Its slot may be another session's by now.
    private func restoreOfGone(_ line: StoredEntry, at wall: Int64) {
        guard let flow = sessions.flow(named: line.flow), returned[line.name] == nil else {
            return sessions.advanceSerial(to: line.serial + 1)
        }
        sessions.restore(
            sessions.past(line, flow, at: wall), recorded: line.serial, ofGone: Life(truncatingIfNeeded: line.life),
            named: line.name, flow, slot: SessionTable.noSlot - 1)
        lines += 1
    }

    private func machine(of line: StoredEntry) -> AnyMachine? {
        guard let session = sessions.find(line.name), line.life == Int64(session.life) else { return nil }
        return session.machine
    }

    // MARK: The end

    /// Once the shard is served: sessions that were set aside before are back, and what all have waited for goes on.
    func finish(droppingRow drop: (SetAsideSession) -> Void) {
        for (name, session) in returned {
            let row = session.held.row
            // Both rows have the same name: the old one is dropped before the new one is recorded.
            drop(SetAsideSession(name: name, id: row.session.id, flow: row.flow, problem: ""))
            guard sessions.find(name) == nil else { continue }
            sessions.take(row, session.machine)
            sessions.take(session.held.lines, of: session.machine, at: sessions.wallNanoseconds(since: load.moment))
        }
        sessions.relinkReturned()
        for machine in waiting { machine.takeUpWaiting() }
    }
}

extension StoredSession {
    /// Its life, clamped: the row may be damaged.
    var knownLife: Life { Life(truncatingIfNeeded: life) & LifeCounter.mostLife }
}

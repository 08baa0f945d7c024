// Makes sessions of a shard that was read. The rest of the daemon goes on meanwhile, so it takes a bounded piece of each turn.

import GameFlow
import RESP
import Sessions
import Store

final class ShardRestoring {
    private static let sessionsAtOnce = 2_000

    private(set) var loaded: LoadedShard
    private let sessions: Sessions
    private let sessionHistory: Int
    private var states: [StoredState] = []
    private var startingStates: [Result<StartingState, RestoringError>] = []
    /// The change of flows after which the starting states were looked up.
    private var flowChanges = -1
    private var part = 0
    private var piece = 0
    /// Machines with waiting events.
    private var waiting: [AnyMachine] = []
    private(set) var restored = 0
    /// The session whose machine is being made, of the part at hand.
    private var underWay: StoredSession?
    /// Sessions that cannot be restored.
    private(set) var held: [ByteString: HeldSession] = [:]

    private let whenRestored: (_ slot: UInt32) -> Void

    init(
        _ loaded: LoadedShard, in sessions: Sessions, sessionHistory: Int,
        whenRestored: @escaping (_ slot: UInt32) -> Void
    ) {
        self.loaded = loaded
        self.whenRestored = whenRestored
        self.sessions = sessions
        self.sessionHistory = sessionHistory
        sessions.continueLives(afterAtLeast: Life(clamping: loaded.summary.lastLife))
        sessions.goOnWithHistory(from: UInt64(max(0, loaded.summary.nextSerial)))
    }

    /// Restores some. Returns whether there is more.
    func step() -> Bool {
        if part < loaded.parts.count {
            restore(loaded.parts[part])
            part += 1
            return true
        }
        guard piece < loaded.lines.count else {
            sessions.endOfHistory()
            return false
        }
        let wall = sessions.wallNanoseconds(since: loaded.moment)
        for line in loaded.lines[piece] { restore(line, at: wall) }
        loaded.lines[piece] = []
        piece += 1
        return true
    }

    /// Once the shard is served: what its sessions have waited for goes on.
    func finish() {
        sessions.relate()
        for machine in waiting { machine.takeUpWaiting() }
    }

    // MARK: Sessions

    private func restore(_ part: StoredSessions) {
        findStartingStates(part.newStates)
        let late = sessions.nanoseconds(since: loaded.moment)
        part.forEach {
            sessions.prefetch(Argument($0))
        } _: { session, name in
            guard !session.isQuarantined else { return hold(part.row(of: session), because: nil) }
            do {
                try restore(session, ByteString(name), part, late)
                restored += 1
            } catch {
                hold(part.row(of: session), because: "\(error)")
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

    private func restore(_ session: StoredSession, _ name: ByteString, _ part: StoredSessions, _ late: Int64) throws {
        guard sessions.find(name) == nil else { throw RestoringError("there is another session of that name") }
        underWay = session
        defer { underWay = nil }
        let machine = try sessions.machine(
            restoring: session, in: part, at: try startingStates[session.stateIndex].get(), late: late)
        if session.waiting != nil { waiting.append(machine) }
        sessions.restore(name, machine, session.knownLife, seq: UInt32(truncatingIfNeeded: session.seq))
        sessions.restoreExpiry(of: machine, session, in: part, late: late)
        whenRestored(machine.tag)
    }

    /// The row of the session whose machine is being made.
    var rowUnderWay: StoredRow? { underWay.map { loaded.parts[part].row(of: $0) } }

    private func hold(_ row: StoredRow, because problem: String?) {
        var row = row
        row.move(to: HeldSession.nowhere)
        held[row.name] =
            problem.map { HeldSession(row, problem: $0, isQuarantined: false, mostLines: sessionHistory) }
            ?? HeldSession(row, mostLines: sessionHistory)
    }

    // MARK: History

    private func restore(_ line: StoredLine, at wall: Int64) {
        if let session = sessions.find(line.name), line.life == Int64(session.life) {
            sessions.restore(
                sessions.occurrence(line, session.machine.kind, at: wall), of: session.machine,
                under: line.definition, serial: line.serial, seq: UInt32(truncatingIfNeeded: line.seq))
        } else if held[line.name] != nil {
            held[line.name]?.add(line)
        } else if let flow = sessions.flow(named: line.flow) {
            // It can be read for as long as it is kept. Where its slot was, is another session's by now, or was another node's.
            sessions.restore(
                sessions.occurrence(line, flow, at: wall), ofGone: Life(truncatingIfNeeded: line.life),
                named: line.name, flow, under: line.definition, slot: SessionTable.noSlot - 1, serial: line.serial)
        }
    }
}

// Makes sessions of a shard that was read. The rest of the daemon goes on meanwhile, so it takes a bounded piece of each turn.

import GameFlow
import Posix
import RESP
import Sessions
import Store

final class ShardRestoring {
    private static let sessionsAtOnce = 2_000

    let loaded: LoadedShard
    private let sessions: Sessions
    private let sessionHistory: Int
    private let moment: StoredTime
    private var startingStates: [Result<StartingState, RestoringError>] = []
    private var part = 0
    /// Machines with waiting events.
    private var waiting: [AnyMachine] = []
    private(set) var restored = 0
    /// The session whose machine is being made, of the part at hand.
    private var underWay: StoredSession?
    /// Sessions that cannot be restored.
    private(set) var held: [ByteString: HeldSession] = [:]

    private let whenRestored: (_ slot: UInt32) -> Void

    init(
        _ loaded: LoadedShard, in sessions: Sessions, at time: TurnTime, sessionHistory: Int,
        whenRestored: @escaping (_ slot: UInt32) -> Void
    ) {
        self.loaded = loaded
        self.whenRestored = whenRestored
        self.sessions = sessions
        self.sessionHistory = sessionHistory
        moment = StoredTime(bootID: "", time: time)
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
        for line in loaded.lines { restore(line) }
        sessions.endOfHistory()
        return false
    }

    /// Once the shard is served: what its sessions have waited for goes on.
    func finish() {
        sessions.relate()
        for machine in waiting { machine.takeUpWaiting() }
    }

    // MARK: Sessions

    private func restore(_ part: StoredSessions) {
        startingStates += part.newStates.map(sessions.startingState)
        part.forEach {
            sessions.prefetch(Argument($0))
        } _: { session, name in
            guard !session.isQuarantined else { return hold(part.row(of: session), because: nil) }
            do {
                try restore(session, ByteString(name), part)
                restored += 1
            } catch {
                hold(part.row(of: session), because: "\(error)")
            }
        }
    }

    private func restore(_ session: StoredSession, _ name: ByteString, _ part: StoredSessions) throws {
        guard sessions.find(name) == nil else { throw RestoringError("there is another session of that name") }
        underWay = session
        defer { underWay = nil }
        let machine = try sessions.machine(restoring: session, in: part, at: try startingStates[session.stateIndex].get())
        if session.waiting != nil { waiting.append(machine) }
        sessions.restore(name, machine, session.knownLife, seq: session.seq.map { UInt32(truncatingIfNeeded: $0) })
        sessions.restoreExpiry(of: machine, session, in: part)
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

    private func restore(_ line: StoredLine) {
        if let session = sessions.find(line.name), line.life == Int64(session.life) {
            sessions.restore(
                sessions.occurrence(line, session.machine.kind, at: moment.time.wallNanoseconds), of: session.machine,
                under: line.definition, serial: line.serial, seq: line.seq.map { UInt32(truncatingIfNeeded: $0) })
        } else if held[line.name] != nil {
            held[line.name]?.add(line)
        } else if let life = line.life, let flow = line.flow.flatMap(sessions.flow) {
            // It can be read for as long as it is kept. Where its slot was, is another session's by now, or was another node's.
            sessions.restore(
                sessions.occurrence(line, flow, at: moment.time.wallNanoseconds), ofGone: Life(truncatingIfNeeded: life),
                named: line.name, flow, under: line.definition, slot: SessionTable.noSlot - 1, serial: line.serial)
        }
    }
}

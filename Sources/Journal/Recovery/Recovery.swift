// The loop's side of a restart: makes machines from what was stored, a part at a time. Until all are restored, clients are told
// nothing about sessions.

import EventLoop
import GameFlow
import Logging
import Posix
import RESP
import Sessions
import Store

package final class Recovery {
    private let context: Context
    private var sessions: Sessions { context.sessions }
    private let reader: RecoveryReader
    private var watch: WakerWatch?
    private let whenDone: (Result<Outcome, any Error>) -> Void
    private let moment = StoredTime(bootID: TurnClock.bootID, time: TurnClock.now())
    private var startingStates: [Result<StartingState, RestoringError>] = []
    private var outcome = Outcome()
    /// Machines with waiting events.
    private var waiting: [AnyMachine] = []
    private var lastTold = 0
    private let progress: (Int) -> Void

    /// What a recovery works with.
    struct Context {
        let sessions: Sessions
        let loop: Loop
        let writer: JournalWriter
        let flight: Flight?
        let log: Log
        let historyLines: Int
        /// History lines kept per session.
        let sessionHistory: Int
    }

    struct Outcome {
        var restored = 0
        var lines = 0
        var findings: [Finding] = []
        /// Sessions that could not be restored.
        var unrestored: [UnrestoredSession] = []
        /// Their rows and histories.
        var held: [HeldSession] = []
        /// Old rows of sessions that were set aside, and are restored now.
        var superseded: [UnrestoredSession] = []
    }

    /// Sessions whose rows must move before new sessions get their slots.
    private var failed: [FailedSession] = []
    /// Sessions that are set aside, and those that were until now, by name.
    private var held: [ByteString: HeldSession] = [:]
    /// Sessions that were set aside, and could be restored this time.
    private var returned: [(row: StoredRow, machine: AnyMachine)] = []

    /// Begins at once; `whenDone` is called in a turn of the loop.
    init(
        _ context: Context, progress: @escaping (Int) -> Void, whenDone: @escaping (Result<Outcome, any Error>) -> Void
    ) throws(LoopFailure) {
        self.context = context
        self.progress = progress
        self.whenDone = whenDone
        let waker = try Waker()
        reader = RecoveryReader(at: moment) { waker.wake() }
        watch = try WakerWatch(waker, on: context.loop) { [unowned self] in takeSome(waker) }
        context.loop.holdsTimers = true
        tell()
        let quarantine = context.flight?.quarantine(at: moment)
        context.writer.withStore { [reader, lines = context.historyLines] store in
            reader.read(store, historyLines: lines, quarantine)
        }
    }

    private func takeSome(_ waker: Waker) {
        guard let part = reader.next() else { return }
        // Each wake-up takes one part; there may be more.
        waker.wake()
        switch part {
        case .news(let sentence): context.log.error(sentence)
        case .lastLife(let last): sessions.continueLives(after: last)
        case .slots(let count):
            context.flight?.begin(for: sessions, log: context.log)
            sessions.makeRoom(for: count)
        case .sessions(let part):
            restore(part)
            Failpoint.hit("after-restoring")
            tell()
        case .lines(let lines):
            let wall = sessions.wallNanoseconds(since: moment)
            for line in lines { restore(line, at: wall) }
            tell()
        case .end(let findings):
            outcome.findings = findings
            sessions.endOfHistory()
            reader.move(failed, on: context.writer)
        case .unrestored(let unrestored):
            takeMoved(unrestored)
            takeBack()
            finish(.success(outcome))
        case .failed(let error): finish(.failure(error))
        }
    }

    private func tell() {
        progress(outcome.restored)
        guard outcome.restored >= lastTold + 100_000 else { return }
        lastTold = outcome.restored
        context.log.notice("\(outcome.restored) sessions are restored so far")
    }

    /// Stops reading. What is stored stays as it is.
    package func cancel() { reader.cancel() }

    private func finish(_ result: Result<Outcome, any Error>) {
        watch = nil
        if case .success = result {
            sessions.relate()
            for machine in waiting { machine.takeUpWaiting() }
        }
        whenDone(result)
        context.loop.holdsTimers = false
    }

    // MARK: Sessions

    private func restore(_ part: StoredSessions) {
        startingStates += part.newStates.map(sessions.startingState)
        let late = sessions.nanoseconds(since: moment)
        part.forEach {
            sessions.prefetch(Argument($0))
        } _: { session, name in
            guard !session.isQuarantined else { return hold(part.row(of: session)) }
            do {
                try restore(session, Argument(name), part, late)
                outcome.restored += 1
            } catch {
                fail(part.row(of: session), because: "\(error)")
            }
        }
    }

    private func restore(_ session: StoredSession, _ name: Argument, _ part: StoredSessions, _ late: Int64) throws {
        guard (1...SessionName.longest).contains(name.count) else {
            throw RestoringError("a session's name has 1 to \(SessionName.longest) bytes, and not \(name.count)")
        }
        guard let vacancy = sessions.vacancy(for: name) else {
            throw RestoringError("there is another session of that name")
        }
        let state = try startingStates[session.stateIndex].get()
        guard session.wasUnrestored || session.id < SessionTable.mostSessions else {
            throw RestoringError("its row number \(session.id) is beyond what this version can hold")
        }
        let machine = try sessions.machine(restoring: session, in: part, at: state, late: late)
        if session.waiting != nil { waiting.append(machine) }
        if session.wasUnrestored {
            let row = part.row(of: session)
            returned.append((row, machine))
            held[row.name] = HeldSession(row, problem: "", isQuarantined: false, mostLines: context.sessionHistory)
        } else {
            sessions.restore(
                name, machine, at: UInt32(session.id), session.knownLife,
                seq: UInt32(truncatingIfNeeded: session.seq), vacancy)
            sessions.restoreExpiry(of: machine, session, in: part, late: late)
        }
    }

    /// Gives sessions that were set aside new slots. Their old rows are dropped once the new ones are safe.
    private func takeBack() {
        for (row, machine) in returned where sessions.find(row.name) == nil {
            sessions.take(row, machine)
            if let lines = held[row.name]?.lines {
                sessions.take(lines, of: machine, at: sessions.wallNanoseconds(since: moment))
                context.writer.move(lines, to: Int64(machine.tag))
            }
        }
        for (row, _) in returned {
            outcome.superseded.append(UnrestoredSession(name: row.name, id: row.session.id, flow: row.flow, problem: ""))
        }
    }

    // MARK: Setting aside

    /// Holds a quarantined session back. Its history lines come later.
    private func hold(_ row: StoredRow) {
        let held = HeldSession(row, mostLines: context.sessionHistory)
        if row.session.isDamaged || !row.session.wasUnrestored {
            failed.append(FailedSession(row: row, problem: held.problem, isQuarantined: true))
        }
        self.held[row.name] = held
    }

    private func fail(_ row: StoredRow, because problem: String) {
        failed.append(FailedSession(row: row, problem: problem))
        guard sessions.find(row.name) == nil, held[row.name] == nil else { return }
        held[row.name] = HeldSession(row, problem: problem, isQuarantined: false, mostLines: context.sessionHistory)
    }

    /// Takes note of the rows that were moved: `moved` has one for each in `failed`.
    private func takeMoved(_ moved: [UnrestoredSession]) {
        for (failed, session) in zip(failed, moved) {
            if held[session.name]?.row.session.id == failed.row.session.id {
                held[session.name]?.move(to: session.id)
            } else {
                outcome.unrestored.append(session)
            }
        }
        let back = Set(returned.map(\.row.name))
        outcome.unrestored += held.values.filter { !back.contains($0.row.name) }.map(kept)
    }

    private func kept(_ held: HeldSession) -> UnrestoredSession {
        outcome.held.append(held)
        let row = held.row
        return UnrestoredSession(
            name: row.name, id: row.session.id, flow: row.flow, problem: held.problem, isQuarantined: held.isQuarantined)
    }

    // MARK: History

    private func restore(_ line: StoredLine, at wall: Int64) {
        guard let machine = machine(of: line) else {
            held[line.name]?.add(line)
            return restoreOfGone(line, at: wall)
        }
        let occurrence = sessions.occurrence(line, machine.kind, at: wall)
        sessions.restore(
            occurrence, of: machine, under: line.definition, serial: line.serial,
            seq: UInt32(truncatingIfNeeded: line.seq))
        outcome.lines += 1
    }

    /// A line of a session that is gone: it can be read for as long as it is kept.
    private func restoreOfGone(_ line: StoredLine, at wall: Int64) {
        guard let flow = sessions.flow(named: line.flow), held[line.name] == nil,
            let slot = UInt32(exactly: line.session), slot < SessionTable.mostSessions
        else { return sessions.goOnWithHistory(from: line.serial + 1) }
        sessions.restore(
            sessions.occurrence(line, flow, at: wall), ofGone: Life(truncatingIfNeeded: line.life),
            named: line.name, flow, under: line.definition, slot: slot, serial: line.serial)
        outcome.lines += 1
    }

    /// The machine that owns the line: the one in its slot, if name and life match. The slot may have been another session's.
    private func machine(of line: StoredLine) -> AnyMachine? {
        guard let machine = sessions.machine(at: line.session) else { return nil }
        let isItsOwn = sessions.withName(of: machine) { name in
            line.name.withBytes { name.elementsEqual($0) }
        }
        guard isItsOwn else { return nil }
        return line.life == Int64(sessions.life(of: machine)) ? machine : nil
    }
}

extension StoredSession {
    /// Its life, clamped: the row may be damaged.
    var knownLife: Life { Life(truncatingIfNeeded: life) & LifeCounter.mostLife }
}

// The loop's side of a restart: machines are made of what was kept, some at a time, and until all are there nobody is told
// anything about sessions.

import GameFlow
import JournalStore
import RESP
import Timers

final class Recovery {
    private unowned let daemon: Daemon
    private let reader: RecoveryReader
    private let writer: JournalWriter
    private var watch: WakerWatch?
    private let whenDone: (Result<Outcome, any Error>) -> Void
    private let moment = KeptTime(bootID: TurnClock.bootID, time: TurnClock.now())
    private var places: [Result<StartingPlace, RestoringError>] = []
    private var outcome = Outcome()
    /// Those with events that wait.
    private var waiting: [AnyMachine] = []
    private var unmarked = UnmarkedLines()
    /// Lives up to this one were begun before lives had numbers, and may have unmarked lines.
    private var lastUnmarked: Life = 0
    private var lastTold = 0

    struct Outcome {
        var restored = 0
        var lines = 0
        var findings: [Finding] = []
        /// Those that could not be restored.
        var aside: [SetAside] = []
    }

    /// Sessions whose rows must move, before anybody else gets their places.
    private var failed: [FailedSession] = []
    /// Those that are not tried, by their names.
    private var quarantined: [ByteString: QuarantinedSession] = [:]
    /// Those that had been set aside, and could be restored this time.
    private var returned: [(row: KeptRow, machine: AnyMachine)] = []

    /// Begins at once; `whenDone` is called in a turn of the loop.
    init(
        of daemon: Daemon, from writer: JournalWriter, historyLines: Int,
        whenDone: @escaping (Result<Outcome, any Error>) -> Void
    ) throws(LoopFailure) {
        self.daemon = daemon
        self.writer = writer
        self.whenDone = whenDone
        let waker = try Waker()
        reader = RecoveryReader(at: moment) { waker.wake() }
        watch = try WakerWatch(waker, on: daemon.loop) { [unowned self] in takeSome(waker) }
        daemon.loop.holdsTimers = true
        daemon.isLoading = true
        tell()
        let quarantine = daemon.keeping?.flight?.quarantine(at: moment)
        writer.withStore { [reader] store in reader.read(store, historyLines: historyLines, quarantine) }
    }

    private func takeSome(_ waker: Waker) {
        guard let part = reader.next() else { return }
        // There may be more, and this wake-up is used up.
        waker.wake()
        switch part {
        case .news(let sentence): daemon.log.error(sentence)
        case .lives(let last, let unmarked):
            daemon.sessions.goOnWithLives(after: last)
            lastUnmarked = unmarked
        case .places(let count):
            daemon.keeping?.flight?.begin(for: daemon.sessions, log: daemon.log)
            daemon.sessions.makeRoom(for: count)
        case .sessions(let sessions):
            restore(sessions)
            Failpoint.hit("after-restoring")
            tell()
        case .lines(let lines):
            for line in lines { restore(line) }
        case .end(let findings):
            outcome.findings = findings
            forgetEarlierLives()
            reader.setAside(failed, on: writer)
        case .asides(let asides):
            outcome.aside = asides + quarantined.values.map(Self.aside)
            takeBack()
            finish(.success(outcome))
        case .failed(let error): finish(.failure(error))
        }
    }

    private func tell() {
        daemon.trouble = CommandError(
            "LOADING", "\(outcome.restored) sessions are back and there are more; try again in a moment")
        guard outcome.restored >= lastTold + 100_000 else { return }
        lastTold = outcome.restored
        daemon.log.notice("\(outcome.restored) sessions are back so far")
    }

    /// What has been read stays as it was.
    func cancel() { reader.cancel() }

    private func finish(_ result: Result<Outcome, any Error>) {
        watch = nil
        daemon.isLoading = false
        daemon.trouble = nil
        if case .success = result { for machine in waiting { machine.takeUpWaiting() } }
        whenDone(result)
        daemon.loop.holdsTimers = false
    }

    // MARK: Sessions

    private func restore(_ part: KeptSessions) {
        places += part.newPlaces.map(daemon.startingPlace)
        part.forEach {
            daemon.sessions.foresee(Argument($0))
        } _: { session, name in
            guard !session.isQuarantined || !session.wasAside else { return hold(part.row(of: session)) }
            do {
                try restore(session, Argument(name), part)
                outcome.restored += 1
            } catch {
                failed.append(
                    FailedSession(row: part.row(of: session), problem: "\(error)", isQuarantined: session.isQuarantined))
            }
        }
    }

    private func restore(_ session: KeptSession, _ name: Argument, _ part: KeptSessions) throws {
        guard !session.isQuarantined else { throw RestoringError(part.row(of: session).problem ?? "its row was damaged") }
        guard (1...SessionName.longest).contains(name.count) else {
            throw RestoringError("a session's name has 1 to \(SessionName.longest) bytes, and not \(name.count)")
        }
        guard let vacancy = daemon.sessions.vacancy(for: name) else {
            throw RestoringError("there is another session of that name")
        }
        let place = try places[session.place].get()
        guard session.wasAside || session.id < SessionTable.mostSessions else {
            throw RestoringError("its place \(session.id) is beyond what this gamed can hold")
        }
        let machine = try daemon.revive(session, in: part, at: place)
        if session.waiting != nil { waiting.append(machine) }
        if session.wasAside {
            returned.append((part.row(of: session), machine))
        } else {
            daemon.sessions.restore(name, machine, at: UInt32(session.id), session.knownLife, vacancy)
        }
    }

    /// Those that can be restored after all get places among the others; their old rows go once they are safe in the new ones.
    private func takeBack() {
        for (row, machine) in returned {
            if daemon.sessions.find(row.name) == nil { daemon.sessions.take(row, machine) }
        }
        for (row, _) in returned {
            daemon.keeping?.giveUp(SetAside(name: row.name, id: row.session.id, flow: row.flow, problem: ""))
        }
    }

    // MARK: Quarantine

    /// One that is not tried. Its lines come later.
    private func hold(_ row: KeptRow) {
        quarantined[row.name] = QuarantinedSession(row, mostLines: daemon.limits.sessionHistory)
    }

    private static func aside(_ quarantined: QuarantinedSession) -> SetAside {
        var quarantined = quarantined
        quarantined.forgetOthers()
        let row = quarantined.row
        return SetAside(
            name: row.name, id: row.session.id, flow: row.flow, problem: row.problem ?? "", quarantined: quarantined)
    }

    // MARK: History

    private func restore(_ line: KeptLine) {
        guard let machine = machine(of: line) else {
            quarantined[line.name]?.add(line)
            return daemon.sessions.goOnWithHistory(from: line.serial + 1)
        }
        if unmarked.end(before: line) { daemon.sessions.forgetHistory(of: machine) }
        let occurrence = daemon.occurrence(line, machine.kind, at: moment.time.wallNanoseconds)
        daemon.sessions.restore(occurrence, of: machine, serial: line.serial)
        outcome.lines += 1
    }

    /// A line belongs to the session at its place only if that has its name: the place may have been another's.
    private func machine(of line: KeptLine) -> AnyMachine? {
        guard let machine = daemon.sessions.machine(at: line.session) else { return nil }
        let isItsOwn = daemon.sessions.withName(of: machine) { name in
            line.name.withBytes { name.elementsEqual($0) }
        }
        guard isItsOwn else { return nil }
        let life = daemon.sessions.life(of: machine)
        return line.life.map { $0 == Int64(life) } ?? (life <= lastUnmarked) ? machine : nil
    }

    /// Lines that lead to another version than the session's are not its own.
    private func forgetEarlierLives() {
        for (place, version) in unmarked.lastVersions {
            guard let machine = daemon.sessions.machine(at: place), machine.version != version else { continue }
            daemon.sessions.forgetHistory(of: machine)
        }
    }
}

extension KeptSession {
    /// One from before lives had numbers is told from later ones by its place.
    var knownLife: Life { Life(truncatingIfNeeded: life ?? id + 1) & Lives.mostLife }
}

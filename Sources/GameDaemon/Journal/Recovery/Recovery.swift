// The loop's side of a restart: machines are made of what was kept, some at a time, and until all are there nobody is told
// anything about sessions.

import GameFlow
import JournalStore
import Timers

final class Recovery {
    private unowned let daemon: Daemon
    private let reader: RecoveryReader
    private let writer: JournalWriter
    private var watch: WakerWatch?
    private let whenDone: (Result<Outcome, any Error>) -> Void
    private let moment = KeptTime(bootID: TurnClock.bootID, time: TurnClock.now())
    private var machines: [Int64: AnyMachine] = [:]
    private var outcome = Outcome()
    private var refusals: [String: Detail] = [:]
    private var lives = Lives()
    private var lastTold = 0

    struct Outcome {
        var restored = 0
        var lines = 0
        /// Those that could not be restored.
        var aside: [SetAside] = []
    }

    /// Sessions whose rows must move, before anybody else gets their places.
    private var failed: [FailedSession] = []
    /// Those that had been set aside, and could be restored this time.
    private var returned: [(session: KeptSession, machine: AnyMachine)] = []

    /// Begins at once; `whenDone` is called in a turn of the loop.
    init(
        of daemon: Daemon, from writer: JournalWriter, historyLines: Int,
        whenDone: @escaping (Result<Outcome, any Error>) -> Void
    ) throws(LoopFailure) {
        self.daemon = daemon
        self.writer = writer
        self.whenDone = whenDone
        let waker = try Waker()
        reader = RecoveryReader { waker.wake() }
        watch = try WakerWatch(waker, on: daemon.loop) { [unowned self] in takeSome(waker) }
        daemon.loop.holdsTimers = true
        daemon.isLoading = true
        tell()
        writer.withStore { [reader] store in reader.read(store, historyLines: historyLines) }
    }

    private func takeSome(_ waker: Waker) {
        guard let part = reader.next() else { return }
        // There may be more, and this wake-up is used up.
        waker.wake()
        switch part {
        case .sessions(let sessions):
            for session in sessions { restore(session) }
            Failpoint.hit("after-restoring")
            tell()
        case .lines(let lines):
            for line in lines { restore(line) }
        case .end:
            forgetEarlierLives()
            reader.setAside(failed, on: writer)
        case .asides(let asides):
            outcome.aside = asides
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
        machines = [:]
        daemon.isLoading = false
        daemon.trouble = nil
        whenDone(result)
        daemon.loop.holdsTimers = false
    }

    // MARK: Sessions

    private func restore(_ session: KeptSession) {
        do {
            let machine = try machine(of: session)
            if session.wasAside {
                returned.append((session, machine))
            } else {
                daemon.sessions.restore(session.name, machine, at: UInt32(session.id))
            }
            machines[session.id] = machine
            outcome.restored += 1
        } catch {
            failed.append(FailedSession(session: session, problem: "\(error)"))
        }
    }

    private func machine(of session: KeptSession) throws -> AnyMachine {
        guard (1...SessionName.longest).contains(session.name.utf8.count) else {
            throw RestoringError("a session's name has 1 to \(SessionName.longest) bytes, and not \(session.name.utf8.count)")
        }
        guard daemon.sessions[session.name] == nil else {
            throw RestoringError("there is another session of that name")
        }
        guard let flow = daemon.sessions.flow(named: session.flow) else {
            throw RestoringError(CommandError.noFlow(session.flow, daemon.sessions.flows).sentence)
        }
        guard session.wasAside || session.id < SessionTable.mostSessions else {
            throw RestoringError("its place \(session.id) is beyond what this gamed can hold")
        }
        let contents = try session.contents.get()
        let machine = try flow.begin(
            on: daemon.timekeeper, in: session.state, data: contents.data, away: away(session), timers: contents.timers[...])
        machine.recall(version: session.version, since: since(session), isFrozen: session.isFrozen)
        return machine
    }

    /// How long its time went on while nobody was there: not at all where its clock stands still, or time is virtual.
    private func away(_ session: KeptSession) -> Duration {
        session.isFrozen || daemon.virtualClock != nil ? .zero : session.kept.away(until: moment)
    }

    private func since(_ session: KeptSession) -> Instant {
        let inState = max(0, session.kept.time.wallNanoseconds - session.sinceWallNanoseconds)
        let away = daemon.virtualClock == nil ? session.kept.away(until: moment) : .zero
        return daemon.timekeeper.now.advanced(by: .nanoseconds(-inState) - away)
    }

    /// Those that can be restored after all get places among the others; their old rows go once they are safe in the new ones.
    private func takeBack() {
        for (session, machine) in returned {
            if daemon.sessions[session.name] == nil { daemon.sessions.take(session.name, machine) }
        }
        for (session, _) in returned {
            daemon.keeping?.giveUp(SetAside(name: session.name, id: session.id, flow: session.flow, problem: ""))
        }
    }

    // MARK: History

    private func restore(_ line: KeptLine) {
        guard let machine = machines[line.session], machine.kind.name == name(of: line, machine) else {
            return daemon.sessions.goOnWithHistory(from: line.serial + 1)
        }
        if lives.begins(with: line) { daemon.sessions.forgetHistory(of: machine) }
        let kind = machine.kind
        let cause = Cause(
            EventSource.allCases.first { $0.name == line.source } ?? .network,
            event: line.event.flatMap { kind.place(ofEvent: $0) }.map(UInt16.init) ?? Cause.none,
            timer: line.timer.flatMap { name in kind.timers.firstIndex { $0.name == name } }.map(UInt16.init) ?? Cause.none)
        let age = Duration.nanoseconds(max(0, moment.time.wallNanoseconds - line.atWallNanoseconds))
        daemon.sessions.restore(
            Occurrence(
                from: kind.place(ofState: line.from), to: kind.place(ofState: line.to), cause: cause, detail: detail(line),
                at: daemon.timekeeper.now.advanced(by: .zero - age), version: line.version),
            of: machine, serial: line.serial)
        outcome.lines += 1
    }

    /// A line belongs to the session at its place only if that has its name: the place may have been another's.
    private func name(of line: KeptLine, _ machine: AnyMachine) -> String? {
        daemon.sessions.name(of: machine) == line.name ? machine.kind.name : nil
    }

    private func detail(_ line: KeptLine) -> Detail? {
        guard let sentence = line.refused else { return line.payload.map { Detail(payload: $0) } }
        if line.payload == nil, let known = refusals[sentence], known.refused?.event == line.event { return known }
        let detail = Detail(
            refused: Refused(event: line.event ?? "", code: line.code ?? "ERR", sentence: sentence), payload: line.payload)
        if line.payload == nil, refusals.count < 1_000 { refusals[sentence] = detail }
        return detail
    }

    /// Lines that lead to another version than the session's are not its own.
    private func forgetEarlierLives() {
        for (place, machine) in machines where lives.lastVersion(at: place).map({ $0 != machine.version }) ?? false {
            daemon.sessions.forgetHistory(of: machine)
        }
    }
}

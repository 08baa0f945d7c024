// The work of states, and results that arrive too late.

import BuiltInFlows
import GameFlow
import Slowness
import Synchronization
import Testing
import Timers

/// A gate that suspends its callers until it is opened.
final class WorkGate: Sendable {
    private let waiting = Mutex<[CheckedContinuation<String?, Never>]>([])

    var count: Int { waiting.withLock { $0.count } }

    func pass() async -> String? {
        await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
    }

    /// Resumes the longest-waiting caller with an answer.
    func open(_ answer: String? = nil) {
        waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }?.resume(returning: answer)
    }
}

private struct GatedSession: SavedSession {
    let gate: WorkGate
    func user(of session: String, in storage: SessionStorage) async -> String? { await gate.pass() }
}

private struct GatedAuthenticator: Authenticator {
    struct WrongPassword: Error, CustomStringConvertible {
        let description = "wrong password"
    }

    let gate: WorkGate

    func logIn(for session: String) async throws -> String {
        guard let user = await gate.pass() else { throw WrongPassword() }
        return user
    }
}

/// Records the error messages of refused events.
private final class RefusalRecorder: MachineWatcher {
    var sentences: [String] = []

    override func record(_ entry: borrowing HistoryEntry, of machine: AnyMachine) {
        if let sentence = entry.refusal(in: machine.kind) { sentences.append(sentence) }
    }

    override func name(of machine: AnyMachine) -> String { "number 7" }
}

@Suite struct `The work of a state` {
    private let disk = WorkGate()
    private let login = WorkGate()

    private func startup() throws -> FlowUnderTest<Startup> {
        let startup = try FlowUnderTest({ Startup(clock: $0) }) { setup in
            setup.work(with: GatedSession(gate: disk), GatedAuthenticator(gate: login))
        }
        try startup.send(.didLaunch)
        startup.runUntilIdle()
        return startup
    }

    @Test func `A state's work begins on entry, and its result is sent as an event`() throws {
        let startup = try startup()
        #expect(startup.state == "hydrating" && disk.count == 1)
        disk.open("ann")
        startup.runUntilIdle()
        #expect(startup.state == "ready")
    }

    @Test func `The failure of a state's work is sent as an event`() throws {
        let startup = try startup()
        disk.open(nil)
        startup.runUntilIdle()
        try startup.send(.loginRequested)
        startup.runUntilIdle()
        login.open(nil)
        startup.runUntilIdle()
        guard case .error("wrong password") = startup.machine.state else { Issue.record("\(startup.machine.state)"); return }
    }

    @Test func `A result of work from an earlier stay is not delivered to a later stay in the same state`() throws {
        let startup = try startup()
        startup.advance(.seconds(5))
        #expect(startup.state == "error")
        try startup.send(.retry)
        startup.runUntilIdle()
        #expect(startup.state == "hydrating" && disk.count == 2)

        disk.open("the task that finished slightly later")
        startup.runUntilIdle()
        #expect(startup.state == "hydrating")

        disk.open("ann")
        startup.runUntilIdle()
        guard case .ready("ann", _) = startup.machine.state else { Issue.record("\(startup.machine.state)"); return }
    }

    @Test func `The work of a state is cancelled on exit`() throws {
        let cancelled = Mutex(false)
        let house = try FlowUnderTest({ House(clock: $0) }) { setup in
            setup.orchestrate { _, state in
                guard case .attic = state else { return nil }
                return { [disk] in
                    _ = await withTaskCancellationHandler {
                        await disk.pass()
                    } onCancel: {
                        cancelled.withLock { $0 = true }
                    }
                    return .cook
                }
            }
        }
        try house.send(.climb)
        house.runUntilIdle()
        #expect(!cancelled.withLock { $0 })
        try house.send(.leave)
        #expect(cancelled.withLock { $0 })
        disk.open()
        house.runUntilIdle()
        #expect(house.state == "hall")
    }

    @Test func `A state's work can send several events and knows its session's name`() throws {
        let steps = WorkGate()
        let house = try FlowUnderTest(House.self, named: "number 7") { house in
            house.orchestrate { session, state in
                guard case .hall = state else { return nil }
                return {
                    guard session.name == "number 7" else { return nil }
                    await session.send(.ring)
                    await session.send(.fail)
                    _ = await steps.pass()
                    await session.send(.climb)
                    return .leave
                }
            }
        }
        let refusals = RefusalRecorder()
        house.kind.watch(refusals)
        house.runUntilIdle()
        #expect(house.machine.waitingEvents.map(\.event) == ["ring"], "the first event is postponed")
        #expect(refusals.sentences == ["it never works"], "the watcher records the refused event")
        steps.open()
        house.runUntilIdle()
        #expect(house.state == "hall" && house.machine.version == 2, "climb and ring are handled; the later event is dropped")
        house.kind.watch(nil)
    }

    @Test func `The startup's ready state requires a user`() throws {
        let startup = try startup()
        let error = #expect(throws: Refusal.self) {
            try startup.send(.hydrateSucceeded(hasSession: true, userID: ""), from: .orchestrator)
        }
        #expect(error?.code == .badEvent && error?.description == "a saved session has a user: say who, in userID")
        #expect(startup.state == "hydrating")
        try startup.send(.hydrateSucceeded(hasSession: false, userID: ""), from: .orchestrator)
        try startup.send(.loginRequested, from: .ui)
        let veto = #expect(throws: Refusal.self) { try startup.send(.loginSucceeded(userID: ""), from: .orchestrator) }
        #expect(veto?.code == .vetoed)
        #expect(veto?.description == "nobody can be ready without a user: the event must say who, in userID")
    }

    @Test func `The history of a session under test has refused and postponed events, and the time in each state`() throws {
        let startup = try FlowUnderTest(Startup.self)
        startup.advance(.seconds(2))
        try startup.send(.deepLink(path: "/news"))
        #expect(throws: Refusal.self) { try startup.send(.retry) }
        try startup.send(.didLaunch)
        startup.advance(.seconds(5))
        #expect(
            startup.history.map(\.description) == [
                "2s postponed deepLink: launching",
                "2s refused retry: launching ('retry' is not valid in 'launching'; it accepts didLaunch, deepLink)",
                "2s taken didLaunch: launching -> hydrating", "7s taken timeIsUp: hydrating -> error",
            ])
        #expect(startup.timeInStates == ["launching": .seconds(2), "hydrating": .seconds(5)])
    }

    @Test func `The history of a session under test has a refused event of a state's work`() throws {
        let house = try FlowUnderTest(House.self) { house in
            house.orchestrate { _, state in
                guard case .hall = state else { return nil }
                return { .fail }
            }
        }
        house.machine.beginWork()
        house.runUntilIdle()
        #expect(house.history.map(\.refusal) == ["it never works"])
    }

    @Test func `Work and hooks of a session under test run as time advances, and before a timer that is due later`() throws {
        let house = try FlowUnderTest(House.self, startingIn: "kitchen") { house in
            house.orchestrate { _, state in
                switch state {
                case .kitchen: { .leave }
                case .hall: { .climb }
                case .attic: nil
                }
            }
        }
        house.advance(.seconds(20))
        #expect(house.state == "attic")
        #expect(house.history.map(\.event) == ["leave", "climb"])
    }

    @Test func `The entries of a session under test have the payload and the source of their events`() throws {
        let game = try FlowUnderTest(Game.self)
        #expect(throws: Refusal.self) { try game.send(.chooseLevel(2), from: .network) }
        try game.send(.startPlaying)
        try game.send(.chooseEpisode(3), from: .bluetooth)
        try game.machine.send(named: "chooseLevel", payload: Payload(1), from: .network)
        let entries = game.history
        #expect(entries.map(\.payload) == [2, nil, 3, 1])
        #expect(entries.map(\.source) == [.network, .ui, .bluetooth, .network])
        game.advance(.seconds(1))
        #expect(game.history.last?.source == .timer)
    }

    @Test func `A session under test has its history though an earlier one of its kind is released later`() throws {
        let kind = TypedFlowKind<House>()
        var earlier: FlowUnderTest<House>? = try FlowUnderTest(of: kind)
        try earlier?.send(.climb)
        let house = try FlowUnderTest(of: kind)
        earlier = nil
        try house.send(.cook)
        #expect(house.history.count == 1)
    }

    /// Four times the jobs may take ten times the processor time; moving all others for each job takes sixteen times as long.
    @Test func `A backlog of work takes processor time in proportion to its jobs`() {
        let (few, many) = (nanosecondsToRun(20_000), nanosecondsToRun(80_000))
        #expect(many < few * 10, "20,000 jobs take \(few) ns, 80,000 take \(many) ns")
    }

    /// As many as one turn of the loop runs, until none is left.
    private func nanosecondsToRun(_ count: Int) -> Int {
        (0..<3).map { _ in
            let executor = ManualExecutor()
            for _ in 0..<count { Task(executorPreference: executor) {} }
            let start = ThreadTime.now
            var done = 0
            while done < count { done += executor.run(atMost: 250) }
            return ThreadTime.now - start
        }.min() ?? 0
    }
}

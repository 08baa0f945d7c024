// Events that wait behind an asynchronous hook or for another state, also across a restart.

import GameFlow
import Testing
import Timers

@Suite struct `Waiting events` {
    private final class RecordingWatcher: MachineWatcher {
        /// Recorded entries, each with its payload or the refusal's error message.
        var lines: [String] = []
        /// Number of calls of `recordImage`, which records a state without an entry.
        var kept = 0

        override func record(_ entry: borrowing HistoryEntry, of machine: AnyMachine) {
            lines.append("\(entry.kind.name) \(entry.refusal(in: machine.kind) ?? entry.payload ?? "-")")
        }

        /// Ends the newest wait for a hook, if it still waits.
        private(set) var endHook: (Duration) -> Void = { _ in }

        override func recordImage(of machine: AnyMachine) { kept += 1 }

        override func limitHooks(_ end: @escaping (Duration) -> Void) -> AnyObject? {
            endHook = end
            return nil
        }
    }

    private let keeper = Timekeeper(VirtualClock())
    private let executor = ManualExecutor()

    /// A flow whose hook waits until the executor runs.
    private func setup(_ hook: @escaping @Sendable () throws -> Void = {}) -> TypedFlowKind<Gate> {
        let kind = TypedFlowKind<Gate> { $0.beforeAsync { _, _ in try hook() } }
        kind.executor = executor
        return kind
    }

    private func successor(of machine: Machine<Gate>, _ setup: TypedFlowKind<Gate>) throws -> Machine<Gate> {
        let next = try Machine(on: keeper, kind: setup, startingIn: machine.stateName, data: try machine.stateData())
        let text = try #require(machine.savedEventsText)
        try next.restore(try text.utf8Span.span.withUnsafeBytes { try SavedEvents.read($0) })
        return next
    }

    @Test func `Events waiting behind a hook are handled after a restart, in order, and recorded as waiting once`() throws {
        let (watcher, setup) = (RecordingWatcher(), setup())
        setup.watch(watcher)
        defer { setup.watch(nil) }
        let machine = try Machine(on: keeper, kind: setup)
        try machine.send(named: "open", payload: ["by": "ann"], from: .network)
        try machine.send(named: "open", payload: Payload(text: #"{ "by" : "bob" }"#), from: .ui)
        let told = [#"waiting {"by":"ann"}"#, #"waiting {"by":"bob"}"#]
        #expect(watcher.lines == told && watcher.kept == 0, "each is recorded as an entry when it arrives, without an image")
        #expect(machine.waitingEvents.map(\.source) == [.network, .ui])
        #expect(try machine.waitingEvents.map { try #require($0.payload).json } == [["by": "ann"], ["by": "bob"]])
        let next = try successor(of: machine, setup)
        #expect(next.stateName == "closed" && next.waitingEvents.count == 2)
        next.resumeWaitingEvents()
        executor.run()
        #expect(next.stateName == "open" && next.waitingEvents.isEmpty)
        #expect(try next.stateData() == ["by": ["ann", "bob"]])
        #expect(watcher.lines.filter { $0.hasPrefix("waiting") } == told)
    }

    @Test func `An event of code is recorded and restored with a dictionary, a set and an enum`() throws {
        let (watcher, kind) = (RecordingWatcher(), TypedFlowKind<Poll>())
        kind.watch(watcher)
        defer { kind.watch(nil) }
        let machine = try Machine(on: keeper, kind: kind)
        try machine.send(.counted(votes: ["cy": 3, "ann": 1], absent: ["bob"], mood: .calm), from: .orchestrator)
        #expect(watcher.lines == [#"postponed {"votes":{"ann":1,"cy":3},"absent":["bob"],"mood":{"calm":{}}}"#])
        let next = try Machine(on: keeper, kind: kind)
        let text = try #require(machine.savedEventsText)
        try next.restore(try text.utf8Span.span.withUnsafeBytes { try SavedEvents.read($0) })
        try next.send(.close)
        #expect(try next.stateName == "closed" && next.stateData() == ["votes": 4])
    }

    @Test func `Waiting events with ids are answered and remembered after a restart`() throws {
        let setup = setup()
        let machine = try Machine(on: keeper, kind: setup)
        #expect(machine.savedEventsText == nil)
        for id in ["k", "l"] {
            let outcome = try machine.send(named: "open", payload: Payload(text: "\"\(id)\""), from: .network)
            machine.attach(EventReceipt(of: EventID(id, of: "ann")) { _ in }, toEventWith: outcome)
            machine.remember(SentEvent(EventID(id, of: "ann"), fingerprint: 7, answer: nil), atMost: 64)
        }
        machine.remember(SentEvent(EventID("lost", of: "ann"), fingerprint: 7, answer: nil), atMost: 64)
        let next = try successor(of: machine, setup)
        #expect(next.sent?.events.map(\.answer).prefix(2) == [nil, nil])
        guard case .refused(.unknown, _)? = next.sent?.find(EventID("lost", of: "ann"))?.answer else {
            Issue.record("the outcome of an event that is not waiting should be unknown")
            return
        }
        next.resumeWaitingEvents()
        executor.run()
        #expect(next.sent?.events.map(\.answer).prefix(2) == [.state("open"), .state("open")])
        let third = try successor(of: next, setup)
        #expect(third.sent?.events == next.sent?.events && third.waitingEvents.isEmpty)
    }

    @Test func `Events postponed for another state survive restarts and are offered in that state`() throws {
        let setup = TypedFlowKind<Gate>()
        let machine = try Machine(on: keeper, kind: setup)
        try machine.send(.greet("hello"))
        let next = try successor(of: try successor(of: machine, setup), setup)
        next.resumeWaitingEvents()
        #expect(next.stateName == "closed" && next.waitingEvents.map(\.isPostponed) == [true])
        try next.send(.open(by: "ann"))
        #expect(try next.stateData() == ["by": ["ann", "hello"]] && next.waitingEvents.isEmpty)
    }

    @Test func `A waiting event of a timer that a changed flow lacks is recorded as refused after a restart`() throws {
        let (watcher, kind) = (RecordingWatcher(), TypedFlowKind<Gate>())
        kind.watch(watcher)
        defer { kind.watch(nil) }
        let machine = try Machine(on: keeper, kind: kind, startingIn: "open", data: ["by": ["ann"]])
        let text = #"[{"event":"greet","source":"timer","recorded":true,"timer":"bell","payload":"hello"}]"#
        try machine.restore(try text.utf8Span.span.withUnsafeBytes { try SavedEvents.read($0) })
        machine.resumeWaitingEvents()
        #expect(try machine.stateData() == ["by": ["ann"]] && machine.waitingEvents.isEmpty)
        let sentence = "its timer ended before the hook decided, so the event was withdrawn and has changed nothing"
        #expect(watcher.lines == ["refused \(sentence)"] && watcher.kept == 1)
    }

    @Test func `A postponed event of a timer is offered when its timer's state is left, also after a restart`() throws {
        let (clock, kind) = (VirtualClock(), TypedFlowKind<Porch>())
        let keeper = Timekeeper(clock)
        let machine = try Machine(on: keeper, kind: kind)
        keeper.advance(clock, by: .seconds(5))
        #expect(machine.postponed.map(\.event) == ["ring"])
        let next = try kind.begin(on: keeper, at: SessionImage(of: machine))
        next.resumeWaitingEvents()
        for porch in [machine, next] {
            try porch.send(named: "push", from: .ui)
            #expect(try porch.stateData() == ["rings": 1])
        }
    }

    /// A step is saved while the postponed events behind it are still to be offered.
    @Test func `A postponed event that a restart offers again is not recorded a second time`() throws {
        let (watcher, kind) = (RecordingWatcher(), TypedFlowKind<Gate>())
        kind.watch(watcher)
        defer { kind.watch(nil) }
        let machine = try Machine(on: keeper, kind: kind)
        let text = #"[{"event":"greet","source":"ui","payload":"hello","number":3,"age_ns":5}]"#
        try machine.restore(try text.utf8Span.span.withUnsafeBytes { try SavedEvents.read($0) })
        machine.resumeWaitingEvents()
        #expect(machine.postponed.map(\.number) == [3] && watcher.lines.isEmpty)
        try machine.send(.open(by: "ann"))
        #expect(try machine.stateData() == ["by": ["ann", "hello"]])
    }

    @Test func `A postponed event that waits for a hook keeps its number and its age over a restart`() throws {
        let (clock, gate) = (VirtualClock(), WorkGate())
        let (keeper, kind) = (Timekeeper(clock), TypedFlowKind<Gate> { $0.beforeAsync { _, _ in _ = await gate.pass() } })
        kind.executor = executor
        let machine = try Machine(on: keeper, kind: kind)
        for word in ["taken back", "hello"] { try machine.send(.greet(word)) }
        #expect(machine.withdraw(postponed: 1) == "greet")
        keeper.advance(clock, by: .seconds(5))
        try machine.send(.open(by: "ann"))
        for _ in 1...2 {
            executor.run()
            gate.open()
        }
        #expect(machine.stateName == "open" && machine.waitingEvents.map(\.event) == ["greet"])
        let text = try #require(machine.savedEventsText)
        // A changed flow may postpone it again.
        let next = try Machine(on: keeper, kind: kind)
        try next.restore(try text.utf8Span.span.withUnsafeBytes { try SavedEvents.read($0) })
        next.resumeWaitingEvents()
        #expect(next.postponed.map(\.number) == [2] && next.postponed.map(\.age) == [.seconds(5)])
        executor.run()
    }

    @Test func `Postponed events are handled before the events that a state's entry raises`() throws {
        let kind = TypedFlowKind<Gate> {
            $0.after { session, change in
                if change.isMove { try? session.raise(.greet("raised"), from: .ui) }
            }
        }
        let machine = try Machine(on: keeper, kind: kind)
        try machine.send(.greet("first"))
        try machine.send(.greet("second"))
        try machine.send(.open(by: "ann"))
        #expect(try machine.stateData() == ["by": ["ann", "first", "second", "raised"]])
    }

    @Test func `A waiting event that a hook vetoes is removed and reported as refused`() throws {
        struct Objection: Error, CustomStringConvertible { let description = "not today" }
        let (watcher, setup) = (RecordingWatcher(), setup { throw Objection() })
        setup.watch(watcher)
        defer { setup.watch(nil) }
        let machine = try Machine(on: keeper, kind: setup)
        try machine.send(named: "open", payload: ["by": "ann"], from: .network)
        executor.run()
        #expect(machine.stateName == "closed" && machine.waitingEvents.isEmpty)
        #expect(watcher.lines == [#"waiting {"by":"ann"}"#, "refused not today"])
        #expect(watcher.waitingBytes == 0)
    }

    @Test func `A hook that exceeds its time limit withdraws its event, and the next event continues`() throws {
        let (gate, watcher) = (WorkGate(), RecordingWatcher())
        let setup = TypedFlowKind<Gate> {
            $0.beforeAsync { _, change in if case .open("ann") = change.event { _ = await gate.pass() } }
        }
        setup.executor = executor
        setup.watch(watcher)
        defer { setup.watch(nil) }
        let machine = try Machine(on: keeper, kind: setup)
        try machine.raise(.open(by: "ann"), from: .bluetooth)
        try machine.raise(.open(by: "bob"), from: .bluetooth)
        executor.run()
        #expect(machine.stateName == "closed")
        watcher.endHook(.milliseconds(20))
        executor.run()
        let sentence = "the hook has not decided within 20 ms, so the event was withdrawn and has changed nothing"
        #expect(try machine.stateData() == ["by": ["bob"]] && watcher.lines.contains("refused \(sentence)"))
        gate.open()
        executor.run()
        watcher.endHook(.milliseconds(20))
        #expect(try machine.stateData() == ["by": ["bob"]] && machine.waitingEvents.isEmpty)
    }

    @Test func `Waiting events release their counted bytes when handled and when the session ends`() throws {
        let (watcher, setup) = (RecordingWatcher(), TypedFlowKind<Gate>())
        setup.watch(watcher)
        defer { setup.watch(nil) }
        var machine: Machine<Gate>? = try Machine(on: keeper, kind: setup)
        let word = String(repeating: "x", count: 1_000)
        for _ in 1...5 { try machine?.send(named: "greet", payload: Payload(text: word), from: .ui) }
        #expect(watcher.waitingBytes == 5_000)
        try machine?.send(named: "open", payload: "ann", from: .ui)
        #expect(watcher.waitingBytes == 0)
        machine = try Machine(on: keeper, kind: setup)
        for _ in 1...5 { try machine?.send(named: "greet", payload: Payload(text: word), from: .ui) }
        watcher.maxWaitingBytes = 5_500
        let refusal = #expect(throws: Refusal.self) {
            try machine?.send(named: "greet", payload: Payload(text: word), from: .ui)
        }
        #expect(refusal?.kind == .tooMany)
        machine = nil
        #expect(watcher.waitingBytes == 0)
    }

    @Test func `Postponed events that another state postpones, too, stay if there is less room by now`() throws {
        let (watcher, setup) = (RecordingWatcher(), TypedFlowKind<Gate>())
        setup.watch(watcher)
        defer { setup.watch(nil) }
        let machine = try Machine(on: keeper, kind: setup)
        let word = String(repeating: "x", count: 1_000)
        for _ in 1...5 { try machine.send(named: "greet", payload: Payload(text: word), from: .ui) }
        watcher.maxWaitingBytes = 1_500
        // They are offered to the state again, as to any that the session enters.
        try machine.force("closed", data: .object([]))
        #expect(machine.postponed.map(\.number) == [1, 2, 3, 4, 5] && watcher.waitingBytes == 5_000)
        #expect(!watcher.lines.contains { $0.hasPrefix("refused") }, "\(watcher.lines)")
        let refusal = #expect(throws: Refusal.self) {
            try machine.send(named: "greet", payload: Payload(text: word), from: .ui)
        }
        #expect(refusal?.kind == .tooMany, "a new one")
    }
}

/// Postpones greetings until it is open.
private struct Gate: TypedFlow {
    enum State: FlowState {
        case closed
        case open(by: [String])
    }

    enum Event: Sendable { case open(by: String), greet(String) }

    static let events = Catalogue<Event>(
        .text(Event.open, samples: ["ann"]), .text(Event.greet, "word", samples: ["hello"]))

    let clock: FlowClock

    func initialState() throws -> State { .closed }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.closed, .open(let name)): { .open(by: [name]) }
        case (.open(let names), .open(let name)): { .open(by: names + [name]) }
        case (.closed, .greet): throw .postpone
        case (.open(let names), .greet(let word)): { .open(by: names + [word]) }
        }
    }
}

/// Postpones the ring of its bell until it is open.
private struct Porch: TypedFlow {
    enum State: FlowState { case closed(bell: Countdown), open(rings: Int) }
    enum Event: Sendable { case ring, push }

    static let events = Catalogue<Event>(.timer(.ring), .plain(.push))
    static let bell = TimerPlan.countdown("bell", .seconds(5), message: Event.ring)
    static let timers = [bell]

    let clock: FlowClock

    func initialState() throws -> State { .closed(bell: try Countdown(Self.bell, on: clock)) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.closed, .push): { .open(rings: 0) }
        case (.open(let rings), .ring): { .open(rings: rings + 1) }
        case (.closed, .ring): throw .postpone
        case (.open, .push): throw .transitionNotFound
        }
    }
}

/// Counts votes once it is closed.
private struct Poll: TypedFlow {
    enum Mood: Codable { case calm }
    enum State: FlowState { case open, closed(votes: Int) }
    enum Event: Sendable { case close, counted(votes: [String: Int], absent: Set<String>, mood: Mood) }

    static let events = Catalogue<Event>(
        .plain(.close),
        .object(
            PayloadKind("count", .object), from: .orchestrators, samples: [.counted(votes: [:], absent: [], mood: .calm)]
        ) { sent throws(FlowError) in
            guard case .object(let votes)? = sent["votes"] else { throw FlowError.refused("votes are missing") }
            let counts = votes.map { ($0.name, $0.value.integer ?? 0) }
            return .counted(votes: Dictionary(counts) { $1 }, absent: [], mood: .calm)
        })

    let clock: FlowClock

    func initialState() -> State { .open }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.open, .close): { .closed(votes: 0) }
        case (.closed(let sum), .counted(let votes, _, _)): { .closed(votes: votes.values.reduce(sum, +)) }
        case (.open, .counted): throw .postpone
        default: throw .transitionNotFound
        }
    }
}

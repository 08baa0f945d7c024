// Effects of steps: when a machine hands them over.

import GameFlow
import Testing
import Timers

/// A flow with one effect for each event, and an outbox of pending effects.
private struct Asking: TypedFlow {
    enum State: FlowState {
        case asking(outgoing: Outbox, times: Int)
    }

    enum Event: Sendable { case ask, refuse, emit, raise }

    static let events = Catalogue<Event>(.plain(.ask, from: .anyone), .plain(.refuse), .plain(.emit), .plain(.raise))

    static func configure(_ definition: inout FlowDefinition<Asking>) {
        definition.hasEffects = true
        definition.validate { _, event, _ in
            if case .refuse = event { "not now" } else { nil }
        }
        definition.after { session, change in
            if case .raise? = change.event { try? session.raise(.ask) }
        }
    }

    let clock: FlowClock

    func initialState() throws -> State { .asking(outgoing: Outbox(logs: ["hello"]), times: 0) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        let (outgoing, times) = parts(of: state)
        let errand = Effect.send(event: "asked", data: .integer(times + 1), to: "other")
        return {
            switch event {
            case .ask, .refuse: .asking(outgoing: Outbox(effects: outgoing.effects + [errand]), times: times + 1)
            case .emit:
                .asking(outgoing: Outbox(effects: outgoing.effects, emissions: [Emission(event: "tick")]), times: times)
            case .raise: state
            }
        }
    }

    func outbox(of state: State) -> Outbox? {
        parts(of: state).outgoing
    }

    private func parts(of state: State) -> (outgoing: Outbox, times: Int) {
        switch state {
        case .asking(let outgoing, let times): (outgoing, times)
        }
    }
}

/// A flow of a parent that stores the stage of its child in an object of each state.
private struct Parent: TypedFlow {
    final class Kid: Codable { var stage = ChildSession.Stage.runs.rawValue }
    enum State: FlowState { case waiting(kid: Kid) }
    enum Event: Sendable { case go }

    static let events = Catalogue<Event>(.plain(.go))
    let clock: FlowClock

    static func configure(_ definition: inout FlowDefinition<Parent>) { definition.hasEffects = true }

    func initialState() throws -> State { .waiting(kid: Kid()) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        {
            let kid = Kid()
            kid.stage = self.kid(of: state).stage
            return .waiting(kid: kid)
        }
    }

    func children(of state: State) -> [ChildSession] {
        [ChildSession("kid", ChildSession.Stage(rawValue: kid(of: state).stage))]
    }

    func setStage(_ stage: ChildSession.Stage?, ofChild id: String, in state: State) {
        if let stage { kid(of: state).stage = stage.rawValue }
    }

    private func kid(of state: State) -> Kid {
        switch state {
        case .waiting(let kid): kid
        }
    }
}

/// Records entries and handed-over effects, in order.
private final class EffectRecorder: MachineWatcher {
    private(set) var lines: [String] = []

    override func record(_ entry: borrowing HistoryEntry, of machine: AnyMachine) {
        lines.append("\(entry.kind.name) \(entry.eventName(in: machine.kind) ?? "")")
    }

    override func collect(_ outgoing: Outbox, from machine: AnyMachine) {
        lines +=
            outgoing.effects.map { "\($0.json)" } + outgoing.emissions.map { "emit \($0.event)" }
            + outgoing.logs.map { "log \($0)" }
        (outgoing.effects, outgoing.emissions, outgoing.logs) = ([], [], [])
    }

    override func parent(of machine: AnyMachine) -> String? { "room" }
}

@Suite struct `Effects of a step` {
    private let recorder = EffectRecorder()
    private let kind = TypedFlowKind<Asking>()
    private let keeper = Timekeeper(VirtualClock())

    private func begin() throws -> AnyMachine {
        kind.watch(recorder)
        return try kind.begin(on: keeper)
    }

    @Test func `A step that waits for a hook does not repeat the effects that were performed meanwhile`() throws {
        let (kind, executor) = (TypedFlowKind<Asking> { $0.beforeAsync { _, _ in } }, ManualExecutor())
        kind.executor = executor
        let machine = try kind.begin(on: keeper)
        func numbers() -> [Int?] {
            machine.outbox?.effects.map { if case .send(_, let data, _) = $0 { data?.integer } else { nil } } ?? []
        }
        for number in 1...2 {
            #expect(try machine.send(named: "ask", from: .ui) == .waiting)
            executor.run()
            #expect(numbers() == Array(1...number))
        }
        // While the next step waits, the first effect is performed.
        try machine.send(named: "ask", from: .ui)
        machine.outbox?.completeEffect()
        executor.run()
        #expect(numbers() == [2, 3])
        // A step that keeps its state keeps the outbox, in which that effect is done already.
        try machine.send(named: "raise", from: .ui)
        machine.outbox?.completeEffect()
        executor.run()
        #expect(numbers() == [3, 4], "the raised event has asked for the last")
    }

    @Test func `The stage of a child that ends while a step waits for a hook is stored in the step's state, too`() throws {
        let (kind, executor) = (TypedFlowKind<Parent> { $0.beforeAsync { _, _ in } }, ManualExecutor())
        kind.executor = executor
        let machine = try kind.begin(on: keeper)
        #expect(try machine.send(named: "go", from: .ui) == .waiting)
        machine.setStage(.done, ofChild: "kid")
        #expect(machine.children.map(\.stage) == [.done])
        executor.run()
        #expect(machine.version == 1 && machine.children.map(\.stage) == [.done])
    }

    private static func asked(_ number: Int) -> String { #"{"send":"asked","to":"other","data":\#(number)}"# }

    @Test func `A step's effects are handed over once the step is recorded, and not before`() throws {
        let machine = try begin()
        #expect(recorder.lines == [])
        machine.beginWork()
        #expect(recorder.lines == ["log hello"])
        try machine.send(named: "ask", from: .ui)
        try machine.send(named: "emit", from: .ui)
        #expect(recorder.lines.dropFirst() == ["taken ask", Self.asked(1), "taken emit", "emit tick"])
    }

    @Test func `A refused step has no effects`() throws {
        let machine = try begin()
        #expect(throws: Refusal.self) { try machine.send(named: "refuse", from: .ui) }
        #expect(recorder.lines == [] && machine.outbox?.effects == [])
    }

    @Test func `The effects of a raised event are handed over after the step that raised it`() throws {
        let machine = try begin()
        machine.beginWork()
        try machine.send(named: "raise", from: .ui)
        #expect(recorder.lines == ["log hello", "taken raise", "taken ask", Self.asked(1)])
    }

    @Test func `Effects are collected only if the flow declares them, and never in a replay`() throws {
        let silent = TypedFlowKind<Asking> { $0.hasEffects = false }
        for kind in [silent, kind.decidingOnly()] {
            kind.watch(recorder)
            let machine = try kind.begin(on: keeper)
            machine.beginWork()
            try machine.send(named: "ask", from: .ui)
            #expect(machine.outbox == nil && machine.children == [])
        }
        #expect(recorder.lines == ["taken ask", "taken ask"])
    }

    @Test func `An effect is saved until it is performed, and handed over after a restart`() throws {
        let machine = try silentDesk()
        try machine.send(named: "ask", from: .ui)
        try machine.send(named: "ask", from: .ui)
        let data = try machine.stateData()
        #expect(data["outgoing"]?.description == "[\(Self.asked(1)),\(Self.asked(2))]")
        kind.watch(recorder)
        let restored = try kind.begin(on: keeper, at: SessionImage(state: "asking", data: data))
        restored.beginWork()
        #expect(recorder.lines == [Self.asked(1), Self.asked(2)])
        #expect(try restored.stateData()["outgoing"] == [])
    }

    private func silentDesk() throws -> AnyMachine {
        kind.watch(nil)
        return try kind.begin(on: keeper)
    }

    @Test(arguments: [
        Effect.send(event: "a", data: nil, to: "b"), .send(event: "a", data: ["x": [1, .null, "y"]], to: "ü/b"),
        .begin(child: "c", flow: "quiz", context: ["n": 1]), .drop(child: "c"),
    ])
    func `An effect is read back as it was written`(errand: Effect) throws {
        #expect(try Effect(json: JSON(parsing: errand.json.description)) == errand)
    }

    @Test(arguments: ["{}", "1", #"{"send":"a"}"#, #"{"begin":"a"}"#, #"{"drop":1}"#])
    func `JSON that is no effect is refused with an error message`(text: String) throws {
        let json = try JSON(parsing: text)
        let error = #expect(throws: RestorationError.self) { try Effect(json: json) }
        #expect(error?.description.hasPrefix("an effect is {\"send\":event") == true)
    }

    @Test func `A session can name the parent that created it`() throws {
        let machine = try begin()
        #expect(machine.clock.parentName == "room")
        kind.watch(nil)
        #expect(machine.clock.parentName == nil)
    }
}

// Images of states that a machine saved or a client gave; the flow can tell them apart. A flow's data may contain its parameters.

import BuiltInFlows
import GameFlow
import Testing
import Timers

/// Counts from its parameter on, which is part of the state's data. A given state without it is completed.
private struct Tally: Flow {
    struct State: FlowState {
        var count: Int
        var isCompleted = false

        var ownName: String? { "counting" }
        static var allNames: [String] { ["counting"] }

        static func restored(_ name: String, _ data: JSON, _ restoring: RestorationContext) throws -> State {
            if let count = data["count"]?.integer { return State(count: count) }
            guard !restoring.isSaved else { throw RestorationError("'count' is missing") }
            return State(count: 0, isCompleted: true)
        }
    }

    enum Event: Equatable { case more }
    struct Context: SessionContext { var count: Int? }

    let clock: FlowClock
    let context: Context

    static func kind(keepsParameters: Bool) -> FlowKind {
        var definition = FlowDefinition<Tally>(
            name: "tally", states: ["counting"], events: Catalogue(.plain(.more)), parameters: [.integer("count")])
        definition.keepsParameters = keepsParameters
        return .flow(definition) { Tally(clock: $0, context: $1) }
    }

    var definition: FlowDefinition<Tally> {
        FlowDefinition(name: "tally", states: ["counting"], events: Catalogue(.plain(.more)))
    }

    func initialState() throws -> State { State(count: context.count ?? 0) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        { State(count: state.count + 1) }
    }
}

/// Keeps numbers that JSON cannot hold.
private struct Ledger: TypedFlow {
    enum State: FlowState { case open(sum: UInt64, limit: Double, pages: Int) }
    enum Event { case fill }

    static let fields: [PayloadKind] = [.integer("sum"), .number("limit"), .integer("pages", in: 1...9)]
    static let events = Catalogue<Event>(.plain(.fill))
    let clock: FlowClock

    func initialState() -> State { .open(sum: 0, limit: 0, pages: 1) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        { .open(sum: .max, limit: -.infinity, pages: 9) }
    }
}

@Suite struct `An image of a state` {
    @Test func `Numbers that JSON cannot hold are restored where the flow declares fields without bounds`() throws {
        let ledger = try FlowUnderTest(Ledger.self)
        try ledger.send(.fill)
        let image = try SessionImage(of: ledger.machine)
        let next = try ledger.kind.begin(on: ledger.timekeeper, at: image)
        #expect(try next.stateData() == ["sum": "18446744073709551615", "limit": "-inf", "pages": 9])
        for (sum, limit, pages) in [("7", 0, 1), ("many", 0, 1), (0, "far", 1), (0, 0, "18446744073709551615")]
            as [(JSON, JSON, JSON)]
        {
            let data: JSON = ["sum": sum, "limit": limit, "pages": pages]
            #expect(throws: Refusal.self) { try ledger.machine.force("open", data: data) }
        }
    }

    private func begin(_ kind: FlowKind, _ data: JSON, context: JSON?, isSaved: Bool) throws -> AnyMachine {
        let image = SessionImage(state: "counting", data: data, context: context, isSaved: isSaved)
        return try kind.begin(on: Timekeeper(VirtualClock()), at: image)
    }

    @Test func `An image of a session whose next step waits for a hook has the timers of its state alone`() throws {
        let gate = WorkGate()
        let turns = try FlowUnderTest(Turns.self) { $0.beforeAsync { _, _ in _ = await gate.pass() } }
        turns.advance(.seconds(20))
        #expect(try turns.send(.pass) == .waiting)
        turns.runUntilIdle()
        let image = try SessionImage(of: turns.machine)
        #expect(image.timers.map(\.left) == [.seconds(10)])
        let next = try TypedFlowKind<Turns>().begin(on: Timekeeper(VirtualClock()), at: image)
        #expect(next.stateName == "first" && next.timers.map(\.remaining) == [.seconds(10)])
        #expect(image.lostParts(in: next).isEmpty)
        #expect(turns.machine.viewModel.clocks.map(\.remaining) == [.seconds(10)])
        gate.open()
        turns.runUntilIdle()
        #expect(turns.state == "second" && turns.machine.viewModel.clocks.map(\.remaining) == [.seconds(30)])
    }

    private func count(_ machine: AnyMachine) throws -> Int? { try machine.stateData()["count"]?.integer }

    @Test func `A state's image is completed if a client gave it and used as it is if a machine saved it`() throws {
        let (kind, context) = (Tally.kind(keepsParameters: true), try JSON(parsing: #"{"count":7}"#))
        #expect(try begin(kind, .object([]), context: context, isSaved: false).stateData()["isCompleted"] == .bool(true))
        #expect(throws: RestorationError.self) { try begin(kind, .object([]), context: context, isSaved: true) }
        // The restorer of a state is reused; the next state that it restores is a given one.
        #expect(try count(begin(kind, .object([]), context: context, isSaved: false)) == 0)
    }

    @Test func `The image of a forced state counts as given, not saved`() throws {
        let machine = try Tally.kind(keepsParameters: false).begin(
            on: Timekeeper(VirtualClock()), context: JSON(parsing: #"{"count":7}"#))
        try machine.force("counting", data: .object([]))
        #expect(try machine.stateData()["isCompleted"] == .bool(true))
    }

    @Test func `An image needs no parameters if its data has them, even without defaults`() throws {
        let kind = Tally.kind(keepsParameters: false)
        let first = try kind.begin(on: Timekeeper(VirtualClock()), context: JSON(parsing: #"{"count":7}"#))
        #expect(try count(first) == 7 && first.contextText == nil)
        let second = try begin(kind, try first.stateData(), context: nil, isSaved: true)
        #expect(try count(second) == 7 && second.contextText == nil)
    }

    @Test func `An image whose parameters are stored beside it is refused without them`() throws {
        let kind = Tally.kind(keepsParameters: true)
        let first = try kind.begin(on: Timekeeper(VirtualClock()), context: JSON(parsing: #"{"count":7}"#))
        #expect(first.contextText == #"{"count":7}"#)
        #expect(throws: FlowError.self) { try begin(kind, try first.stateData(), context: nil, isSaved: true) }
    }
}

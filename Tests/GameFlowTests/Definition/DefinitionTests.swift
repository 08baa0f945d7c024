// Flow definitions as values: two different flows of one Swift type, and typed flows.

import BuiltInFlows
import GameFlow
import Testing
import Timers

/// A flow that is made of data: rows of state, event, next state, and a countdown for some states.
struct Rows: Flow {
    struct State: FlowState {
        let row: String
        let timer: Countdown?

        var ownName: String? { row }
        static var allNames: [String] { [] }

        private enum CodingKeys: CodingKey { case timer }

        init(row: String, timer: Countdown?) { (self.row, self.timer) = (row, timer) }

        init(from decoder: any Decoder) throws {
            guard let name = (decoder.userInfo[RestorationContext.key] as? RestorationContext)?.stateName else {
                throw RestorationError("no name")
            }
            row = name
            timer = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Countdown.self, forKey: .timer)
        }

        func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: CodingKeys.self)
            try fields.encodeIfPresent(timer, forKey: .timer)
        }

        static func restored(_ name: String, _ data: JSON, _ restoring: RestorationContext) throws -> State {
            try restoring.decode(from: data)
        }
    }

    struct Event: Hashable, Sendable, NamedEvent {
        let eventName: String
    }

    let rows: [(from: String, event: String, to: String)]
    let definition: FlowDefinition<Rows>
    let clock: FlowClock

    /// `timers` are the states' countdowns: how many seconds, and which event they send.
    static func kind(_ name: String, _ rows: [(String, String, String)], timers: [String: (Int, String)] = [:]) -> FlowKind {
        var states: [String] = []
        for state in rows.flatMap({ [$0.0, $0.2] }) where !states.contains(state) { states.append(state) }
        let sent = Set(timers.values.map(\.1))
        let events = Set(rows.map(\.1)).sorted().map { name in
            EventSpec<Event>.plain(Event(eventName: name), from: sent.contains(name) ? .timers : .clients)
        }
        let plans = timers.sorted { $0.key < $1.key }.map { state, timer in
            TimerPlan.countdown(state, .seconds(timer.0), message: Event(eventName: timer.1))
        }
        let definition = FlowDefinition<Rows>(name: name, states: states, events: Catalogue(events), timers: plans)
        return .flow { clock in
            Rows(rows: rows.map { (from: $0.0, event: $0.1, to: $0.2) }, definition: definition, clock: clock)
        }
    }

    func initialState() throws -> State { try state(rows[0].from) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        guard let row = rows.first(where: { $0.from == state.row && $0.event == event.eventName }) else {
            throw .transitionNotFound
        }
        return { try self.state(row.to) }
    }

    func completed(_ restored: State, from current: State?) throws -> State {
        restored.timer == nil ? try state(restored.row) : restored
    }

    private func state(_ name: String) throws -> State {
        let plan = definition.timers.first { $0.name == name }
        return State(row: name, timer: try plan.map { try Countdown($0, on: clock) })
    }
}

extension Rows {
    nonisolated(unsafe) static let door = kind(
        "door", [("closed", "open", "open"), ("open", "close", "closed")], timers: ["open": (20, "close")])
    nonisolated(unsafe) static let light = kind("light", [("red", "go", "green"), ("green", "stop", "red")])
}

@Suite(.serialized) struct `A flow that is made at run time` {
    @Test func `A flow made at run time has its own states, events and timers, beside another of its type`() throws {
        let (door, light) = (Rows.door, Rows.light)
        #expect(door.states == ["closed", "open"] && light.states == ["red", "green"])
        #expect(door.eventNames == ["close", "open"] && light.eventNames == ["go", "stop"])
        #expect(door.problems() == [] && light.problems() == [])
        let clock = VirtualClock()
        let keeper = Timekeeper(clock)
        let (first, second) = (try door.begin(on: keeper), try light.begin(on: keeper))
        try first.send(named: "open", from: .ui)
        try second.send(named: "go", from: .ui)
        #expect(first.stateName == "open" && second.stateName == "green")
        #expect(throws: Refusal.self) { try first.send(named: "go", from: .ui) }
        #expect(throws: Refusal.self) { try first.send(named: "close", from: .ui) }
        keeper.advance(clock, by: .seconds(20))
        #expect(first.stateName == "closed" && second.stateName == "green")
    }

    @Test func `A flow made at run time is saved, restored, explored and drawn like any other`() throws {
        let clock = VirtualClock()
        let keeper = Timekeeper(clock)
        let first = try Rows.door.begin(on: keeper)
        try first.send(named: "open", from: .ui)
        keeper.advance(clock, by: .seconds(5))
        let image = SessionImage(state: first.stateName, data: try first.stateData(), away: .seconds(3))
        let second = try Rows.door.begin(on: keeper, at: image)
        #expect(second.timers.map(\.remaining) == [.seconds(12)])
        let found = try Rows.door.exploration()
        #expect(found.unreachable.isEmpty && found.edges.count == 2)
        #expect(
            found.mermaid == """
                stateDiagram-v2
                  [*] --> closed
                  closed --> open: open
                  open --> closed: after open
                """)
        #expect(try Rows.light.exploration().dot.contains("\"red\" -> \"green\" [label=\" go \"];"))
    }
}

@Suite struct `A typed flow` {
    private enum Mixed: FlowState {
        case first
        case second(number: Int)
        case third
        indirect case fourth(text: String)
        case fifth(Countdown)
    }

    private enum Only: FlowState { case one }

    @Test func `A typed flow lists its states in source order, with or without associated values`() {
        #expect(Mixed.allNames == ["first", "second", "third", "fourth", "fifth"])
        #expect(Only.allNames == ["one"])
        #expect(Game.states == ["introduction", "help", "choosingEpisode", "choosingLevel", "playingLevel", "finishedLevel"])
        #expect(Startup.states == ["launching", "hydrating", "needsLogin", "authenticating", "error", "ready"])
        #expect(Registration.states.first == "login" && Registration.states.last == "finished")
        #expect(EnumCases.names(of: Int.self) == nil && EnumCases.names(of: String.self) == nil)
    }

    @Test func `A typed flow is named after its type unless it sets a name`() {
        #expect(Game.name == "game" && Registration.name == "registration" && Rows.door.name == "door")
    }

    @Test func `An event's payload is named by the label of its case`() {
        #expect(Game.events["completeLevel"]?.payload == .integer("score", in: 0...2_147_483_647))
        #expect(Onboarding.events["deviceWasIdentified"]?.payload?.name == "mac")
        #expect(Game.events["chooseEpisode"]?.payload?.name == "episode", "a case without a label is given one")
    }

    @Test(arguments: Game.states)
    func `A machine started in any state of a typed flow reports that state and its index`(state: String) throws {
        let data: JSON = ["episode": 1, "level": 2, "score": 3, "play": ["seconds": 4]]
        let game = try FlowUnderTest(Game.self, startingIn: state, data: data)
        #expect(game.state == state && game.machine.state.name == state)
        #expect(game.machine.stateIndex == game.kind.index(ofState: state))
    }
}

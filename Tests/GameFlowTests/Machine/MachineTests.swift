// The machine: order, atomicity, queues, sources of events, observers.

import BuiltInFlows
import GameFlow
import Testing
import Timers

/// A flow made for these tests: two rooms and a hall, with an event for each feature of a machine.
struct House: TypedFlow {
    enum State: FlowState {
        case hall, kitchen(Countdown), attic
    }

    enum Event: Sendable, Equatable {
        case cook, climb, leave, ring, fail, breakDown, timeIsUp, instant, cookAnew
    }

    struct Broken: Error, CustomStringConvertible {
        let description = "the stove is broken"
    }

    static let name = "house"
    static let states = ["hall", "kitchen", "attic"]
    static let events = Catalogue<Event>(
        .plain(.cook, from: .anyone), .plain(.climb, from: .anyone), .plain(.leave, from: .anyone),
        .plain(.ring, from: .anyone),
        .plain(.fail, from: .anyone), .plain(.breakDown, from: .anyone), .plain(.instant, from: .anyone), .plain(.cookAnew),
        .timer(.timeIsUp))
    static let kitchen = TimerPlan.countdown("kitchen", .seconds(10), message: Event.timeIsUp)
    static let now = TimerPlan.countdown("now", .zero, message: Event.instant)
    static let timers = [kitchen, now]
    /// The flow has intentional problems.
    static func configure(_ definition: inout FlowDefinition<Self>) { definition.isChecked = false }

    let clock: FlowClock

    func initialState() throws -> State { .hall }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.hall, .cook), (.attic, .cook): { .kitchen(try Countdown(Self.kitchen, on: clock)) }
        case (.kitchen(let old), .cookAnew): { .kitchen(old.again()) }
        case (.hall, .climb), (.kitchen, .climb): { .attic }
        case (.kitchen, .leave), (.attic, .leave), (.kitchen, .timeIsUp): { .hall }
        case (.kitchen, .ring), (.hall, .ring): throw .postpone
        case (.attic, .ring): { .hall }
        case (_, .fail): throw .refused("it never works")
        case (_, .breakDown):
            {
                _ = try Countdown(Self.kitchen, on: clock)
                throw Broken()
            }
        case (_, .instant): { .kitchen(try Countdown(Self.now, on: clock)) }
        default: throw .transitionNotFound
        }
    }
}

/// Records the sentences of refusals in the history.
private final class RefusalWatcher: MachineWatcher {
    private(set) var sentences: [String] = []

    override func record(_ entry: borrowing HistoryEntry, of machine: AnyMachine) {
        if let sentence = entry.refusal(in: machine.kind) { sentences.append(sentence) }
    }
}

/// Records lines of text.
private final class Log {
    var lines: [String] = []
}

private func house(_ configure: (inout FlowDefinition<House>) -> Void = { _ in }) throws -> FlowUnderTest<House> {
    try FlowUnderTest(House.self, configure: configure)
}

@Suite struct `A step of the machine` {
    @Test func `A step runs validators, hooks, the commit, hooks and observers in this order`() throws {
        let log = Log()
        let house = try house { setup in
            setup.validate { from, event, to in
                log.lines.append("validate \(from.name) \(event) \(to.name)")
                return nil
            }
            setup.before { machine, _, to in log.lines.append("before, still \(machine.stateName), to \(to.name)") }
            setup.after { machine, change in log.lines.append("after, now \(machine.stateName), version \(change.version)") }
        }
        let first = house.machine.observe { log.lines.append("first told \($0.from) \($0.eventName ?? "") \($0.to)") }
        let second = house.machine.observe { log.lines.append("second told from \($0.source.name)") }
        try house.send(.climb, from: .bluetooth)
        #expect(
            log.lines == [
                "validate hall climb attic", "before, still hall, to attic", "after, now attic, version 1",
                "first told hall climb attic", "second told from bluetooth",
            ])
        withExtendedLifetime((first, second)) {}
    }

    @Test(arguments: [House.Event.breakDown, .fail, .instant, .climb])
    func `An error before the commit leaves the state and its timers unchanged`(event: House.Event) throws {
        let house = try house { setup in
            setup.validate { _, event, _ in event == .instant ? "not like this" : nil }
            setup.before { _, event, _ in if event == .climb { throw House.Broken() } }
        }
        try house.send(.cook)
        house.advance(.seconds(4))
        let before = Snapshot(house.machine)
        #expect(throws: Refusal.self) { try house.send(event) }
        #expect(Snapshot(house.machine) == before)
        #expect(house.timekeeper.armedCount == 1)
        house.advance(.seconds(6))
        #expect(house.state == "hall")
    }

    @Test func `A step releases the transition's captures before the hooks after the commit run`() throws {
        let log = Log()
        let house = try house { setup in
            setup.after { machine, _ in log.lines.append(machine.timers.map { "\($0.plan.name) \($0.left ?? -1)" }.joined()) }
        }
        try house.send(.cook)
        house.advance(.seconds(4))
        try house.send(.cookAnew)
        #expect(log.lines == ["kitchen 10000000000", "kitchen 10000000000"], "the old timer is gone, the new one has begun")
        house.advance(.seconds(9))
        #expect(house.state == "kitchen")
        house.advance(.seconds(1))
        #expect(house.state == "hall")
    }

    @Test func `A refused step reports its kind and the reason from the validator, hook or flow`() throws {
        let house = try house { setup in
            setup.validate { _, event, _ in event == .cook ? "the kitchen is closed" : nil }
            setup.before { _, event, _ in if event == .climb { throw House.Broken() } }
        }
        let refusals = [House.Event.cook, .climb, .fail, .breakDown, .leave].map { event in
            #expect(throws: Refusal.self) { try house.send(event) }
        }
        #expect(refusals.map { $0?.kind } == [.vetoed, .vetoed, .badEvent, .badEvent, .transitionNotFound])
        #expect(
            refusals.map { $0?.description } == [
                "the kitchen is closed", "the stove is broken", "it never works", "the stove is broken",
                "'leave' is not valid in 'hall'; it accepts cook, climb, ring, breakDown, instant",
            ])
    }

    @Test func `An error without a description is named in the refusal, with advice for the flow's author`() throws {
        struct Nameless: Error {}
        let house = try house { setup in setup.before { _, _, _ in throw Nameless() } }
        let refusal = #expect(throws: Refusal.self) { try house.send(.cook) }
        #expect(
            refusal?.description
                == "the flow has thrown Nameless(); it can throw FlowError.refused(…) to say what would be right")
        let door = try FlowUnderTest { Door(clock: $0) }
        let locked = #expect(throws: Refusal.self) { try door.send(.open) }
        #expect(
            locked?.description == "the flow has thrown Locked(); it can throw FlowError.refused(…) to say what would be right")
    }

    @Test func `Events raised during a step are handled after it, in order`() throws {
        let log = Log()
        let house = try house { setup in
            setup.after { machine, change in
                log.lines.append("\(change.to) begins")
                if change.to == "kitchen" {
                    #expect(throws: Never.self) { try machine.raise(.climb) }
                    #expect(throws: Never.self) { try machine.raise(.leave) }
                }
                log.lines.append("\(change.to) ends")
            }
        }
        try house.send(.cook)
        #expect(log.lines == ["kitchen begins", "kitchen ends", "attic begins", "attic ends", "hall begins", "hall ends"])
        #expect(house.state == "hall")
    }

    @Test func `A session's queue of raised events holds at most 1,000 events`() throws {
        var refused = 0
        let house = try house { setup in
            setup.after { machine, change in
                guard change.version == 1 else { return }
                for _ in 0..<1_001 { do { try machine.raise(.leave) } catch { refused += 1 } }
            }
        }
        try house.send(.cook)
        #expect(refused == 1)
        #expect(house.state == "hall")
    }

    @Test func `A hook that sends an event at each change is stopped after 4,096 events, and the history shows it`() throws {
        let (watcher, log) = (RefusalWatcher(), Log())
        let kind = TypedFlowKind<House> {
            $0.after { machine, change in
                do { try machine.raise(change.to == "attic" ? .leave : .climb) } catch { log.lines.append("\(error)") }
            }
        }
        kind.watch(watcher)
        defer { kind.watch(nil) }
        let machine = try Machine(on: Timekeeper(VirtualClock()), kind: kind)
        for (index, event) in [House.Event.climb, .leave].enumerated() {
            try machine.send(event)
            #expect(machine.version == (index + 1) * 4_097, "each step counts anew")
            #expect(log.lines.count == index + 1 && log.lines[index].contains("one step has led to 4096 events"))
            #expect(watcher.sentences == log.lines)
        }
    }

    @Test func `With the ignore policy, an event that is not valid is ignored`() throws {
        let house = try house { $0.policy = .ignore }
        #expect(try house.send(.leave) == .ignored)
        #expect(house.machine.version == 0)
        #expect(throws: Refusal.self) { try house.send(.fail) }
    }

    @Test func `An observer whose token is released is no longer called`() throws {
        let log = Log()
        let house = try house()
        var token: ChangeSubscription? = house.machine.observe { log.lines.append($0.to) }
        try house.send(.climb)
        token = nil
        try house.send(.leave)
        #expect(log.lines == ["attic"] && token == nil)
    }

    @Test func `An event sent by name is decoded, checked and handled`() throws {
        let game = try FlowUnderTest { Game(clock: $0) }
        try game.machine.send(named: "startPlaying", from: .network)
        try game.machine.send(named: "chooseEpisode", payload: ["episode": 4], from: .network)
        try game.machine.send(named: "chooseLevel", payload: 2, from: .ui)
        #expect(game.state == "playingLevel")
        let sentences = [("jump", nil), ("completeLevel", nil), ("completeLevel", "many"), ("tick", nil), ("dismissHelp", 1)]
            .map {
                (name: String, payload: Payload?) in
                #expect(throws: Refusal.self) { try game.machine.send(named: name, payload: payload, from: .network) }?
                    .description
            }
        #expect(
            sentences == [
                """
                'game' has no event 'jump'; available: displayHelp, dismissHelp, startPlaying, chooseEpisode, chooseLevel, \
                completeLevel, dismissFinishedLevel, returnHome
                """,
                "'completeLevel' expects 'score', a whole number: 0 to 2147483647",
                "'completeLevel' expects 'score', a whole number: 0 to 2147483647",
                "'tick' cannot come from network; it comes from timer",
                "'dismissHelp' carries nothing",
            ])
    }

    @Test(arguments: ["{}", " { } ", "{\n}"]) func `An event without a payload takes an empty object`(text: String) throws {
        let game = try FlowUnderTest { Game(clock: $0) }
        try game.machine.send(named: "displayHelp", payload: Payload(text: text), from: .network)
        try game.machine.send(named: "dismissHelp", payload: .init(.object([])), from: .network)
        #expect(game.state == "introduction")
    }

    @Test func `A machine names its state even beyond the limit of recorded state names`() throws {
        let maze = try FlowUnderTest { Maze(clock: $0) }
        for room in 1...66_000 {
            try maze.send(.goOn)
            guard room < 65_000 || room > 65_900 else { continue }
            try #require(maze.state == "room \(room)", "room \(room)")
        }
        #expect(maze.machine.stateIndex == FlowKind.unnumberedState)
        #expect(maze.machine.state.room == 66_000)
    }
}

/// A flow with a new state name for each step.
private struct Maze: TypedFlow {
    struct State: FlowState {
        var room = 0
        var ownName: String? { "room \(room)" }
    }
    enum Event: Sendable { case goOn }

    static let name = "maze"
    static let states = ["room 0"]
    static let events = Catalogue<Event>(.plain(.goOn))
    static func configure(_ definition: inout FlowDefinition<Self>) { definition.isChecked = false }

    let clock: FlowClock

    func initialState() -> State { State() }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        { State(room: state.room + 1) }
    }
}

@Suite struct `Postponed events` {
    @Test func `A postponed event is offered again after each change of state, until a state accepts it`() throws {
        let house = try house()
        #expect(try house.send(.ring) == .postponed)
        try house.send(.cook)
        #expect(house.state == "kitchen")
        try house.send(.climb)
        #expect(house.state == "hall")
    }

    @Test func `A deep link that arrives before the startup is ready opens once it is ready`() throws {
        let startup = try FlowUnderTest { Startup(clock: $0) }
        try startup.send(.deepLink(path: "/first"))
        try startup.send(.didLaunch)
        try startup.send(.deepLink(path: "/second"))
        try startup.send(.hydrateSucceeded(hasSession: true, userID: "ann"), from: .orchestrator)
        guard case .ready("ann", "/second") = startup.machine.state else { Issue.record("\(startup.machine.state)"); return }
    }

    @Test func `A session postpones at most 100 events`() throws {
        let house = try house()
        for _ in 0..<100 { #expect(try house.send(.ring) == .postponed) }
        let refusal = #expect(throws: Refusal.self) { try house.send(.ring) }
        #expect(refusal?.kind == .tooMany)
    }
}

@Suite struct `Forcing a state` {
    @Test func `Forcing a state enters it with fresh timers and is recorded as forced`() throws {
        let game = try FlowUnderTest { Game(clock: $0) }
        let log = Log()
        let token = game.machine.observe { log.lines.append("\($0.from) \($0.eventName ?? "forced") \($0.to)") }
        try game.machine.force("choosingLevel", data: ["episode": 3])
        #expect(log.lines == ["introduction forced choosingLevel"])
        game.advance(.seconds(30))
        #expect(game.state == "choosingEpisode")
        withExtendedLifetime(token) {}
    }

    @Test(
        arguments: [
            ("nowhere", [:], "'game' has no state 'nowhere'; available: \(Game.states.joined(separator: ", "))"),
            ("choosingLevel", [:], "'episode' is missing"),
            ("choosingLevel", ["episode": "one"], "'choosingLevel' expects 'episode', a whole number: 1 to 4"),
            ("choosingLevel", ["episode": 300], "'choosingLevel' expects 'episode', a whole number: 1 to 4"),
            ("choosingLevel", 7, "the data of 'choosingLevel' must be an object"),
            ("choosingLevel", ["episode": 5], "'choosingLevel' expects 'episode', a whole number: 1 to 4"),
            (
                "choosingLevel", ["episode": 3, "epsiode": 4],
                "'choosingLevel': there is no value 'epsiode'; available: episode, best"
            ),
            ("introduction", ["level": 1], "'introduction': there is no value 'level'; available: best"),
            (
                "playingLevel", ["episode": 1, "level": 1, "play": ["seconds": 0, "second": 1]],
                "'playingLevel.play': there is no value 'second'; available: timeLimit, tick, seconds"
            ),
            ("help", ["help": 5], #"the timer 'help' is an object such as {"remaining_ms":30000}, and not 5"#),
            (
                "help", ["help": ["remaining": 5]],
                "the timer 'help' has no 'remaining'; available: timer, remaining_ns, remaining_ms, paused, milestones_due, event"
            ),
        ] as [(String, JSON, String)])
    func `Forcing a state with unsuitable data is refused with an error message and changes nothing`(
        state: String, data: JSON, sentence: String
    ) throws {
        let game = try FlowUnderTest { Game(clock: $0) }
        try game.send(.displayHelp)
        let before = Snapshot(game.machine)
        let error = #expect(throws: Refusal.self) { try game.machine.force(state, data: data) }
        #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
        #expect(Snapshot(game.machine) == before)
    }
}

/// A reducer that throws an error without a description.
private struct Door: ReducerFlow {
    struct Locked: Error {}
    enum State: FlowState { case shut }
    enum Event: Sendable { case open, knock }

    static let events = Catalogue<Event>(.plain(.open), .plain(.knock))
    static func configure(_ door: inout FlowDefinition<Self>) { door.isChecked = false }
    let clock: FlowClock

    func initialState() -> State { .shut }

    func reduce(_ state: State, _ event: Event) throws -> State? {
        if event == .open { throw Locked() }
        return state
    }
}

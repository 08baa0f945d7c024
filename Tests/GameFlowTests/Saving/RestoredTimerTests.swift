// How a restored timer is identified: by its label, by the state's name, or by the timer that ran.

import BuiltInFlows
import GameFlow
import Testing
import Timers

@Suite struct `A restored timer` {
    private let clock: VirtualClock
    private let keeper: Timekeeper

    init() {
        clock = VirtualClock()
        keeper = Timekeeper(clock)
    }

    private func machine(_ state: String, _ data: JSON = .object([]), _ timers: [TimerImage] = []) throws -> Machine<Hall> {
        try Machine(on: keeper, kind: TypedFlowKind(), startingIn: state, data: data, timers: timers[...])
    }

    private func image(_ name: String, _ seconds: Int, _ kind: TimerPlan.Kind = .countdown) -> TimerImage {
        TimerImage(name: name, kind: kind, left: .seconds(seconds), isPaused: false)
    }

    /// A session's timers as a store keeps them.
    private func images(_ machine: AnyMachine) -> [TimerImage] {
        machine.timers.reversed().map {
            TimerImage(name: $0.plan.name, kind: $0.plan.kind, left: $0.remaining, isPaused: $0.isPaused)
        }
    }

    private func running(_ machine: AnyMachine) -> [String: Duration?] {
        Dictionary(uniqueKeysWithValues: machine.timers.map { ($0.plan.name, $0.remaining) })
    }

    @Test func `A timer with neither a label nor its state's name is restored as the timer that ran`() throws {
        for (event, state) in [(Hall.Event.openUnlabelled, "unlabelled"), (.openPair, "pair"), (.openMixed, "mixed")] {
            let first = try Machine<Hall>(on: keeper)
            try first.send(event)
            #expect(first.stateName == state)
            try first.timers.first?.extend(by: .seconds(7))
            let second = try machine(state, try first.stateData(), images(first))
            #expect(running(second) == running(first), "with its data")
            guard event != .openMixed else { continue }
            let third = try machine(state, .object([]), images(first))
            #expect(running(third) == running(first), "by its timers alone")
            #expect(try third.stateData() == first.stateData())
        }
    }

    @Test(arguments: [false, true]) func `Two timers of one plan keep their places over a restart`(isFirstNewer: Bool) throws {
        let machine = try Machine<Hall>(on: keeper)
        try machine.send(.openDuel)
        keeper.advance(clock, by: .seconds(7))
        if isFirstNewer { try machine.send(.renewFirst) }
        try machine.timers.first?.extend(by: .seconds(50))
        let before = try machine.stateData()
        let image = try SessionImage(of: machine)
        #expect(try TypedFlowKind<Hall>().begin(on: keeper, at: image).stateData() == before)
    }

    @Test func `A timer is restored as the newest of its plan, and not as that of the former state`() throws {
        let old = TimerImage(name: "music", kind: .countdown, left: nil, isPaused: true)
        #expect(running(try machine("unlabelled", .object([]), [image("music", 30), old])) == ["music": .seconds(30)])
    }

    /// From the second session on, the state is not decoded.
    @Test(arguments: ["doors", "labelled", "unlabelled"], [nil, 3, 0] as [Int?])
    func `A restored timer is the same in the first session of a state and in later ones`(state: String, seconds: Int?) throws {
        let (kind, name) = (TypedFlowKind<Hall>(), ["labelled": "closing", "unlabelled": "music"][state] ?? state)
        for (count, isPaused) in [false, false, true, false].enumerated() {
            let left = seconds.map { Duration.seconds($0 + count) }
            let timer = TimerImage(name: name, kind: .countdown, left: left, isPaused: isPaused)
            let image = SessionImage(state: state, timers: [timer], isSaved: true)
            let machine = try kind.begin(on: keeper, at: image)
            #expect(machine.stateName == state)
            #expect(running(machine) == [name: left], "session \(count)")
            #expect(machine.timers.map(\.isPaused) == [isPaused])
        }
    }

    @Test func `A restored timer without a label must be the one named after its state`() throws {
        #expect(running(try machine("doors")) == ["doors": .seconds(10)])
        #expect(running(try machine("doors", ["doors": ["remaining_ns": 5]])) == ["doors": .nanoseconds(5)])
        let error = #expect(throws: RestorationError.self) { try machine("doors", ["doors": ["timer": "closing"]]) }
        #expect(error?.description == "'doors' carries the timer 'doors' there, not 'closing'")
    }

    @Test func `A restored timer with a label must be the one that the label names`() throws {
        #expect(throws: RestorationError.self) { try machine("labelled", ["closing": ["timer": "doors"]]) }
        #expect(throws: RestorationError.self) { try machine("labelled", ["closing": ["timer": "nothing"]]) }
        #expect(running(try machine("labelled", ["closing": ["timer": "closing"]])) == ["closing": .seconds(20)])
    }

    @Test func `A restored timer that no name identifies is refused with advice to label it`() {
        let error = #expect(throws: RestorationError.self) { try machine("unlabelled") }
        #expect(error?.description.contains("label the value with the timer's name") == true)
    }

    @Test func `Timers of one plan in a list are restored each with its own remaining time`() throws {
        let race = try FlowUnderTest(Race.self)
        for pause in [3, 4, 5] {
            try race.send(.join)
            race.advance(.seconds(pause))
        }
        race.machine.timers[1].pause()
        for order in [[48, 51, 55], [55, 51, 48]] {
            let back = try TypedFlowKind<Race>().begin(on: keeper, at: SessionImage(of: race.machine))
            #expect(try back.stateData() == race.machine.stateData())
            #expect(back.timers.map(\.remaining) == order.map { .seconds($0) })
            #expect(back.timers.map(\.isPaused) == [false, true, false])
            try race.send(.overtake)
        }
    }

    @Test func `An optional timer is restored where the state carries nothing else`() throws {
        let race = try FlowUnderTest(Race.self)
        for (event, count) in [(Race.Event.rest, 1), (.stop, 0), (.rest, 1)] {
            try race.send(event)
            let back = try TypedFlowKind<Race>().begin(on: keeper, at: SessionImage(of: race.machine))
            #expect(back.timers.count == count && back.stateName == "resting")
        }
    }

    /// The pendulum is made before the countdown, and swings again later.
    @Test(arguments: [false, true])
    func `Restored timers of one instant fire in the order in which they were armed before`(isFrozen: Bool) throws {
        let round = try FlowUnderTest(Round.self)
        round.advance(.milliseconds(2_500))
        if isFrozen { round.machine.clock.freeze() }
        let back = try TypedFlowKind<Round>().begin(on: keeper, at: SessionImage(of: round.machine))
        for machine in [round.machine, back] { machine.clock.resume() }
        round.advance(.milliseconds(500))
        keeper.advance(clock, by: .milliseconds(500))
        #expect(try round.machine.stateData() == ["ticks": 2])
        #expect(try back.stateData() == ["ticks": 2])
        #expect(back.stateName == "over")
    }

    @Test func `A page of a table flow restores only its own timer`() throws {
        let keeper = Timekeeper(VirtualClock())
        let data: JSON = ["timer": ["timer": "inactivity", "remaining_ns": 5]]
        let login = try Machine<Registration>(on: keeper, startingIn: "login", data: data)
        #expect(login.timers.isEmpty, "that page has none")
        let profile = try Machine<Registration>(on: keeper, startingIn: "createProfile", data: data)
        #expect(profile.timers.map(\.remaining) == [.nanoseconds(5)])
        let foreign: JSON = ["timer": ["timer": "pushNotificationsAsk", "remaining_ns": 5]]
        #expect(throws: RestorationError.self) {
            try Machine<Permissions>(on: keeper, startingIn: "locationAsk", data: foreign)
        }
    }
}

private struct Hall: TypedFlow {
    enum State: FlowState {
        case start
        case doors(Countdown)
        case labelled(closing: Countdown)
        case unlabelled(Countdown)
        case pair(Countdown, Countdown)
        case mixed(Countdown, closing: Countdown, count: Int)
        case duel(first: Countdown, second: Countdown)
    }

    enum Event: Sendable { case openUnlabelled, openPair, openMixed, openDuel, renewFirst }

    static let name = "hall"
    static let states = ["start", "doors", "labelled", "unlabelled", "pair", "mixed", "duel"]
    static let events = Catalogue<Event>(
        .plain(.openUnlabelled), .plain(.openPair), .plain(.openMixed), .plain(.openDuel), .plain(.renewFirst))
    static let doors = TimerPlan.countdown("doors", .seconds(10))
    static let closing = TimerPlan.countdown("closing", .seconds(20))
    static let music = TimerPlan.countdown("music", .seconds(30))
    static let duel = TimerPlan.countdown("duel", .seconds(40))
    static let timers = [doors, closing, music, duel]

    let clock: FlowClock

    func initialState() throws -> State { .start }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (event, state) {
        case (.openDuel, _): { .duel(first: try Countdown(Self.duel, on: clock), second: try Countdown(Self.duel, on: clock)) }
        case (.renewFirst, .duel(_, let second)): { .duel(first: try Countdown(Self.duel, on: clock), second: second) }
        case (.renewFirst, _): throw .transitionNotFound
        case (.openUnlabelled, _): { .unlabelled(try Countdown(Self.music, on: clock)) }
        case (.openPair, _): { .pair(try Countdown(Self.music, on: clock), try Countdown(Self.doors, on: clock)) }
        case (.openMixed, _):
            { .mixed(try Countdown(Self.music, on: clock), closing: try Countdown(Self.closing, on: clock), count: 1) }
        }
    }
}

/// Carries a list of timers, or one that may be missing.
private struct Race: TypedFlow {
    enum State: FlowState {
        case running(laps: [Countdown])
        case resting(lap: Countdown?)
    }

    enum Event: Sendable { case join, overtake, rest, stop, timeIsUp }

    static let events = Catalogue<Event>(.plain(.join), .plain(.overtake), .plain(.rest), .plain(.stop), .timer(.timeIsUp))
    static let lap = TimerPlan.countdown("lap", .seconds(60), message: Event.timeIsUp)
    static let timers = [lap]

    let clock: FlowClock

    func initialState() throws -> State { .running(laps: []) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.running(let laps), .join): { .running(laps: laps + [try Countdown(Self.lap, on: clock)]) }
        case (.running(let laps), .overtake): { .running(laps: laps.reversed()) }
        case (_, .rest): { .resting(lap: try Countdown(Self.lap, on: clock)) }
        case (_, .stop): { .resting(lap: nil) }
        case (_, .timeIsUp): { .running(laps: []) }
        default: throw .transitionNotFound
        }
    }
}

/// Two timers are due at one instant every second.
private struct Round: TypedFlow {
    enum State: FlowState {
        case playing(ticks: Int, tick: Pendulum, end: Countdown)
        case over(ticks: Int)
    }

    enum Event: Sendable { case tick, end }

    static let events = Catalogue<Event>(.timer(.tick), .timer(.end))
    static let tick = TimerPlan.pendulum("tick", every: .seconds(1), message: Event.tick)
    static let end = TimerPlan.countdown("end", .seconds(3), message: Event.end)
    static let timers = [tick, end]

    let clock: FlowClock

    func initialState() throws -> State {
        .playing(ticks: 0, tick: try Pendulum(Self.tick, on: clock), end: try Countdown(Self.end, on: clock))
    }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.playing(let ticks, let tick, let end), .tick): { .playing(ticks: ticks + 1, tick: tick, end: end) }
        case (.playing(let ticks, _, _), .end): { .over(ticks: ticks) }
        default: throw .transitionNotFound
        }
    }
}

// Omissions in a flow's lists are reported when it is registered and when it is tested, not at a restart.

import BuiltInFlows
import GameFlow
import Synchronization
import Testing
import Timers

/// A lamp flow that takes a faulty definition.
private struct Lamp: TypedFlow {
    enum State: FlowState {
        case off
        case on(glow: Countdown)
        case blinking(blink: Pendulum, Countdown)
    }

    enum Event: Sendable { case press, hold, timeIsUp, blink }

    static let events = Catalogue<Event>(.plain(.press), .plain(.hold), .timer(.timeIsUp), .timer(.blink))
    static let glow = TimerPlan.countdown("glow", .seconds(5), message: Event.timeIsUp)
    static let blink = TimerPlan.pendulum("blink", every: .seconds(1), message: Event.blink)
    static let blinking = TimerPlan.countdown("blinking", .seconds(9), message: Event.timeIsUp)
    static let timers = [glow, blink, blinking]

    let clock: FlowClock
    let definition: FlowDefinition<Lamp>
    /// The plan that is used where `glow` is meant.
    let glow: TimerPlan

    init(clock: FlowClock) { self.init(clock: clock, Self.definition) }

    init(clock: FlowClock, _ definition: FlowDefinition<Lamp>, glow: TimerPlan = Lamp.glow) {
        (self.clock, self.definition, self.glow) = (clock, definition, glow)
    }

    func initialState() throws -> State { .off }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.off, .press): { .on(glow: try Countdown(glow, on: clock)) }
        case (.off, .hold): { .blinking(blink: try Pendulum(Self.blink, on: clock), try Countdown(Self.blinking, on: clock)) }
        case (.on, .timeIsUp), (.blinking, .timeIsUp): { .off }
        case (.blinking, .blink): { state }
        default: throw .transitionNotFound
        }
    }
}

/// Carries two timers of one plan without labels.
private struct Duel: TypedFlow {
    enum State: FlowState { case idle, duel(Countdown, Countdown) }
    enum Event: Sendable { case start, timeIsUp }

    static let events = Catalogue<Event>(.plain(.start), .timer(.timeIsUp))
    static let duel = TimerPlan.countdown("duel", .seconds(100), message: Event.timeIsUp)
    static let timers = [duel]

    let clock: FlowClock

    func initialState() throws -> State { .idle }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.idle, .start): { .duel(try Countdown(Self.duel, on: clock), try Countdown(Self.duel, on: clock)) }
        case (.duel, .timeIsUp): { .idle }
        default: throw .transitionNotFound
        }
    }
}

@Suite struct `Problems of a flow` {
    @Test func `Two timers of one plan without labels, which a restart could swap, are reported`() {
        #expect(
            TypedFlowKind<Duel>().problems() == [
                "'duel' carries two values under the name 'duel': give each of them a label"
            ])
    }

    private func problems(
        states: [String] = Lamp.states, events: [EventSpec<Lamp.Event>] = Lamp.events.specs, timers: [TimerPlan] = Lamp.timers,
        glow: TimerPlan = Lamp.glow
    ) -> [String] {
        let definition = FlowDefinition<Lamp>(name: "lamp", states: states, events: Catalogue(events), timers: timers)
        return TypedFlowKind(making: { Lamp(clock: $0, definition, glow: glow) }).problems()
    }

    @Test func `A flow without mistakes has no problems`() throws {
        #expect(problems() == [])
        for flow in FlowKind.builtIn(work: .idle) {
            #expect(flow.problems() == [], "\(flow.name)")
            #expect(try flow.check() == [], "\(flow.name)")
        }
    }

    @Test func `A flow with an unused state, event or timer, or a dead end, has a problem for each`() {
        #expect(
            TypedFlowKind<Patchy>().problems() == [
                "nothing leads to the state 'lost': add a transition, or a sample of an event that leads there, or remove the state",
                "nothing leads out of the state 'shut', and it is not final: add a transition, or have isFinal return true for it",
                "no state accepts the event 'knock': add a transition, or a sample that is accepted, or remove the event",
                "no state carries the timer 'spare': remove it from 'timers', or start it",
            ])
    }

    @Test func `A state that a bounded exploration does not reach is a warning, not a problem`() throws {
        let kind = TypedFlowKind<Counting>()
        #expect(kind.problems() == [])
        #expect(
            try kind.check() == [
                "as far as it was tried, nothing leads to the state 'over': add a transition, or a sample of an event that leads there, "
                    + "or remove the state"
            ])
    }

    @Test func `A state that is missing from the flow's list is a problem`() {
        #expect(
            problems(states: ["off", "blinking"]) == [
                "the state 'on' is missing from 'states': add it, or leave the list to the enum"
            ])
    }

    @Test func `An event that is missing from the flow's list is a problem`() {
        #expect(
            problems(events: Lamp.events.specs.filter { $0.name != "hold" }) == [
                "the event 'hold' is missing from 'events': add .plain(.hold), or .timer(.hold) if only a timer sends it"
            ])
        #expect(
            problems(events: Lamp.events.specs.filter { $0.name != "blink" }).contains(
                "the timer 'blink' sends 'blink', which is missing from 'events': add .timer(.blink)"))
    }

    @Test func `An event may have another name than its case, and a sample of another listed event is a problem`() {
        let named = EventSpec<Lamp.Event>("done.invoke.it", from: .orchestrators, samples: [.hold]) { _ throws(FlowError) in
            .hold
        }
        #expect(problems(events: Lamp.events.specs.filter { $0.name != "hold" } + [named]) == [])
        #expect(
            problems(events: Lamp.events.specs + [named]) == [
                "the event 'done.invoke.it' has a sample of 'hold': each event is listed by itself"
            ])
    }

    @Test func `A timer that is missing from the flow's list is a problem`() {
        #expect(
            problems(timers: [Lamp.blink, Lamp.blinking]) == [
                "'on' carries the timer 'glow', which is missing from 'timers': add it there"
            ])
    }

    @Test func `A missing timer or one of the wrong kind is reported once, even if several paths enter its state`() {
        let hold = TimerPlan.pendulum("hold", every: .seconds(9), message: CountingLamp.Event.timeIsUp)
        for timers in [[hold], []] {
            let definition = FlowDefinition<CountingLamp>(
                name: "lamp", states: CountingLamp.states, events: CountingLamp.events, timers: timers)
            let found = TypedFlowKind(making: { CountingLamp(clock: $0, definition) }).problems()
                .filter { !$0.hasPrefix("only a timer may send") }
            #expect(found.count == 1 && found[0].hasPrefix("'on' carries the timer 'hold'"), "\(found)")
        }
    }

    @Test func `A timer that sends another type's event, which no state would get, is a problem`() {
        enum Other: Sendable { case timeIsUp }
        let glow = TimerPlan.countdown("glow", .seconds(5), message: Other.timeIsUp)
        #expect(
            problems(timers: [glow, Lamp.blink, Lamp.blinking]) == [
                "the timer 'glow' sends 'timeIsUp', which is not an event of this flow but another type's"
            ])
        #expect(
            problems(glow: glow) == [
                "the timer 'glow' in 'on' sends 'timeIsUp', which is not an event of this flow but another type's"
            ])
    }

    @Test func `A declared field that no state has is a warning, since its name may be misspelt`() throws {
        let definition = FlowDefinition<CountingLamp>(
            name: "lamp", states: CountingLamp.states, events: CountingLamp.events, timers: [CountingLamp.hold],
            fields: [.integer("presses", in: 1...Int.max), .integer("press", in: 1...9)])
        let kind = TypedFlowKind(making: { CountingLamp(clock: $0, definition) }) { $0.isChecked = true }
        #expect(
            try kind.check().filter { $0.contains("fields") } == [
                "as far as it was tried, no state has a value 'press': give the entry of 'fields' the name of one, or remove it"
            ])
    }

    @Test func `A pendulum with a period of zero and a countdown with a negative length are problems`() {
        let blink = TimerPlan.pendulum("blink", every: .zero, message: Lamp.Event.blink)
        let glow = TimerPlan.countdown("glow", .seconds(-1), message: Lamp.Event.timeIsUp)
        let found = problems(timers: [glow, blink, Lamp.blinking])
        #expect(found.contains("the pendulum 'blink' swings every 0s: give it more than zero"), "\(found)")
        #expect(found.contains { $0.hasPrefix("the countdown 'glow' lasts -1s: give it zero or more") }, "\(found)")
    }

    @Test func `A timer whose label differs from its name is a problem`() {
        let shine = TimerPlan.countdown("shine", .seconds(5), message: Lamp.Event.timeIsUp)
        let found = problems(timers: [shine, Lamp.blink, Lamp.blinking], glow: shine)
        #expect(found.count == 1 && found[0].contains("'on'") && found[0].contains("label"), "\(found)")
    }

    @Test func `A timer's event that clients may send is a problem unless it is declared for both`() {
        let open = Lamp.events.specs.map { $0.name == "timeIsUp" ? EventSpec.plain(.timeIsUp) : $0 }
        #expect(
            problems(events: open).contains(
                "the timer 'glow' sends 'timeIsUp', which a client may send and a timer may not: list it as .timer(.timeIsUp), or as .plain(.timeIsUp, from: .clientsAndTimers) if both may"
            ))
        let meant = Lamp.events.specs.map {
            $0.name == "timeIsUp" ? EventSpec.plain(.timeIsUp, from: .clientsAndTimers) : $0
        }
        #expect(problems(events: meant) == [])
    }

    @Test func `A pendulum where a countdown is expected is a problem`() {
        let glow = TimerPlan.pendulum("glow", every: .seconds(5), message: Lamp.Event.timeIsUp)
        let found = problems(timers: [glow, Lamp.blink, Lamp.blinking], glow: glow)
        #expect(
            found == [
                "'on' carries the timer 'glow' as a countdown, and it is planned as a pendulum: make it with TimerPlan.countdown"
            ])
        #expect(
            TypedFlowKind<Kiosk>().problems().contains(
                "the page 'shown' has the pendulum 'idle', and a page's timer fires once: make it with TimerPlan.countdown"))
    }

    @Test func `An event that is listed twice and a timer event without a timer are problems`() {
        let tea = EventSpec<Lamp.Event>("tea", from: .timers, samples: []) { _ throws(FlowError) in .press }
        let found = problems(events: Lamp.events.specs + [.plain(.press), tea])
        #expect(found.contains("the event 'press' is listed twice"))
        #expect(found.contains { $0.hasPrefix("only a timer may send 'tea', and none in 'timers' does") })
    }

    @Test func `A table row that a second one replaces is reported with the events it loses or changes`() {
        let said = TypedFlowKind<Doubled>().problems().filter { $0.contains("is set twice") }
        #expect(said.count == 1, "a row that is only extended is not reported")
        #expect(
            said.first?.contains("the row of 'start' is set twice, and the second one loses or changes leave, touch") == true)
    }

    @Test func `A flow's problems make every test of the flow and the check at startup fail`() {
        let definition = FlowDefinition<Lamp>(name: "lamp", states: Lamp.states, events: Lamp.events, timers: [Lamp.glow])
        let error = #expect(throws: FlowProblems.self) { try FlowUnderTest { Lamp(clock: $0, definition) } }
        #expect(error?.description.hasPrefix("the flow 'lamp' cannot be hosted:") == true)
        #expect(throws: FlowProblems.self) { try FlowKind.check([.flow(Game.self), .flow(Kiosk.self)]) }
        #expect(throws: FlowProblems.self) { try FlowKind.check([.flow(Game.self), .flow(Game.self)]) }
        #expect(throws: Never.self) { try FlowKind.check([.flow(Game.self), .flow(Room.self), Rows.door, Rows.light]) }
    }

    @Test func `A start checks every flow except tested ones, as the built-in flows are, and the names of all`() throws {
        let builtIn = FlowKind.builtIn(work: .idle)
        #expect(builtIn.filter { !$0.isTested }.isEmpty)
        let patchy = TypedFlowKind<Patchy>()
        #expect(throws: FlowProblems.self) { try FlowKind.check(builtIn + [patchy]) }
        patchy.isTested = true
        let warnings = try FlowKind.check(builtIn + [patchy])
        #expect(warnings == [])
        #expect(throws: FlowProblems.self) { try FlowKind.check(builtIn + [.flow(Game.self)]) }
    }

    @Test func `A flow's problems are found without running its hooks or work`() throws {
        let calls = Mutex(0)
        let kind = TypedFlowKind<Game> { game in
            game.after { _, _ in calls.withLock { $0 += 1 } }
            game.before { _, _, _ in calls.withLock { $0 += 1 } }
            game.orchestrate { _, _ in
                calls.withLock { $0 += 1 }
                return nil
            }
        }
        #expect(kind.problems() == [] && calls.withLock { $0 } == 0)
    }
}

/// A lamp that counts its presses, and so is on in several ways.
private struct CountingLamp: TypedFlow {
    enum State: FlowState { case off, on(presses: Int, hold: Countdown) }
    enum Event: Sendable { case press, timeIsUp, blink }

    static let events = Catalogue<Event>(.plain(.press), .timer(.timeIsUp), .plain(.blink, from: .clientsAndTimers))
    static let hold = TimerPlan.countdown("hold", .seconds(9), message: Event.timeIsUp)

    let clock: FlowClock
    let definition: FlowDefinition<CountingLamp>

    init(clock: FlowClock) { self.init(clock: clock, Self.definition) }

    init(clock: FlowClock, _ definition: FlowDefinition<CountingLamp>) {
        (self.clock, self.definition) = (clock, definition)
    }

    func initialState() -> State { .off }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.off, .press): lightUp(1)
        case (.on(let presses, _), .press): lightUp(presses + 1)
        case (.on, .timeIsUp): { .off }
        default: throw .transitionNotFound
        }
    }

    private func lightUp(_ presses: Int) -> Transition {
        { .on(presses: presses, hold: try Countdown(Self.hold, on: clock)) }
    }
}

/// A table with a row that a second one replaces.
private struct Doubled: TableFlow {
    enum Page: String, Codable, Sendable, CaseIterable { case start, shown }
    enum Event: Hashable, Sendable { case touch, leave, stay }

    static let events = Catalogue<Event>(.plain(.touch), .plain(.leave), .plain(.stay))
    static let firstPage = Page.start
    static let table: TransitionTable<Page, Event> = {
        var table = TransitionTable<Page, Event>()
        table[.start] = [.touch: .shown, .leave: .start, .stay: .start]
        table[.shown] = [.touch: .start]
        table[.shown][.leave] = .start
        table[.start] = [.touch: .start, .stay: .start]
        return table
    }()

    let clock: FlowClock
}

/// A table whose timer is of the wrong kind.
private struct Kiosk: TableFlow {
    enum Page: String, Codable, Sendable, CaseIterable { case start, shown }
    enum Event: Hashable, Sendable { case touch, idle }

    static let events = Catalogue<Event>(.plain(.touch), .timer(.idle))
    static let firstPage = Page.start
    static let table: TransitionTable<Page, Event> = {
        var table = TransitionTable<Page, Event>()
        table[.start] = [.touch: .shown]
        table[.shown] = [.idle: .start]
        table.timers[.shown] = .pendulum("idle", every: .seconds(60), message: Event.idle)
        return table
    }()

    let clock: FlowClock
}

/// A flow with an unused state, event and timer, and a dead end.
private struct Patchy: TypedFlow {
    enum State: FlowState { case open, shut, lost }
    enum Event { case shut, knock, tick }

    static let events = Catalogue<Event>(.plain(.shut), .plain(.knock), .timer(.tick))
    static let timers = [TimerPlan.countdown("spare", .seconds(1), message: Event.tick)]
    let clock: FlowClock

    func initialState() -> State { .open }
    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        guard case (.open, .shut) = (state, event) else { throw .transitionNotFound }
        return { .shut }
    }
}

/// Ends after 100 steps, more than an exploration takes.
private struct Counting: TypedFlow {
    enum State: FlowState { case counting(number: Int), over }
    enum Event { case step }

    static let events = Catalogue<Event>(.plain(.step))
    let clock: FlowClock

    func initialState() -> State { .counting(number: 0) }
    func isFinal(_ state: State) -> Bool { if case .over = state { true } else { false } }
    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        guard case .counting(let number) = state else { throw .transitionNotFound }
        return { number == 99 ? .over : .counting(number: number + 1) }
    }
}

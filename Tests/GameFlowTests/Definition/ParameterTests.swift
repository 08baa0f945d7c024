// Parameters of a session's creation.

import BuiltInFlows
import GameFlow
import Testing
import Timers

/// A room whose time is a parameter, with an hour as the default.
struct Room: TypedFlow {
    struct Context: SessionContext {
        var minutes = 60
        var hints = 3
        var language = "en"
        var speed = 1.0
    }

    enum State: FlowState { case playing(hour: Countdown, hints: Int), over }
    enum Event: Sendable { case hint, hourIsOver }

    static let parameters: [Parameter] = [.integer("minutes", in: 10...120), .text("language", oneOf: ["de", "en"])]
    static let events = Catalogue<Event>(.plain(.hint), .timer(.hourIsOver))
    static let hour = TimerPlan.countdown("hour", .seconds(3_600), message: Event.hourIsOver)
    static let timers = [hour]

    let clock: FlowClock
    let context: Context

    func plan(_ timer: TimerPlan) -> TimerPlan { timer.lasting(.seconds(context.minutes * 60)) }

    func initialState() throws -> State {
        .playing(hour: try Countdown(plan(Self.hour), on: clock), hints: context.hints)
    }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.playing(let hour, let hints), .hint): try giveHint(hour, hints)
        case (.playing, .hourIsOver): { .over }
        default: throw .transitionNotFound
        }
    }

    private func giveHint(_ hour: Countdown, _ hints: Int) throws(FlowError) -> Transition {
        guard hints > 0 else { throw .refused("there are no more hints") }
        return { .playing(hour: hour, hints: hints - 1) }
    }
}

/// Has optional parameters, and a property that is no parameter.
private struct Crew: TypedFlow {
    struct Context: SessionContext {
        var size = 4
        var team: String?
        var level: Int?
        var secret: Int?

        private enum CodingKeys: String, CodingKey {
            case size, team, level
            case secret = "password of the crew"
        }
    }

    enum State: FlowState { case waiting, over }
    enum Event: Sendable { case end, begin }

    static let parameters: [Parameter] = [.integer("level", in: 1...9)]
    static let events = Catalogue<Event>(.plain(.end), .plain(.begin))

    let clock: FlowClock
    let context: Context

    func initialState() -> State { .waiting }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.waiting, .end): { .over }
        case (.over, .begin): { .waiting }
        default: throw .transitionNotFound
        }
    }
}

/// Has parameters that must be given: its context has no defaults.
private struct Booking: TypedFlow {
    struct Context: Codable, Sendable {
        let team: String
        let minutes: Int
        let level: Level
    }

    enum Level: String, Codable { case easy, hard }
    enum State: FlowState { case waiting, playing(hour: Countdown) }
    enum Event: Sendable { case begin, hourIsOver }

    static let parameters: [Parameter] = [
        .text("team"), .integer("minutes", in: 10...120), .text("level", oneOf: ["easy", "hard"]),
    ]
    static let events = Catalogue<Event>(.plain(.begin), .timer(.hourIsOver))
    static let hour = TimerPlan.countdown("hour", .seconds(3_600), message: Event.hourIsOver)
    static let timers = [hour]

    let clock: FlowClock
    let context: Context

    init(clock: FlowClock, context: Context) { (self.clock, self.context) = (clock, context) }

    init(clock: FlowClock) { self.init(clock: clock, context: Context(team: "", minutes: 60, level: .easy)) }

    func plan(_ timer: TimerPlan) -> TimerPlan { timer.lasting(.seconds(context.minutes * 60)) }
    func initialState() throws -> State { .waiting }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.waiting, .begin): { .playing(hour: try Countdown(plan(Self.hour), on: clock)) }
        case (.playing, .hourIsOver): { .waiting }
        default: throw .transitionNotFound
        }
    }
}

/// Bounds a parameter under another name than its context's.
private struct Misspelt: TypedFlow {
    struct Context: SessionContext { var minutes = 60 }

    enum State: FlowState { case on, off }
    enum Event: Sendable { case press }

    static let parameters: [Parameter] = [.integer("minuts", in: 10...120)]
    static let events = Catalogue<Event>(.plain(.press))

    let clock: FlowClock
    let context: Context

    func initialState() -> State { .on }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch state {
        case .on: { .off }
        case .off: { .on }
        }
    }
}

@Suite struct `Parameters of a session` {
    private func bookingProblems(_ parameters: [Parameter]) -> [String] {
        let definition = FlowDefinition<Booking>(
            name: "booking", states: Booking.states, events: Booking.events, timers: Booking.timers, parameters: parameters)
        return TypedFlowKind(definition) { Booking(clock: $0, context: $1) }.problems()
    }

    @Test func `A flow with parameters that have no default is explored with sample values`() throws {
        #expect(bookingProblems(Booking.parameters) == [])
        #expect(try Exploration(TypedFlowKind<Booking>()).unreachable == [])
        let given: JSON = ["team": "owls", "minutes": 45, "level": "hard"]
        #expect(try FlowUnderTest(Booking.self, context: given).machine.flow.context.team == "owls")
        #expect(throws: FlowError.refused("the parameter 'team' is missing; it is a text")) {
            try FlowUnderTest(Booking.self)
        }
    }

    @Test func `A context that does not fit its parameters is a problem, with what to declare`() {
        #expect(
            bookingProblems(Array(Booking.parameters.dropLast())) == [
                #"no session of it can begin with the sample parameters {"team":"a","minutes":10}: 'level' is missing; 'parameters' must list all values of the context, with bounds whose first value is valid, or with defaults"#
            ])
        let found = bookingProblems(Booking.parameters.dropLast() + [.text("level")])
        #expect(found.count == 1 && found[0].contains(#""level":"a"}"#), "\(found)")
        #expect(found.allSatisfy { $0.hasSuffix("with bounds whose first value is valid, or with defaults") })
    }

    @Test func `A declared parameter that the context does not read is a problem`() {
        #expect(
            TypedFlowKind<Misspelt>().problems() == [
                "the context does not read the parameter 'minuts': give it the name of a property, or remove it from 'parameters'"
            ])
    }

    @Test func `A session's parameters are the fields of its context with the flow's ranges and choices`() {
        #expect(
            TypedFlowKind<Room>().parameters.map { "\($0.name): \($0.allowed), \($0.standard?.description ?? "-")" } == [
                "minutes: a whole number from 10 to 120, 60", "hints: a whole number, 3", "language: one of de, en, \"en\"",
                "speed: a number, 1.0",
            ])
        #expect(TypedFlowKind<Game>().parameters.isEmpty)
    }

    @Test func `An optional property of a context is a parameter, and nil unless it is given`() throws {
        #expect(
            TypedFlowKind<Crew>().parameters.map { "\($0.name): \($0.allowed), \($0.standard?.description ?? "-")" } == [
                "size: a whole number, 4", "team: a text, null", "level: a whole number from 1 to 9, null",
            ])
        let given: JSON = ["team": "owls", "level": 3]
        for (context, team, level) in [(nil, nil, nil), (["team": .null], nil, nil), (given, "owls", 3)]
            as [(JSON?, String?, Int?)]
        {
            let crew = try FlowUnderTest(Crew.self, context: context)
            let back = try TypedFlowKind<Crew>().begin(on: crew.timekeeper, at: SessionImage(of: crew.machine))
            for machine in [crew.machine, back as? Machine<Crew>] {
                let context = try #require(machine?.flow.context)
                #expect(context.team == team && context.level == level && context.size == 4)
            }
        }
        for wrong in [["team": 3], ["level": 10], ["secret": 1], ["password": 1]] as [JSON] {
            #expect(throws: FlowError.self) { try FlowUnderTest(Crew.self, context: wrong) }
        }
    }

    @Test func `Parameters set the lengths of a session's timers and are stored with the session`() throws {
        let room = try FlowUnderTest(Room.self, context: ["minutes": 45])
        #expect(room.remaining("hour") == .seconds(45 * 60) && room.machine.flow.context.hints == 3)
        #expect(room.machine.contextText == #"{"minutes":45,"hints":3,"language":"en","speed":1.0}"#)
        room.advance(.seconds(45 * 60 - 1))
        #expect(room.state == "playing")
        room.advance(.seconds(1))
        #expect(room.state == "over")
        try room.machine.force("playing", data: ["hints": 1])
        #expect(room.remaining("hour") == .seconds(45 * 60), "a state that is forced has them too")
    }

    @Test func `Parameters that are not given have their defaults`() throws {
        #expect(try FlowUnderTest(Room.self).remaining("hour") == .seconds(3_600))
        #expect(try FlowUnderTest(Game.self).machine.contextText == nil)
    }

    @Test(
        arguments: [
            (["minutes": 5], "the parameter 'minutes' is a whole number from 10 to 120, and not 5"),
            (["minutes": "long"], "the parameter 'minutes' is a whole number from 10 to 120, and not \"long\""),
            (["language": "fr"], "the parameter 'language' is one of de, en, and not \"fr\""),
            (["seconds": 5], "'room' has no parameter 'seconds'; available: minutes, hints, language, speed"),
            (7, "the context of a session is an object, and not 7"),
        ] as [(JSON, String)])
    func `Parameters that do not fit are refused with an error message`(context: JSON, sentence: String) {
        let error = #expect(throws: FlowError.self) { try FlowUnderTest(Room.self, context: context) }
        #expect(error == .refused(sentence))
        #expect(throws: FlowError.refused("'game' has no parameter 'minutes'; it has none")) {
            try FlowUnderTest(Game.self, context: ["minutes": 5])
        }
    }
}

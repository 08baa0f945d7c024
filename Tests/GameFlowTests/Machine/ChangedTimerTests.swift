// Steps that pause, resume or extend timers of the state that they leave.

import GameFlow
import Testing
import Timers

@Suite struct `A step that changes timers in place` {
    /// Ten seconds after its beginning. With a validator, countdowns are not restarted in place.
    private static func room(validating validates: Bool = true) throws -> FlowUnderTest<HintRoom> {
        let room = try FlowUnderTest(HintRoom.self) { definition in
            if validates { definition.validate { _, event, _ in event == .forbidden ? "not now" : nil } }
        }
        room.advance(.seconds(10))
        return room
    }

    private static func timers(_ room: FlowUnderTest<HintRoom>) -> [String] {
        room.machine.timers.map { "\($0.plan.name) \(String(describing: $0.remaining)) \($0.isPaused)" }
    }

    private static func expectNoChange(of room: FlowUnderTest<HintRoom>, by event: HintRoom.Event) throws {
        let (before, isFrozen, generations) = (timers(room), room.machine.isFrozen, room.machine.timers.map(\.generation))
        #expect(throws: Refusal.self) { try room.send(event) }
        #expect(timers(room) == before && room.machine.isFrozen == isFrozen)
        // A clock that was stopped and resumed arms its timers again.
        if event != .stopClock, event != .restartedAndStopped { #expect(room.machine.timers.map(\.generation) == generations) }
    }

    @Test(
        arguments: [HintRoom.Event.penalty, .late, .stopClock, .restarted, .restartedAndStopped, .shortened, .forbidden],
        [true, false])
    func `Timers and the clock continue as they were if the step fails`(event: HintRoom.Event, validates: Bool) throws {
        let room = try Self.room(validating: validates || event == .forbidden)
        try Self.expectNoChange(of: room, by: event)
        room.advance(.seconds(20))
        #expect(room.remaining("hour") == .seconds(70) && room.remaining("bell") == .seconds(30))
        room.advance(.seconds(10))
        #expect(try room.machine.stateData()["hints"] == 1, "the milestone at a minute")
        let hour = try #require(room.machine.timers.first { $0.plan.name == "hour" })
        hour.pause()
        room.machine.clock.freeze()
        try Self.expectNoChange(of: room, by: event)
        room.machine.clock.resume()
        hour.resume()
        room.advance(.seconds(59.999))
        #expect(room.state == "playing")
        room.advance(.milliseconds(1))
        #expect(room.state == "over")
    }

    @Test func `Changes of a committed step are not undone by a later step that fails`() throws {
        let room = try Self.room()
        try room.send(.hint)
        #expect(room.remaining("hour") == .seconds(60))
        try Self.expectNoChange(of: room, by: .penalty)
    }

    @Test func `Changes between two steps are not undone by a step that fails`() throws {
        let room = try Self.room()
        try room.send(.hint)
        room.machine.clock.freeze()
        for timer in room.machine.timers { try timer.extend(by: .seconds(5)) }
        try Self.expectNoChange(of: room, by: .forbidden)
        #expect(room.machine.isFrozen && room.remaining("hour") == .seconds(65) && room.remaining("bell") == .seconds(25))
    }
}

struct HintRoom: TypedFlow {
    enum State: FlowState {
        case playing(hour: Countdown, bell: Countdown, hints: Int)
        case over
    }

    enum Event: Sendable {
        case hint, penalty, forbidden, late, stopClock, restarted, restartedAndStopped, shortened, nearlyOver, ring, timeIsUp
    }

    static let events = Catalogue<Event>(
        .plain(.hint), .plain(.penalty), .plain(.forbidden), .plain(.late), .plain(.stopClock), .plain(.restarted),
        .plain(.restartedAndStopped), .plain(.shortened), .timer(.nearlyOver), .timer(.ring), .timer(.timeIsUp))
    static let hour = TimerPlan.countdown(
        "hour", .seconds(100), message: Event.timeIsUp, milestones: [Milestone(.seconds(60), message: Event.nearlyOver)])
    static let bell = TimerPlan.countdown("bell", .seconds(30), message: Event.ring)
    static let timers = [hour, bell]
    /// It has steps that always fail.
    static func configure(_ definition: inout FlowDefinition<Self>) { definition.isChecked = false }

    let clock: FlowClock

    func initialState() throws -> State {
        .playing(hour: try Countdown(Self.hour, on: clock), bell: try Countdown(Self.bell, on: clock), hints: 0)
    }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        guard case .playing(let hour, let bell, let hints) = state else { throw .transitionNotFound }
        return switch event {
        case .hint, .penalty, .forbidden: { try penalize(state, failing: event == .penalty) }
        case .nearlyOver: { .playing(hour: hour, bell: bell, hints: hints + 1) }
        case .ring: { .playing(hour: hour, bell: bell.again(), hints: hints) }
        case .timeIsUp: { .over }
        case .late, .stopClock, .restarted, .restartedAndStopped, .shortened: { try fail(event, hour, bell) }
        }
    }

    private func penalize(_ state: State, failing fails: Bool) throws -> State {
        guard case .playing(let hour, let bell, let hints) = state else { return state }
        try hour.extend(by: .seconds(-30))
        hour.pause()
        hour.resume()
        if fails { throw FlowError.refused("no") }
        return .playing(hour: hour, bell: bell, hints: hints)
    }

    private func fail(_ event: Event, _ hour: Countdown, _ bell: Countdown) throws -> State {
        switch event {
        case .late:
            try hour.extend(by: .seconds(-1_000))
            bell.pause()
        case .stopClock:
            try bell.extend(by: .seconds(7))
            if clock.isFrozen { clock.resume() } else { clock.freeze() }
            try bell.extend(by: .seconds(7))
        case .restarted:
            bell.pause()
            bell.resume()
            try bell.again().extend(by: .seconds(3))
        case .restartedAndStopped:
            _ = bell.again()
            if clock.isFrozen { clock.resume() } else { clock.freeze() }
        default: try hour.again().extend(by: .seconds(-50))
        }
        throw FlowError.refused("no")
    }
}

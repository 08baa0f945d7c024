// Timers of zero length: a cycle of them is stopped, unless time passes in it.

import GameFlow
import Testing
import Timers

@Suite struct `Timers of zero length` {
    @Test func `A session that cycles without time passing is frozen and can be inspected`() throws {
        let house = try FlowUnderTest { House(clock: $0) }
        try house.send(.instant)
        #expect(house.advance(.seconds(1)) <= 1_002)
        #expect(house.machine.isFrozen)
        #expect(house.state == "kitchen")
    }

    @Test
    func `A session that was frozen in a cycle goes on when it is resumed, and is frozen again if the cycle does not end`()
        throws
    {
        let house = try FlowUnderTest { House(clock: $0) }
        try house.send(.instant)
        house.advance(.seconds(1))
        let version = house.machine.version
        for _ in 0..<2 {
            #expect(house.machine.isFrozen && house.machine.timers.map(\.remaining) == [.zero])
            house.machine.clock.resume()
            #expect(!house.machine.isFrozen)
            #expect(house.advance(.zero) <= 1_002)
        }
        #expect(house.machine.isFrozen && house.machine.version >= version + 2_000)
    }

    @Test func `A cycle of milestones is stopped, and its milestone fires when the session is resumed, also after a restart`()
        throws
    {
        let spiral = try FlowUnderTest { Spiral(clock: $0) }
        spiral.runUntilIdle()
        let version = spiral.machine.version
        #expect(spiral.machine.isFrozen && version >= 1_000)
        let image = try SessionImage(of: spiral.machine)
        spiral.machine.clock.resume()
        spiral.runUntilIdle()
        #expect(spiral.machine.isFrozen && spiral.machine.version >= version + 1_000)

        let keeper = Timekeeper(VirtualClock())
        let restored = try TypedFlowKind<Spiral>().begin(on: keeper, at: image)
        #expect(restored.isFrozen && keeper.fireDue() == 0)
        restored.clock.resume()
        #expect(keeper.fireDue() >= 1_000 && restored.isFrozen)
    }

    @Test func `A cycle with a zero timer is not stopped if time passes in it`() throws {
        let alarm = try FlowUnderTest { Alarm(clock: $0) }
        alarm.advance(.seconds(5_000))
        #expect(alarm.machine.version == 10_000 && !alarm.machine.isFrozen)
    }

    @Test func `A flow that completes each event with a zero timer is never frozen, even if time stands still`() throws {
        let bell = try FlowUnderTest { Bell(clock: $0) }
        for _ in 0..<3_000 {
            try bell.send(.ring)
            #expect(bell.state == "silent" && bell.machine.version % 2 == 0)
        }
        for _ in 0..<3_000 {
            try bell.machine.force("ringing", data: .object([]))
            bell.runUntilIdle()
        }
        #expect(!bell.machine.isFrozen && bell.machine.version == 12_000)
    }

    @Test func `Each session that cycles is frozen when several cycle at once`() throws {
        let clock = VirtualClock()
        let keeper = Timekeeper(clock)
        let setup = TypedFlowKind<House>()
        let houses = try (0..<3).map { _ in try Machine(on: keeper, kind: setup) }
        for house in houses { try house.send(.instant) }
        #expect(keeper.fireDue() <= 3 * 1_002)
        #expect(houses.map(\.isFrozen) == [true, true, true])
    }
}

/// Rings every second: a countdown of one second, then one of zero.
private struct Alarm: TypedFlow {
    enum State: FlowState { case waiting(second: Countdown), ringing(rung: Countdown) }
    enum Event: Sendable { case over, rung }

    static let events = Catalogue<Event>(.timer(.over), .timer(.rung))
    static let second = TimerPlan.countdown("second", .seconds(1), message: Event.over)
    static let rung = TimerPlan.countdown("rung", .zero, message: Event.rung)
    static let timers = [second, rung]

    let clock: FlowClock

    func initialState() throws -> State { .waiting(second: try Countdown(Self.second, on: clock)) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch event {
        case .over: { .ringing(rung: try Countdown(Self.rung, on: clock)) }
        case .rung: { try initialState() }
        }
    }
}

/// Rings for a countdown of zero, and is silent again.
private struct Bell: TypedFlow {
    enum State: FlowState { case silent, ringing(rung: Countdown) }
    enum Event: Sendable { case ring, rung }

    static let name = "bell"
    static let states = ["silent", "ringing"]
    static let events = Catalogue<Event>(.plain(.ring), .timer(.rung))
    static let rung = TimerPlan.countdown("rung", .zero, message: Event.rung)
    static let timers = [rung]

    let clock: FlowClock

    func initialState() -> State { .silent }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.silent, .ring): { .ringing(rung: try Countdown(Self.rung, on: clock)) }
        case (.ringing, .rung): { .silent }
        default: throw .transitionNotFound
        }
    }
}

/// Enters its state again at each milestone, and takes all time up to the milestone from the countdown.
private struct Spiral: TypedFlow {
    enum State: FlowState { case turning(turn: Countdown) }
    enum Event: Sendable { case again, over }

    static let events = Catalogue<Event>(.timer(.again), .timer(.over))
    static let turn = TimerPlan.countdown(
        "turn", .seconds(10), message: Event.over, milestones: [Milestone(.seconds(5), message: Event.again)])
    static let timers = [turn]
    static func configure(_ definition: inout FlowDefinition<Self>) { definition.isChecked = false }

    let clock: FlowClock

    func initialState() throws -> State {
        let turn = try Countdown(Self.turn, on: clock)
        try turn.extend(by: .seconds(-6))
        return .turning(turn: turn)
    }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch event {
        case .again: { try initialState() }
        case .over: throw .transitionNotFound
        }
    }
}

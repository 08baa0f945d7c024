// Countdowns that are restarted in place.

import GameFlow
import Seeds
import Testing
import Timers

private enum PassingEvent: CaseIterable, Sendable { case pass, fail, postpone, rest, start, enter, ring, toll }

private let bell = TimerPlan.countdown("bell", .seconds(10), message: PassingEvent.ring)

/// The timer of the states around two others.
private let hour = TimerPlan.countdown("hour", .seconds(40), message: PassingEvent.toll)

/// Makes a state's countdown from the one of the state before it.
private protocol Replacement { static func countdown(after old: Countdown, on clock: FlowClock) throws -> Countdown }

private enum RestartedInPlace: Replacement {
    static func countdown(after old: Countdown, on _: FlowClock) -> Countdown { old.again() }
}

/// The oracle: a countdown of its own for each state.
private enum NewCountdown: Replacement {
    static func countdown(after old: Countdown, on clock: FlowClock) throws -> Countdown { try Countdown(old.plan, on: clock) }
}

/// Called in the middle of a step that is about to fail.
@TaskLocal private var whileFailing: (@Sendable () -> Void)?

private struct PassingFlow<Next: Replacement>: TypedFlow {
    enum State: FlowState {
        case first(Countdown), second(Countdown), resting
        case third(hour: Countdown, bell: Countdown), fourth(hour: Countdown, bell: Countdown)
    }
    typealias Event = PassingEvent

    struct Failure: Error {}

    static var name: String { "passing" }
    static var events: Catalogue<PassingEvent> {
        Catalogue(
            .plain(.pass), .plain(.fail), .plain(.postpone), .plain(.rest), .plain(.start), .plain(.enter),
            .timer(.ring), .timer(.toll))
    }
    static var timers: [TimerPlan] { [bell, hour] }
    static func configure(_ definition: inout FlowDefinition<Self>) { definition.isChecked = false }

    let clock: FlowClock

    func initialState() throws -> State { .first(try Countdown(bell, on: clock)) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.first(let turn), .pass), (.first(let turn), .ring):
            { .second(try Next.countdown(after: turn, on: clock)) }
        case (.second(let turn), .pass):
            { .first(try Next.countdown(after: turn, on: clock)) }
        case (.third(let hour, let turn), .pass), (.third(let hour, let turn), .ring):
            { .fourth(hour: hour, bell: try Next.countdown(after: turn, on: clock)) }
        case (.fourth(let hour, let turn), .pass):
            { .third(hour: hour, bell: try Next.countdown(after: turn, on: clock)) }
        // The older timer ends, or is the one that is restarted.
        case (.third(_, let turn), .start): { .second(try Next.countdown(after: turn, on: clock)) }
        case (.fourth(let hour, let turn), .enter):
            { .third(hour: try Next.countdown(after: hour, on: clock), bell: turn) }
        case (.first, .enter): { .third(hour: try Countdown(hour, on: clock), bell: try Countdown(bell, on: clock)) }
        case (.first(let turn), .fail), (.second(let turn), .fail), (.second(let turn), .ring), (.third(_, let turn), .fail),
            (.fourth(_, let turn), .fail), (.fourth(_, let turn), .ring):
            {
                _ = try Next.countdown(after: turn, on: clock)
                whileFailing?()
                throw Failure()
            }
        case (.first, .postpone), (.second, .postpone): throw .postpone
        case (_, .rest), (_, .toll): { .resting }
        case (.resting, .start), (.resting, .postpone): { .first(try Countdown(bell, on: clock)) }
        default: throw .transitionNotFound
        }
    }
}

/// The visible state of a session.
private struct VisibleState: Equatable {
    let state: String
    let version: UInt32
    let left: [Duration?]
    let paused: [Bool]
    let armed: Int
    let next: Instant?
    let isAccepted: Bool
    let fired: Int
}

extension FlowUnderTest where F.Event == PassingEvent {
    /// Performs an action and returns the visible state after it.
    fileprivate func perform(_ action: Int, _ time: Duration, _ event: PassingEvent) -> VisibleState {
        var (isAccepted, fired) = (false, 0)
        switch action {
        case 0..<60: isAccepted = (try? send(event)) != nil
        case 60..<80: fired = advance(time)
        case 80..<84: machine.timers.first?.pause()
        case 84..<90: machine.timers.first?.resume()
        case 90..<94: try? machine.timers.first?.extend(by: time - .seconds(4))
        case 94..<96: machine.clock.freeze()
        default: machine.clock.resume()
        }
        return VisibleState(
            state: state, version: machine.version, left: machine.timers.map(\.remaining),
            paused: machine.timers.map(\.isPaused), armed: timekeeper.armedCount, next: machine.timers.first?.deadline,
            isAccepted: isAccepted, fired: fired)
    }
}

@Suite struct `Countdowns restarted in place` {
    @Test func `A countdown restarted in place behaves like a new one, and is unchanged if the step fails`() throws {
        var random = SeededGenerator.announced("countdowns started again", seed: 41)
        for _ in 0..<40 {
            let (again, anew) = (
                try FlowUnderTest(PassingFlow<RestartedInPlace>.self), try FlowUnderTest(PassingFlow<NewCountdown>.self)
            )
            for step in 0..<300 {
                let (action, time) = (Int.random(in: 0..<100, using: &random), Int.random(in: 0..<12_000, using: &random))
                let event = PassingEvent.allCases[[0, 0, 0, 0, 1, 1, 2, 3, 4, 5].randomElement(using: &random) ?? 0]
                let (left, right) = (
                    again.perform(action, .milliseconds(time), event), anew.perform(action, .milliseconds(time), event)
                )
                try #require(left == right, "step \(step), action \(action), \(event)")
            }
        }
    }

    @Test func `A countdown restarted in place is the same object, so that an event allocates nothing`() throws {
        let flow = try FlowUnderTest(PassingFlow<RestartedInPlace>.self)
        let first = try #require(flow.machine.timers.first)
        try flow.send(.pass)
        #expect(flow.machine.timers.first === first && first.remaining == .seconds(10))
    }

    @Test func `A countdown restarted in place beside an older timer is the same object`() throws {
        let flow = try FlowUnderTest(PassingFlow<RestartedInPlace>.self)
        try flow.send(.enter)
        let before = flow.machine.timers
        flow.advance(.seconds(4))
        try flow.send(.pass)
        #expect(before.count == 2 && zip(flow.machine.timers, before).allSatisfy { $0 === $1 })
        #expect(flow.machine.timers.map(\.remaining) == [.seconds(36), .seconds(10)])
    }

    @Test func `A timer id from before a restart in place is no longer alive`() throws {
        let flow = try FlowUnderTest(PassingFlow<RestartedInPlace>.self)
        let id = try #require(flow.machine.timers.first?.id)
        #expect(throws: (any Error).self) { try flow.send(.fail) }
        #expect(flow.timekeeper.isAlive(id))
        try flow.send(.pass)
        #expect(!flow.timekeeper.isAlive(id) && flow.machine.timers.first?.id != nil)
    }

    @Test func `Equal deadlines keep their order if a step fails`() throws {
        let keeper = Timekeeper(VirtualClock())
        let kind = TypedFlowKind<PassingFlow<RestartedInPlace>>()
        let machines = try (0..<3).map { _ in try Machine(on: keeper, kind: kind) }
        let order = machines.map { $0.timers[0].generation }
        #expect(throws: (any Error).self) { try machines[0].send(.fail) }
        #expect(machines.map { $0.timers[0].generation } == order)
    }

    /// A flow's own code sends an event to another session in the middle of a step, which then fails.
    @Test func `A step within a failing step keeps its own countdown, and the failing one continues as before`() throws {
        let keeper = Timekeeper(VirtualClock())
        let kind = TypedFlowKind<PassingFlow<RestartedInPlace>>()
        let (outer, inner) = (try Machine(on: keeper, kind: kind), try Machine(on: keeper, kind: kind))
        let before = outer.timers[0].generation
        nonisolated(unsafe) let session = inner
        #expect(throws: (any Error).self) {
            try $whileFailing.withValue({ _ = try? session.send(.pass) }) { try outer.send(.fail) }
        }
        #expect(outer.timers[0].generation == before && outer.stateName == "first" && inner.stateName == "second")
        try outer.send(.pass)
        #expect(outer.timers[0].remaining == .seconds(10) && keeper.armedCount == 2)
    }

    @Test func `A validator sees the countdowns of both the old and the new state`() throws {
        nonisolated(unsafe) var seen: [Duration?] = []
        let flow = try FlowUnderTest(PassingFlow<RestartedInPlace>.self) { definition in
            definition.validate { old, _, new in
                guard case .first(let before) = old, case .second(let after) = new else { return nil }
                seen = [before.remaining, after.remaining]
                return "no"
            }
        }
        flow.advance(.seconds(4))
        #expect(throws: Refusal.self) { try flow.send(.pass) }
        #expect(seen == [.seconds(6), .seconds(10)] && flow.remaining("bell") == .seconds(6))
    }
}

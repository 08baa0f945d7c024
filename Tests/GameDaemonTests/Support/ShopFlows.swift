// One flow in two versions, as edits of a file would give them.

import GameFlow
import Timers

/// The first version: a queue, a counter, and a bell.
struct Shop: TypedFlow {
    enum State: FlowState {
        case closed, open(rest: Countdown, bell: Pendulum, served: Int), counting(served: Int, rest: Countdown)
    }
    enum Event: Equatable { case opens, serve, count, timeIsUp, ring, later }

    static let name = "shop"
    static let events = Catalogue<Event>(
        .plain(.opens), .plain(.serve), .plain(.count), .timer(.timeIsUp), .timer(.ring), .plain(.later))
    static let rest = TimerPlan.countdown("rest", .seconds(60), message: Event.timeIsUp)
    static let bell = TimerPlan.pendulum("bell", every: .seconds(7), message: Event.ring)
    static let timers = [rest, bell]
    let clock: FlowClock

    func initialState() -> State { .closed }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.closed, .opens): { try open(0) }
        case (.open(let rest, let bell, let served), .serve): { .open(rest: rest, bell: bell, served: served + 1) }
        case (.open(let rest, let bell, let served), .ring): { .open(rest: rest, bell: bell, served: served) }
        case (.open(_, _, let served), .count): { .counting(served: served, rest: try Countdown(Self.rest, on: clock)) }
        case (.open, .timeIsUp), (.counting, .timeIsUp): { .closed }
        case (.open, .later): throw .postpone
        case (.counting, .later): { .closed }
        default: throw .transitionNotFound
        }
    }

    private func open(_ served: Int) throws -> State {
        .open(rest: try Countdown(Self.rest, on: clock), bell: try Pendulum(Self.bell, on: clock), served: served)
    }
}

/// The second version: other order and lengths, one more event and state, and neither `counting` nor `count`.
struct NewShop: TypedFlow {
    enum State: FlowState { case swept, open(rest: Countdown, bell: Pendulum, served: Int), closed }
    enum Event: Equatable { case sweep, ring, serve, timeIsUp, opens, later }

    static let name = "shop"
    static let events = Catalogue<Event>(
        .plain(.sweep), .timer(.ring), .plain(.serve), .timer(.timeIsUp), .plain(.opens), .plain(.later))
    static let bell = TimerPlan.pendulum("bell", every: .seconds(5), message: Event.ring)
    static let rest = TimerPlan.countdown("rest", .seconds(90), message: Event.timeIsUp)
    static let timers = [bell, rest]
    let clock: FlowClock

    func initialState() -> State { .swept }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.closed, .sweep): { .swept }
        case (.swept, .opens), (.closed, .opens): { try open(0) }
        case (.open(let rest, let bell, let served), .serve): { .open(rest: rest, bell: bell, served: served + 10) }
        case (.open(let rest, let bell, let served), .ring): { .open(rest: rest, bell: bell, served: served) }
        case (.open, .timeIsUp): { .swept }
        case (.open, .later): throw .postpone
        case (.swept, .later): { .closed }
        default: throw .transitionNotFound
        }
    }

    private func open(_ served: Int) throws -> State {
        .open(rest: try Countdown(Self.rest, on: clock), bell: try Pendulum(Self.bell, on: clock), served: served)
    }
}

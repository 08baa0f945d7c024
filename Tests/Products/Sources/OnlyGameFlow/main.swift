// A flow of one's own, and a session of it in virtual time.

import GameFlow
import Timers

struct Light: TypedFlow {
    enum State: FlowState {
        case red(turn: Countdown)
        case green(turn: Countdown)
    }

    enum Event: Sendable {
        case change
    }

    static let events = Catalogue<Event>(.timer(.change))
    static let turn = TimerPlan.countdown("turn", .seconds(30), message: Event.change)
    static let timers = [turn]

    let clock: FlowClock

    func initialState() throws -> State { .red(turn: try Countdown(Self.turn, on: clock)) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.red(let turn), .change): { .green(turn: turn.again()) }
        case (.green(let turn), .change): { .red(turn: turn.again()) }
        }
    }
}

let light = try FlowUnderTest(Light.self)
let seconds = Double(CommandLine.arguments.count)
light.advance(.seconds(seconds * 29.5))
print(light.state, light.advance(.seconds(seconds / 2)), light.state)

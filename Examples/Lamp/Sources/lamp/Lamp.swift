// A lamp in a staircase: it goes on at the press of a button, and off after two minutes. The last three lines are the daemon that runs it.

import GameDaemon

struct Lamp: TypedFlow {
    enum State: FlowState { case off, on(glow: Countdown) }
    enum Event { case press, timeIsUp }

    static let events = Catalogue<Event>(.plain(.press), .timer(.timeIsUp))
    static let glow = TimerPlan.countdown("glow", .seconds(120), message: Event.timeIsUp)
    static let timers = [glow]
    let clock: FlowClock

    func initialState() -> State { .off }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.off, .press), (.on, .press): lightUp()
        case (.on, .timeIsUp): goOut()
        default: throw .transitionNotFound
        }
    }

    private func lightUp() -> Transition {
        { .on(glow: try Countdown(Self.glow, on: clock)) }
    }

    private func goOut() -> Transition {
        { .off }
    }
}

@main struct Staircase {
    static func main() { Gamed.main(flows: [.flow(Lamp.self)], withBuiltIn: true) }
}

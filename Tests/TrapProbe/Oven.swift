// A flow with a parameter, one of whose events traps. With another value it cannot begin a second time.

import GameFlow
import Timers

/// Bakes for as long as its session is begun with.
struct Oven: TypedFlow {
    struct Context: SessionContext { var minutes = 4 }
    enum State: FlowState { case baking(loaf: Countdown), done }
    enum Event: Sendable { case open, ready }

    static let events = Catalogue<Event>(.plain(.open), .timer(.ready))
    static let loaf = TimerPlan.countdown("loaf", .seconds(240), message: Event.ready)
    static let timers = [loaf]

    static func configure(_ definition: inout FlowDefinition<Oven>) {
        // To go through it would take the process down.
        definition.isChecked = false
    }

    let clock: FlowClock
    let context: Context

    func plan(_ timer: TimerPlan) -> TimerPlan { timer.lasting(.seconds(context.minutes * 60)) }
    func initialState() throws -> State {
        if context.minutes == Self.onlyOnce {
            if Self.wasLit { Trap.spring() }
            Self.wasLit = true
        }
        return .baking(loaf: try Countdown(plan(Self.loaf), on: clock))
    }

    static let onlyOnce = 666
    /// One thread runs all sessions.
    private nonisolated(unsafe) static var wasLit = false

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch event {
        case .open:
            return {
                Trap.spring()
                return state
            }
        case .ready: return { .done }
        }
    }
}

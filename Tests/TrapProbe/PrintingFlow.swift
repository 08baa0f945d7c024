// A flow whose hooks and work print what looks like a report of tests.

import GameFlow
import Timers

struct PrintingFlow: TypedFlow {
    enum State: FlowState { case quiet, loud, heard }
    enum Event: Sendable { case shout, listen }

    static let events = Catalogue<Event>(.plain(.shout), .plain(.listen, from: .orchestrators))

    static func configure(_ definition: inout FlowDefinition<PrintingFlow>) {
        definition.after { _, _ in print("ok 7 - a hook") }
        definition.orchestrate { _, state in
            guard case .loud = state else { return nil }
            return {
                print("ok 8 - some work")
                return .listen
            }
        }
    }

    let clock: FlowClock

    func initialState() -> State { .quiet }
    func isFinal(_ state: State) -> Bool { if case .heard = state { true } else { false } }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.quiet, .shout): { .loud }
        case (.loud, .listen): { .heard }
        default: throw .transitionNotFound
        }
    }
}

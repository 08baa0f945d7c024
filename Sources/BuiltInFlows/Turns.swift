// Two players in turn: the smallest flow that is useful.

import GameFlow
import Timers

/// Two players in turn.
public struct Turns: TypedFlow {
    public enum State: FlowState {
        /// The first player's turn, for as long as the countdown lasts.
        case first(turn: Countdown)
        /// The second player's.
        case second(turn: Countdown)
    }

    public enum Event: Sendable {
        /// The turn goes to the other player, because a player passes or time is up.
        case pass
    }

    public static let events = Catalogue<Event>(.plain(.pass, label: "Pass the turn", from: .clientsAndTimers))
    public static let turn = TimerPlan.countdown("turn", .seconds(30), message: Event.pass)
    public static let timers = [turn]

    public let clock: FlowClock

    public init(clock: FlowClock) {
        self.clock = clock
    }

    public func initialState() throws -> State {
        .first(turn: try Countdown(Self.turn, on: clock))
    }

    public func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.first(let turn), .pass): secondPlays(after: turn)
        case (.second(let turn), .pass): firstPlays(after: turn)
        }
    }

    private func firstPlays(after turn: Countdown) -> Transition {
        { .first(turn: turn.again()) }
    }

    private func secondPlays(after turn: Countdown) -> Transition {
        { .second(turn: turn.again()) }
    }

    public func screen(for state: State) -> Screen {
        switch state {
        case .first: Screen(title: "First player's turn", text: "Pass when you are done.")
        case .second: Screen(title: "Second player's turn", text: "Pass when you are done.")
        }
    }
}

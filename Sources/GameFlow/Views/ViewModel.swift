// Everything that a user interface shows of a session, computed from its state and never stored.

/// Everything that a user interface shows: the screen, the possible actions, and the timers.
public struct ViewModel: Sendable, Equatable {
    /// A timer that runs or is paused.
    public struct Clock: Sendable, Equatable {
        /// The timer's name.
        public let name: String
        /// Whether it is a countdown or a pendulum.
        public let kind: TimerPlan.Kind
        /// How long until it fires, or swings.
        public let remaining: Duration
        /// The first length, or the period.
        public let length: Duration
        /// Whether it is paused, alone or with its session.
        public let isPaused: Bool
    }

    /// The name of the state.
    public let state: String
    /// The state's data, as clients see them; null if they cannot be encoded, which is a mistake in the flow.
    public let data: JSON
    /// The flow's screen for the state.
    public let screen: Screen
    /// The events that a user interface may send now.
    public let actions: [AcceptedEvent]
    /// The timers that have time left, in the order of their making.
    public let clocks: [Clock]
    /// Whether nothing more will come.
    public let isFinal: Bool
    /// Whether the session's clock is frozen.
    public let isPaused: Bool
}

extension AnyMachine {
    /// Everything that a user interface shows now.
    public var viewModel: ViewModel {
        ViewModel(
            state: stateName, data: (try? shownData()) ?? .null, screen: screen,
            actions: acceptedEvents.filter { $0.sources.contains(EventSource.ui) },
            clocks: ownTimers.compactMap { timer in
                timer.remaining.map {
                    ViewModel.Clock(
                        name: timer.plan.name, kind: timer.plan.kind, remaining: $0, length: timer.plan.length,
                        isPaused: timer.isPaused || isFrozen)
                }
            },
            isFinal: isFinal, isPaused: isFrozen)
    }
}

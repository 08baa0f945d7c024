// Everything that a user interface shows of a session, computed from its state and never stored.

import Timers

/// Everything that a user interface shows: the screen, the possible actions, and the timers.
public struct ViewModel: Sendable, Equatable {
    public struct Clock: Sendable, Equatable {
        public let name: String
        public let kind: TimerPlan.Kind
        public let remaining: Duration
        /// The first length, or the period.
        public let length: Duration
        public let isPaused: Bool
    }

    public let screen: Screen
    /// The events that a user interface may send now.
    public let actions: [AcceptedEvent]
    public let clocks: [Clock]
    public let isFinal: Bool
    public let isPaused: Bool
}

extension AnyMachine {
    public var viewModel: ViewModel {
        ViewModel(
            screen: screen, actions: acceptedEvents.filter { $0.sources.contains(EventSource.ui) },
            clocks: timers.compactMap { timer in
                timer.remaining.map {
                    ViewModel.Clock(
                        name: timer.plan.name, kind: timer.plan.kind, remaining: $0, length: timer.plan.length,
                        isPaused: timer.isPaused || isFrozen)
                }
            },
            isFinal: isFinal, isPaused: isFrozen)
    }
}

// How a timer stood, apart from its state: what a store keeps that writes down sessions by the million.

import Timers

/// One timer of a saved state.
public struct TimerImage: Sendable, Equatable {
    public let name: String
    public let kind: TimerPlan.Kind
    /// What was left of it; nil for a countdown that had fired.
    public let left: Duration?
    public let isPaused: Bool

    public init(name: String, kind: TimerPlan.Kind, left: Duration?, isPaused: Bool) {
        self.name = name
        self.kind = kind
        self.left = left
        self.isPaused = isPaused
    }
}

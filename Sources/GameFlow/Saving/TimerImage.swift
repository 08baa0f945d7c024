// A saved timer, apart from its state: the compact form for stores of millions of sessions.

import Timers

/// One timer of a saved state.
public struct TimerImage: Sendable, Equatable {
    /// The name in its plan.
    public let name: String
    /// Whether it was a countdown or a pendulum.
    public let kind: TimerPlan.Kind
    /// What is left of it; nil for a countdown that has fired.
    public let left: Duration?
    /// Whether it stood still.
    public let isPaused: Bool
    /// How many of its milestones were due just then, and had not come yet.
    public let milestonesDue: Int

    /// A timer as it stood.
    public init(name: String, kind: TimerPlan.Kind, left: Duration?, isPaused: Bool, milestonesDue: Int = 0) {
        self.name = name
        self.kind = kind
        self.left = left
        self.isPaused = isPaused
        self.milestonesDue = milestonesDue
    }
}

// A saved timer, apart from its state: the compact form for stores of millions of sessions.

import Timers

/// One timer of a saved state.
public struct TimerImage: Sendable, Equatable {
    public let name: String
    public let kind: TimerPlan.Kind
    /// What is left of it; nil for a countdown that has fired.
    public let left: Duration?
    public let isPaused: Bool

    public init(name: String, kind: TimerPlan.Kind, left: Duration?, isPaused: Bool) {
        self.name = name
        self.kind = kind
        self.left = left
        self.isPaused = isPaused
    }
}

// A session's saved image, without its flow's code.

import Timers

/// A session's state with all that belongs to it: what makes a machine that goes on where another one was, or one that does not begin in
/// its flow's initial state.
public struct SessionImage: Sendable {
    /// The state's name.
    public let state: String
    /// The state's data.
    public let data: JSON
    /// The parameters that the session began with; nil if its flow has no parameters.
    public let context: JSON?
    /// How much of the session's time has passed since it was saved.
    public package(set) var away: Duration
    /// Timers that were stored apart from the state.
    public let timers: ArraySlice<TimerImage>
    /// Whether a machine saved it, so that it is complete; false for data that a client gives.
    public let isSaved: Bool

    /// Events that wait, and the ids that it remembers; nil if there are none.
    package var events: SavedEvents?
    /// The number of changes of its state.
    package var version: UInt32 = 0
    /// When it entered its state; nil for one that enters it now.
    package var since: Instant?
    package var isFrozen = false
    /// Whether the daemon has frozen it.
    package var isHalted = false
    /// The time since its last activity when it was saved; nil if it did not expire.
    package var untouched: Duration?

    /// A beginning in that state; without data it carries a new session's values.
    public init(
        state: String, data: JSON = .object([]), context: JSON? = nil, away: Duration = .zero,
        timers: ArraySlice<TimerImage> = [], isSaved: Bool = false
    ) {
        self.state = state
        self.data = data
        self.context = context
        self.away = away
        self.timers = timers
        self.isSaved = isSaved
    }

    /// Bytes that its waiting events carry.
    package var waitingBytes: Int { events?.waiting.reduce(0) { $0 + ($1.payload?.size ?? 0) } ?? 0 }
}

// MARK: - A saved timer

/// One timer of a saved state.
public struct TimerImage: Sendable, Equatable {
    /// The name in its plan.
    public let name: String
    /// Whether it was a countdown or a pendulum.
    public let kind: TimerPlan.Kind
    /// The remaining time; nil for a countdown that has fired.
    public let left: Duration?
    /// Whether it was stopped.
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

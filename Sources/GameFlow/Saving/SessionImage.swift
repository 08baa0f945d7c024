// A session's state apart from its machine.

import Timers

/// A saved or given state, for a session that does not begin in its flow's initial state.
public struct SessionImage {
    /// The state's name.
    public let state: String
    /// The state's data.
    public let data: JSON
    /// How much of the session's time has passed since it was saved.
    public let away: Duration
    /// Timers that were stored apart from the state.
    public let timers: ArraySlice<TimerImage>
    /// Whether a machine saved it, so that it is complete; false for what somebody gives.
    public let isSaved: Bool

    /// A beginning in that state; without data it carries what is new.
    public init(
        state: String, data: JSON = .object([]), away: Duration = .zero, timers: ArraySlice<TimerImage> = [],
        isSaved: Bool = false
    ) {
        self.state = state
        self.data = data
        self.away = away
        self.timers = timers
        self.isSaved = isSaved
    }
}

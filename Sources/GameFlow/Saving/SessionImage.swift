// A session's saved image, without its flow's code.

/// A session's state with all that belongs to it: it makes a machine that continues where another one was, or one that does not begin in
/// its flow's initial state.
public struct SessionImage: Sendable {
    /// The state's name.
    public let state: String
    /// The state's data.
    public let data: JSON
    /// The parameters that the session began with; nil if its flow has no parameters.
    public let context: JSON?
    /// How long ago it was saved. Nil if there was no downtime, as in a `RELOAD`, or where a client gives the data: no restart policy applies
    /// then.
    public package(set) var away: Duration?
    /// How much of that has passed for its timers: zero if its clock is frozen.
    package var awayOnClock: Duration? { isFrozen ? away.map { _ in .zero } : away }
    /// Timers that were stored apart from the state.
    public let timers: ArraySlice<TimerImage>
    private enum Origin { case machine, code, client }
    private var origin: Origin
    /// Whether a machine saved it, so that it is complete; false for data that a client gives.
    public var isSaved: Bool { origin == .machine }
    /// Whether values that the state does not have are an error: those of NEW and FORCE, which may be misspelt.
    package var refusesUnknown: Bool { origin == .client }

    /// Events that wait, and the ids that it remembers; nil if there are none.
    package var events: SavedEvents?
    /// The number of changes of its state.
    package var version: UInt32 = 0
    /// When it entered its state; nil for one that enters it now.
    package var since: Instant?
    /// The time between its session's drop and its saving, which does not count.
    package var dropped = Duration.zero
    package var isFrozen = false
    /// Whether the daemon has frozen it.
    package var isHalted = false
    /// The time since its last activity when it was saved; nil if it did not expire.
    package var untouched: Duration?
    /// Whether it expires and was set aside when it was saved.
    package var wasSetAside = false

    /// A beginning in that state; without data it carries a new session's values.
    public init(
        state: String, data: JSON = .object([]), context: JSON? = nil, away: Duration? = nil,
        timers: ArraySlice<TimerImage> = [], isSaved: Bool = false
    ) {
        self.state = state
        self.data = data
        self.context = context
        self.away = away
        self.timers = timers
        origin = isSaved ? .machine : .code
    }

    /// A state with the data that an operator gives.
    package init(givenState state: String, data: JSON, context: JSON? = nil) {
        (self.state, self.data, self.context) = (state, data, context)
        (away, timers, origin) = (nil, [], .client)
    }

    /// Bytes that its waiting events carry, and those of its stored text.
    package var waitingBytes: Int {
        guard let events else { return 0 }
        return events.waiting.reduce(events.storedText?.utf8.count ?? 0) { $0 + ($1.payload?.size ?? 0) }
    }
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

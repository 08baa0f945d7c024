// The kinds of things that happen to a session: the outcomes of events, and what its operators do.

extension HistoryEntry {
    /// The kinds of entries. Each is recorded in the history, and observers are notified of it.
    public enum Kind: UInt8, BitwiseCopyable, Sendable, CaseIterable {
        /// An event's step was committed.
        case taken
        /// An event was put off until the state changes.
        case postponed
        /// An event waits for an asynchronous hook, or behind one that does.
        case waiting
        /// An event was not valid, and the flow's policy ignores such events.
        case ignored
        /// An event was refused.
        case refused
        /// The session has begun.
        case begun
        /// Its state was forced.
        case forced
        /// Its clock, or one of its timers, was stopped.
        case paused
        /// Its clock, or one of its timers, goes on.
        case resumed
        /// Time was added to one of its timers, or taken from it.
        case extended
        /// The session was dropped.
        case dropped

        /// The word that clients are told.
        public var name: String {
            switch self {
            case .taken: "taken"
            case .postponed: "postponed"
            case .waiting: "waiting"
            case .ignored: "ignored"
            case .refused: "refused"
            case .begun: "begun"
            case .forced: "forced"
            case .paused: "paused"
            case .resumed: "resumed"
            case .extended: "extended"
            case .dropped: "dropped"
            }
        }

        /// Whether it is counted by the session's version. Its beginning is version 0.
        public var isChange: Bool {
            switch self {
            case .taken, .begun, .forced: true
            case .postponed, .waiting, .ignored, .refused, .paused, .resumed, .extended, .dropped: false
            }
        }

        /// The command of an operator's deed; nil for an event's outcome.
        public var deed: String? {
            switch self {
            case .taken, .postponed, .waiting, .ignored, .refused: nil
            case .begun: "NEW"
            case .forced: "FORCE"
            case .paused: "PAUSE"
            case .resumed: "RESUME"
            case .extended: "EXTEND"
            case .dropped: "DROP"
            }
        }
    }
}

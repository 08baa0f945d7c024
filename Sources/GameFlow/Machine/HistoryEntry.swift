// Entries of sessions' histories, as indices into the flow's lists of states, events and timers. Names are looked up when they are needed.

/// One thing that happened to a session: the outcome of an event, or an operator's action.
public struct HistoryEntry: Sendable {
    /// The states' indices; both are the same if the event was refused.
    public let from: UInt32
    /// The index of the state that it led to; where it was refused, of the one in which it was.
    public let to: UInt32
    /// Its event is `none` for an operator's action, or if the flow has no such event.
    public let cause: Cause
    /// Kind, payload and refusal; nil for most, which are events taken.
    public let detail: Detail?
    /// When it happened.
    public let at: Instant
    /// How many changes the session has seen, this one included.
    public let version: UInt32

    /// Something that happened. `detail` is nil for most.
    public init(from: UInt32, to: UInt32, cause: Cause, detail: Detail?, at: Instant, version: UInt32) {
        self.from = from
        self.to = to
        self.cause = cause
        self.detail = detail
        self.at = at
        self.version = version
    }

    /// The outcome of the event, or the action.
    public var kind: Kind { detail?.kind ?? .taken }
    /// Why it was refused; nil if it was not.
    public var refused: Refused? { detail?.refused }
    /// Whether an event was refused.
    public var isRefused: Bool { detail?.refused != nil }
    /// The event's payload: JSON, unless it was cut.
    public var payload: String? { detail?.payload }

    /// Nil for an operator's action.
    public func eventName(in flow: FlowKind) -> String? { flow.eventName(at: cause.event) ?? refused?.event }

    /// Why the event was refused, in a sentence; nil if it was not.
    public func refusal(in flow: FlowKind) -> String? {
        guard let refused else { return nil }
        let sentence = flow.sentence(refused.facts, event: refused.event, in: flow.stateName(at: from), from: cause.source)
        guard cause.source != .timer, let timer = flow.timerName(at: cause.timer) else { return sentence }
        return "\(sentence); the timer '\(timer)' had just moved it here"
    }

    /// The events that were accepted in place of a refused one; nil if it was not refused, or that is not known.
    public func accepted(in flow: FlowKind) -> [String]? {
        refused.flatMap { flow.accepted(insteadOf: $0, from: cause.source) }
    }

    /// The same, with a payload.
    public borrowing func with(payload: String) -> HistoryEntry {
        HistoryEntry(
            from: from, to: to, cause: cause, detail: Detail(kind, refused: refused, payload: payload),
            at: at, version: version)
    }
}

extension HistoryEntry {
    /// The cause of a step.
    public struct Cause: Sendable {
        /// No index.
        public static let none = UInt16.max

        /// Where the event came from, or the source that forced the state.
        public let source: EventSource
        /// The event's index in the flow's catalogue, if known: typed code sends events without it.
        public let event: UInt16
        /// The index of the timer that sent it, if one did. Of a client's refused event, the timer that had just moved the session.
        public let timer: UInt16
        /// The event's sender, or the operator.
        public let actor: ActorNumber

        /// A cause; omitted arguments are `none`.
        @inlinable
        public init(
            _ source: EventSource, event: UInt16 = Cause.none, timer: UInt16 = Cause.none, actor: ActorNumber = .none
        ) {
            self.source = source
            self.event = event
            self.timer = timer
            self.actor = actor
        }
    }

    /// The parts that few entries have, stored apart so that the others stay small. Equal refusals without a payload share one.
    public final class Detail: Sendable {
        /// The outcome of the event, or the action.
        public let kind: Kind
        /// Why an event was refused; nil if it was not.
        public let refused: Refused?
        /// The payload, as JSON.
        public let payload: String?

        /// A detail; omitted parts are nil.
        public init(_ kind: Kind, refused: Refused? = nil, payload: String? = nil) {
            self.kind = kind
            self.refused = refused
            self.payload = payload
        }

        /// The detail of a refused event.
        public convenience init(refused: Refused, payload: String? = nil) {
            self.init(.refused, refused: refused, payload: payload)
        }
    }
}

// MARK: - A history entry in words

package struct HistoryEntryText: Equatable, Sendable {
    /// How often it has happened, and the last time.
    package struct Repeats: Equatable, Sendable {
        package var times: Int
        /// Nanoseconds since 1970.
        package var lastAt: Int64
        package var lastSeq: Int
        package var lastVersion: Int

        package init(times: Int, lastAt: Int64, lastSeq: Int, lastVersion: Int) {
            (self.times, self.lastAt, self.lastSeq, self.lastVersion) = (times, lastAt, lastSeq, lastVersion)
        }
    }

    /// Its number within its session's life.
    package var seq: Int
    /// The session's version after it.
    package var version: Int
    /// Nanoseconds since 1970.
    package var at: Int64
    package var kind: HistoryEntry.Kind
    package var source: EventSource
    /// The event's name, or an operator's command that the kind does not name; nil without either.
    package var event: String?
    /// JSON, unless it was cut or was never valid.
    package var payload: String?
    package var timer: String?
    package var from: String
    package var to: String
    /// The error's code and sentence, if it was refused.
    package var code: ErrorCode?
    package var refused: String?
    /// The events that were accepted in place of a refused one, if they are known.
    package var accepted: [String]?
    /// The sender of the event, or the operator; nil for a timer.
    package var actor: String?
    /// The definition of the flow under which it came about; nil for a flow that is part of the program.
    package var definition: String?
    /// Nil if it has happened once.
    package var repeats: Repeats?

    package init(
        seq: Int, version: Int, at: Int64, kind: HistoryEntry.Kind, source: EventSource, event: String?, payload: String?,
        timer: String?, from: String, to: String, code: ErrorCode?, refused: String?, accepted: [String]?, actor: String?,
        definition: String?, repeats: Repeats?
    ) {
        (self.seq, self.version, self.at, self.kind, self.source) = (seq, version, at, kind, source)
        (self.event, self.payload, self.timer, self.from, self.to) = (event, payload, timer, from, to)
        (self.code, self.refused, self.accepted, self.actor) = (code, refused, accepted, actor)
        (self.definition, self.repeats) = (definition, repeats)
    }

    /// The event, or an operator's command; nil without them.
    package var shownEvent: String? { event ?? kind.command }
    /// The same, empty without them.
    package var eventOrCommand: String { shownEvent ?? "" }

    /// The number of the last time that it happened, and the version after it.
    package var lastSeq: Int { repeats?.lastSeq ?? seq }
    package var lastVersion: Int { repeats?.lastVersion ?? version }
}

// MARK: - The kinds of things that happen to a session

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
        /// Its clock, or one of its timers, was resumed.
        case resumed
        /// Time was added to one of its timers, or taken from it.
        case extended
        /// The session was dropped.
        case dropped
        /// A postponed event was taken back.
        case withdrawn

        /// The word that clients receive: its case.
        public var name: String { Self.names[Int(rawValue)] }
        private static let names = allCases.map { "\($0)" }

        /// Whether it is counted by the session's version. Its beginning is version 0.
        public var isChange: Bool {
            switch self {
            case .taken, .begun, .forced: true
            case .postponed, .waiting, .ignored, .refused, .paused, .resumed, .extended, .dropped, .withdrawn: false
            }
        }

        /// The command of an operator's action; nil for an event's outcome.
        public var command: String? {
            switch self {
            case .taken, .postponed, .waiting, .ignored, .refused: nil
            case .begun: "NEW"
            case .forced: "FORCE"
            case .paused: "PAUSE"
            case .resumed: "RESUME"
            case .extended: "EXTEND"
            case .dropped: "DROP"
            case .withdrawn: "WITHDRAW"
            }
        }
    }
}

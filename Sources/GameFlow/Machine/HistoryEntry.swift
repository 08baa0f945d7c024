// Entries of sessions' histories, as indices into the flow's lists of states, events and timers. Names are looked up when they are needed.

import Timers

/// One thing that happened to a session: the outcome of an event, or an operator's action.
public struct HistoryEntry: Sendable {
    /// The states' indices; both are the same if the event was refused.
    public let from: UInt32
    /// The place of the state that it led to; where it was refused, of the one in which it was.
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

        /// Where the event came from, or who forced the state.
        public let source: EventSource
        /// The event's index in the flow's catalogue, if known: typed code sends events without it.
        public let event: UInt16
        /// The index of the timer that sent it, if one did.
        public let timer: UInt16
        /// The event's sender, or the operator.
        public let actor: ActorNumber

        /// A cause; what is left out is none.
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

        /// A detail; what is left out is not there.
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

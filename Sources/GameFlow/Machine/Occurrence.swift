// What happens to a session, as indices into its flow's lists of states, events and timers. Names are looked up when they are needed.

import Timers

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

    /// A cause; what is left out is none.
    @inlinable
    public init(_ source: EventSource, event: UInt16 = Cause.none, timer: UInt16 = Cause.none) {
        self.source = source
        self.event = event
        self.timer = timer
    }
}

/// Something that happened to a session: a change, a refused or postponed event, or its beginning in a given state.
public struct Occurrence: Sendable {
    /// The states' indices; both are the same if the event was refused.
    public let from: UInt32
    /// The place of the state that it led to; where it was refused, of the one in which it was.
    public let to: UInt32
    /// Its event is `none` if the state was forced, if the session began, or if the flow has no such event.
    public let cause: Cause
    /// Payload and refusal; nil for most.
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

    /// Why it was refused; nil if it was not.
    public var refused: Refused? { detail?.refused }
    /// Whether an event was refused.
    public var isRefused: Bool { detail?.refused != nil }
    /// Whether an event waits for another state.
    public var isPostponed: Bool { detail?.isPostponed ?? false }
    /// The event's payload: JSON, unless it was cut.
    public var payload: String? { detail?.payload }

    /// Nil if the state was forced, or the session began.
    public func eventName(in kind: FlowKind) -> String? { kind.eventName(at: cause.event) ?? refused?.event }

    /// Whether it is the session's beginning, and not a forced state, which would have a version.
    public var isBeginning: Bool { version == 0 && cause.event == Cause.none && !isRefused && !isPostponed }

    /// The same, with a payload.
    public borrowing func with(payload: String) -> Occurrence {
        Occurrence(
            from: from, to: to, cause: cause, detail: Detail(refused: refused, payload: payload, isPostponed: isPostponed),
            at: at, version: version)
    }
}

/// What only some occurrences have, stored apart so that the others stay small. Equal refusals without a payload share one.
public final class Detail: Sendable {
    /// Why an event was refused; nil if it counts.
    public let refused: Refused?
    /// What came with it, as JSON.
    public let payload: String?
    /// Whether the event waits for another state.
    public let isPostponed: Bool

    /// A detail; what is left out is not there.
    public init(refused: Refused? = nil, payload: String? = nil, isPostponed: Bool = false) {
        self.refused = refused
        self.payload = payload
        self.isPostponed = isPostponed
    }
}

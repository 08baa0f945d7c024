// What happens to a session, in numbers: places in its flow's lists of states, events and timers. Names are looked up when
// somebody wants to read them.

import Timers

/// What brought a step about.
public struct Cause: Sendable {
    /// A place that is none.
    public static let none = UInt16.max

    public let source: EventSource
    /// The event's place in the flow's catalogue, where it is known: typed code sends events without saying it.
    public let event: UInt16
    /// The place of the timer that sent it, if one did.
    public let timer: UInt16

    @inlinable
    public init(_ source: EventSource, event: UInt16 = Cause.none, timer: UInt16 = Cause.none) {
        self.source = source
        self.event = event
        self.timer = timer
    }
}

/// Something that happened to a session: a change, an event that was refused, or its beginning somewhere else than where its flow
/// begins.
public struct Occurrence: Sendable {
    /// The states' places, the same for what was refused.
    public let from: UInt32
    public let to: UInt32
    /// Its event's place is none if somebody forced the state, if the session began, or if there is no such event.
    public let cause: Cause
    /// What else there is to say of it; nil for most.
    public let detail: Detail?
    public let at: Instant
    public let version: UInt32

    public init(from: UInt32, to: UInt32, cause: Cause, detail: Detail?, at: Instant, version: UInt32) {
        self.from = from
        self.to = to
        self.cause = cause
        self.detail = detail
        self.at = at
        self.version = version
    }

    /// Why nothing came of it; nil if it counts.
    public var refused: Refused? { detail?.refused }
    public var isRefused: Bool { detail?.refused != nil }
    public var isPostponed: Bool { detail?.isPostponed ?? false }
    /// What came with it: JSON, if nothing of it is missing.
    public var payload: String? { detail?.payload }

    /// Nil if somebody forced the state, or the session began.
    public func eventName(in kind: FlowKind) -> String? { kind.eventName(at: cause.event) ?? refused?.event }

    /// Whether it is the session's beginning: a forced state is a change, and changes are counted.
    public var isBeginning: Bool { version == 0 && cause.event == Cause.none && !isRefused && !isPostponed }

    /// The same, with what came along.
    public borrowing func with(payload: String) -> Occurrence {
        Occurrence(
            from: from, to: to, cause: cause, detail: Detail(refused: refused, payload: payload, isPostponed: isPostponed),
            at: at, version: version)
    }
}

/// What only some occurrences have to say, kept apart so that the others stay small. One is shared by all who were refused for the
/// same reason and carried nothing.
public final class Detail: Sendable {
    public let refused: Refused?
    public let payload: String?
    /// The event waits for another state.
    public let isPostponed: Bool

    public init(refused: Refused? = nil, payload: String? = nil, isPostponed: Bool = false) {
        self.refused = refused
        self.payload = payload
        self.isPostponed = isPostponed
    }
}

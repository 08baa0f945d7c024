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

/// Something that happened to a session: a change, or an event that was refused.
public struct Occurrence: Sendable {
    /// The states' places, the same for what was refused.
    public let from: UInt32
    public let to: UInt32
    /// Its event's place is none if somebody forced the state, or if there is no such event.
    public let cause: Cause
    /// Why nothing came of it; nil if it counts.
    public let refused: Refused?
    public let at: Instant
    public let version: UInt32

    public init(from: UInt32, to: UInt32, cause: Cause, refused: Refused?, at: Instant, version: UInt32) {
        self.from = from
        self.to = to
        self.cause = cause
        self.refused = refused
        self.at = at
        self.version = version
    }

    /// Nil if somebody forced the state.
    public func eventName(in kind: FlowKind) -> String? { kind.eventName(at: cause.event) ?? refused?.event }
}

/// An event that was refused, in words. One is shared by all who were refused for the same reason.
public final class Refused: Sendable {
    /// As its sender called it.
    public let event: String
    /// The word that programs look at: `NOTRANSITION`.
    public let code: String
    public let sentence: String

    public init(event: String, code: String, sentence: String) {
        self.event = event
        self.code = code
        self.sentence = sentence
    }

    public convenience init(event: String, _ refusal: Refusal) {
        self.init(event: event, code: refusal.code, sentence: refusal.description)
    }
}

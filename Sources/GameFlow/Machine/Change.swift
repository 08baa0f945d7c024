import Timers

/// A transition that counts. It holds no state, only names: whoever keeps it keeps no timer alive.
public struct Change<Event: Sendable>: Sendable {
    public let from: String
    public let to: String
    /// What led here; nil if somebody forced the state.
    public let event: Event?
    public let source: EventSource
    public let at: Instant
    /// How many changes the session has seen, this one included.
    public let version: UInt32

    @usableFromInline
    init(from: String, to: String, event: Event?, source: EventSource, at: Instant, version: UInt32) {
        self.from = from
        self.to = to
        self.event = event
        self.source = source
        self.at = at
        self.version = version
    }

    public var eventName: String? { event.map { caseName(of: $0) } }
}

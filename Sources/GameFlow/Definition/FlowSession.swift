// A session as its flow's hooks see it, and a step that counts.

import Timers

/// A session, for hooks: which it is, where it is, and a way to bring about what comes next.
public protocol FlowSession<F>: AnyObject {
    associatedtype F: Flow

    /// What its host calls the session; empty where nobody has named it.
    var sessionName: String { get }
    var flow: F { get }
    /// Before a step counts: the state that it leaves.
    var state: F.State { get }
    /// The name of that state.
    var stateName: String { get }
    /// How many changes the session has seen.
    var version: UInt32 { get }
    /// The session's timers, in the order of their making.
    var timers: [StateTimer] { get }

    /// Has an event handled when the step that is under way is complete.
    func raise(_ event: F.Event, from source: EventSource) throws
}

extension FlowSession {
    /// Has an event handled when the step that is under way is complete.
    public func raise(_ event: F.Event) throws { try raise(event, from: .orchestrator) }
}

/// A transition that counts. It holds no state, only names: whoever keeps it keeps no timer alive.
public struct Change<Event: Sendable>: Sendable {
    /// The names of the states.
    public let from: String
    public let to: String
    /// What led here; nil if somebody forced the state.
    public let event: Event?
    public let source: EventSource
    public let at: Instant
    /// When the session had come into the state that it leaves. A step that stays in its state leaves nothing.
    public let since: Instant
    /// How many changes the session has seen, this one included.
    public let version: UInt32

    @usableFromInline
    init(from: String, to: String, event: Event?, source: EventSource, at: Instant, since: Instant, version: UInt32) {
        self.from = from
        self.to = to
        self.event = event
        self.source = source
        self.at = at
        self.since = since
        self.version = version
    }

    /// The event's name; nil if somebody forced the state.
    public var eventName: String? { event.map { caseName(of: $0) } }

    /// Whether the session has left a state, or has been put anew into the one in which it was.
    public var isMove: Bool { event == nil || from != to }
}

// A session as its flow's hooks see it, and a committed change.

import Timers

/// A session, for hooks: its name, its state, and a way to raise further events.
public protocol FlowSession<F>: AnyObject {
    /// The session's flow.
    associatedtype F: Flow

    /// The session's name; empty if its host has given it none.
    var sessionName: String { get }
    /// The flow's instance for this session, with its clock and parameters.
    var flow: F { get }
    /// The session's state. Before a step is committed: the state that it leaves.
    var state: F.State { get }
    /// The name of that state.
    var stateName: String { get }
    /// The number of changes so far.
    var version: UInt32 { get }
    /// The session's timers, in order of creation.
    var timers: [StateTimer] { get }

    /// Queues an event until the current step is complete.
    func raise(_ event: F.Event, from source: EventSource) throws
}

extension FlowSession {
    /// Queues an event until the current step is complete.
    public func raise(_ event: F.Event) throws { try raise(event, from: .orchestrator) }
}

/// A committed change. It has only the names of states, so that keeping it keeps no timer alive.
public struct Change<Event: Sendable>: Sendable {
    /// The names of the states.
    public let from: String
    /// The name of the state that it leads to.
    public let to: String
    /// The event; nil if the state was forced.
    public let event: Event?
    /// Where the event came from, or who forced the state.
    public let source: EventSource
    /// When it was made.
    public let at: Instant
    /// When the session entered the state that it leaves.
    public let since: Instant
    /// The number of changes, this one included.
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

    /// The event's name; nil if the state was forced.
    public var eventName: String? { event.map { caseName(of: $0) } }

    /// Whether the session has entered a state, which may be the same one, forced.
    public var isMove: Bool { event == nil || from != to }
}

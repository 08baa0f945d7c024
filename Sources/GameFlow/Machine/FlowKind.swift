// A flow as everybody sees it who does not know its types, and the ways into its machines that must be fast.

import Timers

/// A kind of flow.
public class FlowKind {
    public let name: String
    public let states: [String]
    public let timers: [TimerPlan]
    /// All events, whether they are accepted now or not.
    public let events: [AcceptedEvent]
    /// Told of every change of every machine of this kind, and of every timer's event that led to none.
    @exclusivity(unchecked) public var watcher: ((AnyMachine, Occurrence) -> Void)?
    /// The name of the event that is being handled, where it came by its name: to find it out from the event takes longer.
    @usableFromInline @exclusivity(unchecked) var handling: String?
    /// The timer whose event is being handled.
    @usableFromInline @exclusivity(unchecked) var firing: TimerPlan?
    @usableFromInline let paths: FastPaths
    private let places: [String: Int]

    @usableFromInline
    init(name: String, states: [String], events: [AcceptedEvent], timers: [TimerPlan], paths: FastPaths) {
        self.name = name
        self.states = states
        self.events = events
        self.timers = timers
        self.paths = paths
        places = Dictionary(events.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    public var eventNames: [String] { events.map(\.name) }

    /// Where the event stands in the flow's catalogue.
    public func place(ofEvent name: String) -> Int? { places[name] }
}

/// What is called for every event. Closures and not overridden methods: a method of a generic class is found at run time in its
/// generic form, a closure is compiled where the flow is known.
@usableFromInline
struct FastPaths {
    @usableFromInline
    let send: (AnyMachine, _ place: Int, JSON?, EventSource) throws(Refusal) -> Outcome
    @usableFromInline let fire: (AnyMachine, Firing) -> Void
    @usableFromInline let stateName: (AnyMachine) -> String

    @usableFromInline
    init(
        send: @escaping (AnyMachine, Int, JSON?, EventSource) throws(Refusal) -> Outcome,
        fire: @escaping (AnyMachine, Firing) -> Void, stateName: @escaping (AnyMachine) -> String
    ) {
        self.send = send
        self.fire = fire
        self.stateName = stateName
    }
}

/// Something that happened to a session, in words that everybody understands.
public struct Occurrence: Sendable {
    public let from: String
    public let to: String
    /// Nil if somebody forced the state.
    public let event: String?
    public let source: EventSource
    /// The timer that sent the event, if one did.
    public let timer: String?
    /// Why nothing came of it; nil if it counts.
    public let refusal: String?
    public let at: Instant
    public let version: UInt32

    public init(
        from: String, to: String, event: String?, source: EventSource, timer: String?, refusal: String?, at: Instant,
        version: UInt32
    ) {
        self.from = from
        self.to = to
        self.event = event
        self.source = source
        self.timer = timer
        self.refusal = refusal
        self.at = at
        self.version = version
    }
}

// A flow as everybody sees it who does not know its types, and the ways into its machines that must be fast.

import Timers

/// A kind of flow.
public class FlowKind {
    public let name: String
    public let states: [String]
    public let eventNames: [String]
    public let timers: [TimerPlan]
    @usableFromInline let paths: FastPaths
    private let places: [String: Int]

    @usableFromInline
    init(name: String, states: [String], eventNames: [String], timers: [TimerPlan], paths: FastPaths) {
        self.name = name
        self.states = states
        self.eventNames = eventNames
        self.timers = timers
        self.paths = paths
        places = Dictionary(eventNames.enumerated().map { ($1, $0) }) { first, _ in first }
    }

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

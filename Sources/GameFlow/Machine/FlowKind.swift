// A flow as everybody sees it who does not know its types, and the ways into its machines that must be fast.

import Timers

/// A kind of flow.
public class FlowKind {
    public let name: String
    public let states: [String]
    public let timers: [TimerPlan]
    /// All events, whether they are accepted now or not.
    public let events: [AcceptedEvent]
    /// Not held: whoever watches stops before it goes.
    @usableFromInline @exclusivity(unchecked) var watcher: Unmanaged<MachineWatcher>?
    @usableFromInline let paths: FastPaths
    private let places: [String: Int]
    /// The events' names as they come over a wire, one behind the other, and where each ends.
    private let eventBytes: [UInt8]
    private let eventEnds: [Int]
    /// The event that each timer sends.
    private let timerEvents: [UInt16]
    @exclusivity(unchecked) private var stateList: NameList

    @usableFromInline
    init(name: String, states: [String], events: [AcceptedEvent], timers: [TimerPlan], paths: FastPaths) {
        self.name = name
        self.states = states
        self.events = events
        self.timers = timers
        self.paths = paths
        let places = Dictionary(events.enumerated().map { ($1.name, $0) }) { first, _ in first }
        self.places = places
        eventBytes = events.flatMap { $0.name.utf8 }
        eventEnds = events.reduce(into: []) { $0.append(($0.last ?? 0) + $1.name.utf8.count) }
        timerEvents = timers.map { $0.messageName.flatMap { places[$0] }.map(UInt16.init) ?? Cause.none }
        stateList = NameList(states)
    }

    /// Has `watcher` told of every change of every machine of this kind, and of every timer's event that led to none. It must take
    /// itself out before it goes.
    public func watch(_ watcher: MachineWatcher?) {
        self.watcher = watcher.map { .passUnretained($0) }
    }

    // MARK: Events

    public var eventNames: [String] { events.map(\.name) }

    /// Where the event stands in the flow's catalogue.
    public func place(ofEvent name: String) -> Int? { places[name] }

    /// The same, for a name that is not worth making a string of.
    public func place(ofEvent name: UnsafeRawBufferPointer) -> Int? {
        eventBytes.withUnsafeBytes { all in
            var start = 0
            for place in 0..<eventEnds.count {
                let known = UnsafeRawBufferPointer(rebasing: all[start..<eventEnds[place]])
                if known.count == name.count, known.elementsEqual(name) { return place }
                start = eventEnds[place]
            }
            return nil
        }
    }

    public func unknownEvent(_ name: String) -> Refusal {
        .badEvent("'\(self.name)' has no event '\(name)'; there are \(eventNames.joined(separator: ", "))")
    }

    public func eventName(at place: UInt16) -> String? {
        place < events.count ? events[Int(place)].name : nil
    }

    /// Where an event stands that typed code has sent.
    @usableFromInline
    func place(ofTyped event: some Any) -> UInt16 {
        places[caseName(of: event)].map(UInt16.init) ?? Cause.none
    }

    // MARK: States

    /// Where a state's name stands: behind the declared ones if it is not one of them.
    public func place(ofState name: String) -> UInt32 { stateList.place(of: name) }

    public func stateName(at place: UInt32) -> String { stateList.names[Int(place)] }

    // MARK: Timers

    /// What a firing of this timer is the cause of.
    @usableFromInline
    func cause(firing plan: TimerPlan) -> Cause {
        let place = timers.firstIndex { $0 === plan } ?? timers.firstIndex { $0.name == plan.name }
        guard let place else { return Cause(.timer) }
        return Cause(.timer, event: timerEvents[place], timer: UInt16(truncatingIfNeeded: place))
    }

    public func timerName(at place: UInt16) -> String? {
        place < timers.count ? timers[Int(place)].name : nil
    }
}

/// Whoever is told of all that happens to the machines of some kinds.
open class MachineWatcher {
    public init() {}

    open func note(_ machine: AnyMachine, _ occurrence: borrowing Occurrence) {}
}

/// What is called for every event. Closures and not overridden methods: a method of a generic class is found at run time in its
/// generic form, a closure is compiled where the flow is known.
@usableFromInline
struct FastPaths {
    @usableFromInline
    let send: (AnyMachine, _ place: Int, JSON?, EventSource) throws(Refusal) -> Outcome
    @usableFromInline let fire: (AnyMachine, Firing) -> Void
    /// One bit for each event that is accepted now; nil where there are more than fit.
    @usableFromInline let accepted: (AnyMachine) -> UInt64?

    @usableFromInline
    init(
        send: @escaping (AnyMachine, Int, JSON?, EventSource) throws(Refusal) -> Outcome,
        fire: @escaping (AnyMachine, Firing) -> Void, accepted: @escaping (AnyMachine) -> UInt64?
    ) {
        self.send = send
        self.fire = fire
        self.accepted = accepted
    }
}

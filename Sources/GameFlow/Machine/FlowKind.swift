// A flow as everybody sees it who does not know its types, and the ways into its machines that must be fast.

import Timers

/// A kind of flow.
public class FlowKind {
    public final let name: String
    public final let states: [String]
    public final let timers: [TimerPlan]
    /// All events, whether they are accepted now or not.
    public final let events: [AcceptedEvent]
    /// A number that whoever hosts several kinds may give each.
    @exclusivity(unchecked) package final var number = 0
    /// Not held: whoever watches stops before it goes.
    @usableFromInline @exclusivity(unchecked) final var watcher: Unmanaged<MachineWatcher>?
    /// Where it stands whose session is being handled; nil if nobody wants to know.
    @inlinable public final var flight: FlightRecorder? {
        get { recorder }
        set { recorder = newValue }
    }
    @usableFromInline @exclusivity(unchecked) final var recorder: FlightRecorder?
    @usableFromInline final let paths: FastPaths
    /// The machines whose timers may lead in a circle.
    @usableFromInline @exclusivity(unchecked) final var circles = Circles()
    private final let places: [String: Int]
    /// The events' names as they come over a wire.
    private final let eventTexts: TextTable
    /// The event that each timer sends.
    private final let timerEvents: [UInt16]
    @exclusivity(unchecked) private final var stateList: NameList
    private final let stateTexts: TextTable
    /// By the states that sessions have come back in.
    @exclusivity(unchecked) final var restorers: [StateRestorer] = []

    @usableFromInline
    init(name: String, states: [String], events: [AcceptedEvent], timers: [TimerPlan], paths: FastPaths) {
        self.name = name
        self.states = states
        self.events = events
        self.timers = timers
        self.paths = paths
        let places = Dictionary(events.enumerated().map { ($1.name, $0) }) { first, _ in first }
        self.places = places
        eventTexts = TextTable(events.map(\.name))
        timerEvents = timers.map { $0.messageName.flatMap { places[$0] }.map(UInt16.init) ?? Cause.none }
        let list = NameList(states)
        stateTexts = list.texts
        stateList = list
    }

    /// Has `watcher` told of every change of every machine of this kind, and of every timer's event that led to none. It must take
    /// itself out before it goes.
    public final func watch(_ watcher: MachineWatcher?) {
        self.watcher = watcher.map { .passUnretained($0) }
    }

    /// For looking at a flow without doing anything: no work is begun, and no hook is waited for.
    package func leaveWorkUndone() {}

    // MARK: Events

    public var eventNames: [String] { events.map(\.name) }

    /// Where the event stands in the flow's catalogue.
    public final func place(ofEvent name: String) -> Int? { places[name] }

    /// The same, for a name that is not worth making a string of.
    public final func place(ofEvent name: UnsafeRawBufferPointer) -> Int? {
        eventTexts.place(of: name)
    }

    public func unknownEvent(_ name: String) -> Refusal {
        .badEvent("'\(self.name)' has no event '\(name.shortened)'; there are \(eventNames.joined(separator: ", "))")
    }

    public final func eventName(at place: UInt16) -> String? {
        place < events.count ? events[Int(place)].name : nil
    }

    /// Where an event stands that typed code has sent.
    @usableFromInline
    final func place(ofTyped event: some Any) -> UInt16 {
        places[caseName(of: event)].map(UInt16.init) ?? Cause.none
    }

    // MARK: States

    /// Where a state's name stands: behind the declared ones if it is not one of them.
    public final func place(ofState name: String) -> UInt32 { stateList.place(of: name) }

    public final func stateName(at place: UInt32) -> String { stateList.names[Int(place)] }

    /// The state's name as it goes over a wire, for whoever need not make a string of it. Good until the next new name is met.
    public final func stateText(at place: UInt32) -> UnsafeRawBufferPointer { stateTexts[Int(place)] }

    // MARK: Timers

    /// What a firing of this timer is the cause of.
    @usableFromInline
    final func cause(firing plan: TimerPlan) -> Cause {
        let place = timers.firstIndex { $0 === plan } ?? timers.firstIndex { $0.name == plan.name }
        guard let place else { return Cause(.timer) }
        return Cause(.timer, event: timerEvents[place], timer: UInt16(truncatingIfNeeded: place))
    }

    public final func timerName(at place: UInt16) -> String? {
        place < timers.count ? timers[Int(place)].name : nil
    }
}

/// Whoever is told of all that happens to the machines of some kinds.
open class MachineWatcher {
    /// What came with the event that is being handled, until somebody takes it.
    @usableFromInline @exclusivity(unchecked) final var said: Said?
    @inlinable public final var hasSaid: Bool { said != nil }
    /// How many bytes came with all events that wait, and how many may.
    @exclusivity(unchecked) public final var waitingBytes = 0
    @exclusivity(unchecked) public final var mostWaitingBytes = Int.max

    public init() {}

    open func note(_ machine: AnyMachine, _ occurrence: consuming Occurrence) {}

    /// What has yet to be handled has changed, and nothing else.
    open func keep(_ machine: AnyMachine) {}
}

extension Unmanaged<MachineWatcher> {
    /// Tells it without counting that somebody refers to it.
    @inlinable @inline(__always)
    func note(_ machine: AnyMachine, _ occurrence: Occurrence) {
        _withUnsafeGuaranteedRef { $0.note(machine, occurrence) }
    }
}

/// What is called for every event. Closures and not overridden methods: a method of a generic class is found at run time in its
/// generic form, a closure is compiled where the flow is known.
@usableFromInline
struct FastPaths {
    @usableFromInline
    let send: (AnyMachine, _ place: Int, Payload?, EventSource) throws(Refusal) -> Outcome
    @usableFromInline let fire: (AnyMachine, Firing) -> Void
    /// One bit for each event that is accepted now; nil where there are more than fit.
    @usableFromInline let accepted: (AnyMachine) -> UInt64?
    @usableFromInline let carriesOnlyTimers: (AnyMachine) -> Bool

    @usableFromInline
    init(
        send: @escaping (AnyMachine, Int, Payload?, EventSource) throws(Refusal) -> Outcome,
        fire: @escaping (AnyMachine, Firing) -> Void, accepted: @escaping (AnyMachine) -> UInt64?,
        carriesOnlyTimers: @escaping (AnyMachine) -> Bool
    ) {
        self.send = send
        self.fire = fire
        self.accepted = accepted
        self.carriesOnlyTimers = carriesOnlyTimers
    }
}

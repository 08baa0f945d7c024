// A kind of flow, whatever its types are, and the ways into its machines that must be fast.

import Texts
import Timers

/// A kind of flow: what its sessions have in common, and how they begin. A daemon hosts several, each with a name of its own;
/// `.flow(EscapeRoom.self)` is one.
public class FlowKind {
    public final let name: String
    /// The names of all states, in the order in which they should be shown.
    public final let states: [String]
    /// Every timer that its states may carry.
    public final let timers: [TimerPlan]
    /// All events, whether they are accepted now or not.
    public final let events: [AcceptedEvent]
    /// What a session can be begun with.
    public final let parameters: [Parameter]
    /// Where hooks and orchestrators run: on the loop's own thread.
    public final var executor: (any TaskExecutor)?
    /// The host's number of this kind.
    @exclusivity(unchecked) package final var number = 0
    /// Not held. A watcher that goes takes itself out.
    @usableFromInline @exclusivity(unchecked) final var watcher: Borrowed<MachineWatcher>?
    /// Where it stands which session is being handled; nil if nobody wants to know.
    @inlinable public final var flight: FlightRecorder? {
        get { recorder }
        set { recorder = newValue }
    }
    @usableFromInline @exclusivity(unchecked) final var recorder: FlightRecorder?
    /// Where its newest machine was made, and all of them are.
    @exclusivity(unchecked) final var thread = ThreadIdentity.current
    @usableFromInline final let paths: FastPaths
    /// Stops machines whose zero timers lead in a circle.
    @usableFromInline @exclusivity(unchecked) final var zeroTimers = ZeroTimerGuard()
    /// What sessions were begun with, as text, by machine; empty where there are no parameters.
    @exclusivity(unchecked) final var contexts: [ObjectIdentifier: String] = [:]
    /// What was found by going through it, once somebody has asked.
    final var knownExploration: (any Sendable)?
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
    init(
        name: String, states: [String], events: [AcceptedEvent], timers: [TimerPlan], parameters: [Parameter], paths: FastPaths
    ) {
        self.name = name
        self.states = states
        self.events = events
        self.timers = timers
        self.parameters = parameters
        self.paths = paths
        let places = Dictionary(events.enumerated().map { ($1.name, $0) }) { first, _ in first }
        self.places = places
        eventTexts = TextTable(events.map(\.name))
        timerEvents = timers.map { $0.messageName.flatMap { places[$0] }.map(UInt16.init) ?? Cause.none }
        let list = NameList(states)
        stateTexts = list.texts
        stateList = list
    }

    /// Has `watcher` told of every change of every machine of this kind, and of every timer's event that led to none, until another one
    /// is, or it is gone.
    public final func watch(_ watcher: MachineWatcher?) {
        self.watcher = watcher.map { Borrowed($0) }
        watcher?.remember(self)
    }

    final func stopTelling(_ watcher: MachineWatcher) {
        if self.watcher == Borrowed(watcher) { self.watcher = nil }
    }

    // MARK: Sessions

    /// A session in the flow's initial state, with these parameters. Its work begins when its host says so, with `beginWork`.
    public final func begin(on timekeeper: Timekeeper, context: JSON? = nil) throws -> AnyMachine {
        try paths.begin(self, timekeeper, context, nil)
    }

    /// A session that begins, or goes on, where the image says.
    public final func begin(on timekeeper: Timekeeper, context: JSON? = nil, at image: SessionImage) throws -> AnyMachine {
        try paths.begin(self, timekeeper, context, image)
    }

    // MARK: What a kind with its types knows

    /// From now on it does nothing of its own accord: no work is begun, and no hook is waited for.
    package func leaveWorkUndone() { abstract() }

    /// A kind of the same flow that touches nothing: without hooks and work.
    func withoutHooks() -> FlowKind { abstract() }

    var facts: FlowFacts { abstract() }

    private func abstract() -> Never {
        preconditionFailure("every kind of flow is a TypedFlowKind")
    }

    // MARK: Events

    /// The names of all events, in the order of the catalogue.
    public final var eventNames: [String] { events.map(\.name) }

    /// Where the event stands in the flow's catalogue.
    public final func place(ofEvent name: String) -> Int? { places[name] }

    /// The same, without allocating a String.
    package final func place(ofEvent name: UnsafeRawBufferPointer) -> Int? {
        eventTexts.place(of: name)
    }

    /// That the flow has no such event.
    public final func unknownEvent(_ name: String) -> Refusal {
        .badEvent("'\(self.name)' has no event '\(name.shortened)'; there are \(eventNames.joined(separator: ", "))")
    }

    /// Nil if the place is none.
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

    /// The name that stands there.
    public final func stateName(at place: UInt32) -> String { stateList.names[Int(place)] }

    /// The state's name as it goes over a wire, without allocating a String. Valid until the next new name is met.
    package final func stateText(at place: UInt32) -> UnsafeRawBufferPointer { stateTexts[Int(place)] }

    // MARK: Timers

    /// What a firing of this timer is the cause of.
    @usableFromInline
    final func cause(firing plan: TimerPlan) -> Cause {
        let place = timers.firstIndex { $0 === plan } ?? timers.firstIndex { $0.name == plan.name }
        guard let place else { return Cause(.timer) }
        return Cause(.timer, event: timerEvents[place], timer: UInt16(truncatingIfNeeded: place))
    }

    /// Nil if the place is none.
    public final func timerName(at place: UInt16) -> String? {
        place < timers.count ? timers[Int(place)].name : nil
    }
}

/// Where a session begins that does not begin at the beginning.
public struct SessionImage {
    public let state: String
    /// What the state carries.
    public let data: JSON
    /// How long nobody was there, as far as time went on.
    public let away: Duration
    /// Timers that were kept apart from the state.
    public let timers: ArraySlice<TimerImage>

    public init(state: String, data: JSON = .object([]), away: Duration = .zero, timers: ArraySlice<TimerImage> = []) {
        self.state = state
        self.data = data
        self.away = away
        self.timers = timers
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
    @usableFromInline let begin: (FlowKind, Timekeeper, _ context: JSON?, SessionImage?) throws -> AnyMachine

    @usableFromInline
    init(
        send: @escaping (AnyMachine, Int, Payload?, EventSource) throws(Refusal) -> Outcome,
        fire: @escaping (AnyMachine, Firing) -> Void, accepted: @escaping (AnyMachine) -> UInt64?,
        carriesOnlyTimers: @escaping (AnyMachine) -> Bool,
        begin: @escaping (FlowKind, Timekeeper, JSON?, SessionImage?) throws -> AnyMachine
    ) {
        self.send = send
        self.fire = fire
        self.accepted = accepted
        self.carriesOnlyTimers = carriesOnlyTimers
        self.begin = begin
    }
}

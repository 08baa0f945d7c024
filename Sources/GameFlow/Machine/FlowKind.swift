// A kind of flow, without its types, and the fast paths into its machines.

import Memory
import Texts

/// A kind of flow: the part that its sessions share, and how they begin. A daemon hosts several, each with a distinct name; `.flow(EscapeRoom.self)`
/// is one.
public class FlowKind {
    /// The flow's name, which no other of the host has.
    public final let name: String
    /// The names of all states, in display order.
    public final let states: [String]
    /// Every timer that its states may carry.
    public final let timers: [TimerPlan]
    /// Whether one of them has the restart policy `freeze`.
    package final let hasFreezeTimers: Bool
    /// All events of the catalogue.
    public final let events: [AcceptedEvent]
    /// Each event as a view shows it, in JSON; nil for those that clients may not send.
    package final let actionTexts: [String?]
    /// The parameters that a session begins with.
    public final let parameters: [Parameter]
    /// Bounds of what its states carry.
    public final let fields: [PayloadKind]
    /// Runs hooks and orchestrators, on the loop's thread.
    public final var executor: (any TaskExecutor)?
    /// Where the event came from that is being handled, or was the last one.
    @usableFromInline @exclusivity(unchecked) final var handledSource = EventSource.ui
    /// The file that it was read from; nil for a flow that is part of the program.
    public final let origin: FlowOrigin?
    /// The host's number of this kind, which no other kind has at the same time.
    package final var number: Int {
        get { currentNumber }
        set { currentNumber = newValue }
    }
    // Stored apart, since other modules would check each access for exclusivity.
    private final var currentNumber = 0
    /// The host's number of the flow, which all kinds that replace one another share.
    package final var flowNumber = 0
    /// The number of this version of the flow in the history, whose entries refer to a version's states, events and timers by index.
    package final var versionNumber: UInt16 {
        get { currentVersionNumber }
        set { currentVersionNumber = newValue }
    }
    private final var currentVersionNumber: UInt16 = 0
    /// Not retained. A watcher removes itself when it is released.
    @usableFromInline @exclusivity(unchecked) final var watcher: Borrowed<MachineWatcher>?
    /// Records which session is being handled; nil if that is not wanted.
    @inlinable public final var flight: FlightRecorder? {
        get { recorder }
        set { recorder = newValue }
    }
    @usableFromInline @exclusivity(unchecked) final var recorder: FlightRecorder?
    /// The thread of its newest machine, and so of all its machines.
    final var thread = ThreadIdentity.current
    @usableFromInline final let paths: FastPaths
    /// Whether steps of its sessions ask anything of others.
    public final let hasEffects: Bool
    /// Whether its sessions can have effects, be it from a definition that their file had before.
    public final var mayHaveEffects: Bool { hasEffects || origin != nil }
    package final let hasWork: Bool
    /// Stops machines with zero timers that form a loop.
    @usableFromInline @exclusivity(unchecked) final var zeroTimers = ZeroTimerGuard()
    /// The parameters of sessions, as text, by machine; empty if no session has parameters.
    final var contexts: [ObjectIdentifier: String] = [:]
    /// The parameters of sessions that save none, as text that they share: the defaults. Nil if such sessions have none.
    final lazy var defaultContextText: String? =
        parameters.isEmpty || !savesOnlyGivenContext ? nil : parameters.defaults.description
    /// The flow's graph as it is written, where that is known without exploring it.
    package final var written: (any WrittenFlow)?
    /// Its picture, for the code that draws it; it goes with the kind.
    package final var picture: AnyObject?
    final var knownExploration: (any Sendable)?
    /// The names of timers with a length that is computed each time the timer begins.
    package final var timersOfComputedLength: Set<String> = []
    /// The names of events and timers. Those behind the flow's own are in the history alone: names of former definitions, and of delayed
    /// events' timers.
    private final var eventList: NameList
    final private(set) var timerList: NameList
    /// The events' names as bytes.
    private final let eventTexts: TextTable
    /// The events that others than timers may send, as bits.
    final let fromOutside: UInt64
    /// The event that each timer sends.
    private final let timerEvents: [UInt16]
    /// The names of timers for people, by the timer's index.
    private final let timerLabels: [String]
    private final var stateList: NameList
    private final let stateTexts: TextTable
    /// A restorer for each state that a session was restored in.
    final var restorers: [StateRestorer] = []
    /// Whether a state carries only timers, by index, as far as it is known.
    final var onlyTimers = TimerOnlyStates()
    /// States with data that is made without encoding them.
    final var carriedTimers = CarriedTimers()
    package final let statistics = FlowStatistics()
    /// The same, for use at every event without retaining.
    package final let borrowedStatistics: Borrowed<FlowStatistics>

    @usableFromInline
    init(
        name: String, states: [String], events: [AcceptedEvent], timers: [TimerPlan], parameters: [Parameter],
        fields: [PayloadKind], origin: FlowOrigin?, hasEffects: Bool, hasWork: Bool, paths: FastPaths
    ) {
        for (count, what) in [(events.count, "events"), (timers.count, "timers"), (states.count, "states")] {
            precondition(
                count <= Self.maxListEntries, "the flow '\(name)' has \(count) \(what); at most \(Self.maxListEntries)")
        }
        self.name = name
        self.states = states
        self.events = events
        actionTexts = events.map { $0.isOffered ? $0.action.description : nil }
        self.timers = timers
        hasFreezeTimers = timers.contains { $0.restart == .freeze }
        self.parameters = parameters
        self.fields = fields
        self.origin = origin
        self.paths = paths
        (self.hasEffects, self.hasWork) = (hasEffects, hasWork)
        borrowedStatistics = Borrowed(statistics)
        let eventList = NameList(events.map(\.name))
        self.eventList = eventList
        eventTexts = TextTable(eventList.names)
        fromOutside = events.prefix(64).enumerated().reduce(0) { bits, event in
            event.element.sources.isSubset(of: .timers) ? bits : bits | 1 << UInt64(event.offset)
        }
        timerLabels = timers.map { $0.label ?? $0.name.spelledOut }
        timerEvents = timers.map { $0.messageName.flatMap(eventList.find).map(UInt16.init) ?? HistoryEntry.Cause.none }
        timerList = NameList(record: timers.map(\.name))
        stateList = NameList(states)
        stateTexts = TextTable(states)
    }

    /// Sets the watcher of all machines of this kind. It is notified of every change, and of every timer's event that caused no change.
    public final func watch(_ watcher: MachineWatcher?) {
        if let old = self.watcher { old.object.forget(self) }
        self.watcher = watcher.map { Borrowed($0) }
        watcher?.remember(self)
    }

    final func unwatch(_ watcher: MachineWatcher) {
        if self.watcher == Borrowed(watcher) { self.watcher = nil }
    }

    /// Maximum of a flow's events, of its timers and of its states. The history stores their indices in two bytes, some for former definitions.
    /// A flow file has fewer.
    public static var maxListEntries: Int { 60_000 }

    /// A kind with only the names for the history's entries, at their indices. It shares equal names with one of `others`.
    init(recordOf kind: FlowKind, sharing others: [FlowKind]) {
        name = kind.name
        states = Self.shared(kind.knownStates, with: others.map(\.knownStates))
        events = others.lazy.map(\.events).first { $0 == kind.events } ?? kind.events
        eventList = NameList(record: Self.shared(kind.eventList.names, with: others.map(\.eventList.names)))
        timerList = NameList(record: Self.shared(kind.timerList.names, with: others.map(\.timerList.names)))
        origin = kind.origin
        (actionTexts, timers, parameters, fields, hasEffects, hasWork, paths) = ([], [], [], [], false, false, .none)
        hasFreezeTimers = false
        borrowedStatistics = Borrowed(statistics)
        (eventTexts, fromOutside, timerEvents, timerLabels) = (TextTable(), kind.fromOutside, [], [])
        (stateList, stateTexts) = (NameList(record: states), TextTable())
    }

    /// The same names, sharing memory with one of those lists or with its names.
    private static func shared(_ names: [String], with lists: [[String]]) -> [String] {
        if let same = lists.first(where: { $0 == names }) { return same }
        guard let nearest = lists.first else { return names }
        let known = Set(nearest)
        return names.map { name in known.firstIndex(of: name).map { known[$0] } ?? name }
    }

    // MARK: Sessions

    /// Begins a session in the flow's initial state, with these parameters. The host then calls `beginWork`.
    public final func begin(on timekeeper: Timekeeper, context: JSON? = nil) throws -> AnyMachine {
        try paths.begin(self, timekeeper, context)
    }

    /// Begins a session in the image's state, or continues it there.
    public final func begin(on timekeeper: Timekeeper, at image: SessionImage) throws -> AnyMachine {
        let machine = try paths.restore(self, timekeeper, image)
        if image.isSaved { machine.restoreOrderOfArming() }
        try machine.restore(image)
        return machine
    }

    // MARK: Implemented with the flow's types

    /// The same flow with the checks that may veto a step, and without what performs one: work, asynchronous hooks, and hooks after the step.
    package func decidingOnly() -> FlowKind { abstract() }

    /// The same, including the effects that its steps request of other sessions.
    package func withoutWork() -> FlowKind { abstract() }

    /// Whether it has hooks that `decidingOnly` leaves out.
    package var hasPerformingHooks: Bool { abstract() }

    /// The same flow without hooks and work, and so without side effects.
    func withoutHooks() -> FlowKind { abstract() }

    /// Whether a session saves its parameters only if it was given some; otherwise it has the defaults.
    var savesOnlyGivenContext: Bool { abstract() }

    var facts: FlowFacts { abstract() }

    /// Whether its parameters are variables, which its states' data contain, as those of a flow file are.
    var hasVariables: Bool { abstract() }

    /// Whether `check` runs the flow, and holds its lists of states and timers to be complete.
    package final var isChecked: Bool { facts.isChecked }

    /// Whether the tests of its package check it, so that a daemon does not at each start: that took two thirds of the time.
    package final var isTested = false

    private func abstract() -> Never {
        preconditionFailure("every kind of flow is a TypedFlowKind")
    }

    // MARK: Events

    /// The names of all events, in the order of the catalogue.
    public final var eventNames: [String] { events.map(\.name) }

    /// The event's index in the flow's catalogue.
    public final func index(ofEvent name: String) -> Int? {
        eventList.find(name).flatMap { $0 < events.count ? $0 : nil }
    }

    /// The same, without allocating a String.
    package final func index(ofEvent name: UnsafeRawBufferPointer) -> Int? {
        eventTexts.index(of: name)
    }

    /// The refusal of an event that the flow does not have. It lists the events that this source may send, or all.
    public final func unknownEvent(_ name: String, from source: EventSource? = nil) -> Refusal {
        .unknownEvent(unknownEventSentence(name, from: source))
    }

    /// Nil if there is no such index.
    public final func eventName(at index: UInt16) -> String? { eventList[UInt32(index)] }

    /// The index of an event's name in a history entry; beyond the catalogue if the catalogue no longer has it.
    package final func historyIndex(ofEvent name: String) -> UInt16 { UInt16(eventList.index(of: name)) }

    /// The same for a timer's name. The timer of a delayed event is never among the flow's.
    package final func historyIndex(ofTimer name: String) -> UInt16 { UInt16(timerList.index(of: name)) }

    /// The index of an event sent by typed code.
    @usableFromInline
    final func index(ofTyped event: some Any) -> UInt16 {
        index(ofEvent: caseName(of: event)).map(UInt16.init) ?? HistoryEntry.Cause.none
    }

    // MARK: States

    /// The index of a state's name: after the declared ones if it is not one of them.
    public final func index(ofState name: String) -> UInt32 { stateList.index(of: name) { stateTexts.append(name) } }

    /// The name at an index. An index that represents too many names has a text for that: `AnyMachine.stateName` is the session's own.
    public final func stateName(at index: UInt32) -> String { stateList[index] ?? NameList.otherName }

    /// The index shared by names without an index, since the flow's sessions have had too many.
    package static var unnumberedState: UInt32 { NameList.unnumbered }

    /// The state's name as bytes, without allocating a String. Valid until the next new name is added; nil for `unnumberedState`.
    package final func stateText(at index: UInt32) -> UnsafeRawBufferPointer? {
        index == NameList.unnumbered ? nil : stateTexts[Int(index)]
    }

    /// Refuses data from outside that no transition could have led to.
    @usableFromInline
    final func checkFields(of image: SessionImage) throws {
        if fields.isEmpty { return }
        do throws(FlowError) { try fields.check(image.data, of: image.state) } catch { throw RestorationError("\(error)") }
    }

    // MARK: Timers

    /// The cause of a step taken for this timer.
    @usableFromInline
    final func cause(firing plan: TimerPlan) -> HistoryEntry.Cause {
        let index = timers.firstIndex { $0 === plan } ?? timers.firstIndex { $0.name == plan.name }
        guard let index else { return HistoryEntry.Cause(.timer) }
        return HistoryEntry.Cause(.timer, event: timerEvents[index], timer: UInt16(truncatingIfNeeded: index))
    }

    /// The cause of a step taken for a milestone. The event is the milestone's, not the timer's.
    @usableFromInline
    final func cause(of firing: Firing, sending event: some Any) -> HistoryEntry.Cause {
        HistoryEntry.Cause(.timer, event: index(ofTyped: event), timer: cause(firing: firing.timer.plan).timer)
    }

    /// The name of the event that the timer sends, if it sends one. Faster than asking the plan.
    package final func eventName(firing plan: TimerPlan) -> String? {
        eventName(at: cause(firing: plan).event) ?? plan.messageName
    }

    /// The timer's name for people, and the name of the event that it sends.
    package final func shown(_ plan: TimerPlan) -> (label: String, event: String?) {
        let cause = cause(firing: plan)
        let label = cause.timer < timerLabels.count ? timerLabels[Int(cause.timer)] : plan.label ?? plan.name.spelledOut
        return (label, eventName(at: cause.event) ?? plan.messageName)
    }

    /// Nil if there is no such index.
    public final func timerName(at index: UInt16) -> String? { timerList[UInt32(index)] }

    final var knownStates: [String] { stateList.names }
}

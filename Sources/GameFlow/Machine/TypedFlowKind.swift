// A kind of flow with its types: the definition, and how a session's flow is made. It is compiled anew for each flow.

import Timers

/// A kind of flow, for those who know its types.
public final class TypedFlowKind<F: Flow>: FlowKind {
    /// Makes a session's flow.
    public typealias Maker = (_ clock: FlowClock, _ context: F.Context) throws -> F

    /// What the flow is made of.
    public let definition: FlowDefinition<F>
    @usableFromInline let make: Maker
    /// What becomes of an event that is not valid.
    @usableFromInline let policy: InvalidEventPolicy
    /// Whether anybody can veto a step.
    @usableFromInline let asks: Bool
    /// Whether anybody is told of every step.
    @usableFromInline let tells: Bool
    /// Whether a step may have to wait.
    @exclusivity(unchecked) @usableFromInline var waits: Bool
    /// Whether states have work.
    @exclusivity(unchecked) @usableFromInline var works: Bool
    @usableFromInline let specs: [EventSpec<F.Event>]
    /// The same, for whoever uses one for every event and need not count that.
    @usableFromInline let borrowedSpecs: [Borrowed<EventSpec<F.Event>>]
    /// Every sample of every event, for whoever wants to know which events are accepted.
    @usableFromInline let trials: [Trial<F.Event>]
    /// What only some machines need, by machine.
    @exclusivity(unchecked) @usableFromInline var extras: [ObjectIdentifier: MachineExtras<F>] = [:]
    /// Whether a state carries nothing but timers, by its place, as far as it is known.
    @exclusivity(unchecked) var onlyTimers = OnlyTimers()
    /// The context of every session, where there are no parameters.
    private let plainContext: F.Context?

    /// The places of states' names, learnt once for each case; nil where states are no enum.
    @usableFromInline let placesByCase: CaseTable<F.State>?
    /// Who may send an event, likewise.
    @usableFromInline let sourcesByCase: CaseTable<F.Event>?

    /// A kind of this definition, whose sessions' flows are made by `make`.
    @inlinable
    public convenience init(_ definition: FlowDefinition<F>, _ make: @escaping Maker) {
        self.init(
            definition, make,
            FastPaths(
                send: { machine, place, payload, source throws(Refusal) in
                    try unsafeDowncast(machine, to: Machine<F>.self).decodeAndSend(place, payload, source)
                },
                fire: { unsafeDowncast($0, to: Machine<F>.self).fired($1) },
                accepted: { unsafeDowncast($0, to: Machine<F>.self).acceptedBits() },
                carriesOnlyTimers: { unsafeDowncast($0, to: Machine<F>.self).hasOnlyTimers() },
                begin: { kind, timekeeper, context, image in
                    try Machine(on: timekeeper, of: unsafeDowncast(kind, to: TypedFlowKind<F>.self), context, at: image)
                }))
    }

    @usableFromInline
    init(_ definition: FlowDefinition<F>, _ make: @escaping Maker, _ paths: FastPaths) {
        self.definition = definition
        self.make = make
        policy = definition.policy
        asks = !definition.validators.isEmpty || !definition.beforeHooks.isEmpty
        tells = !definition.afterHooks.isEmpty
        waits = !definition.asyncBeforeHooks.isEmpty
        works = !definition.orchestrators.isEmpty
        specs = definition.events.specs
        borrowedSpecs = Self.borrowed(specs)
        trials = Self.trials(of: specs)
        plainContext = Self.noContext()
        placesByCase = CaseTable()
        sourcesByCase = Self.eventCases()
        super.init(
            name: definition.name, states: definition.states, events: Self.events(of: specs), timers: definition.timers,
            parameters: definition.parameters, paths: paths)
    }

    // Apart from the initializer, which the optimizer of Swift 6.3.1 cannot take with these in it.

    @inline(never)
    private static func trials(of specs: [EventSpec<F.Event>]) -> [Trial<F.Event>] {
        specs.prefix(64).enumerated().flatMap { place, spec in
            spec.samples.map { Trial(bit: 1 << UInt64(place), event: $0) }
        }
    }

    @inline(never)
    private static func borrowed(_ specs: [EventSpec<F.Event>]) -> [Borrowed<EventSpec<F.Event>>] {
        specs.map { Borrowed($0) }
    }

    @inline(never)
    private static func events(of specs: [EventSpec<F.Event>]) -> [AcceptedEvent] { specs.map(AcceptedEvent.init) }

    @inline(never)
    private static func noContext() -> F.Context? { NoContext() as? F.Context }

    @inline(never)
    private static func eventCases() -> CaseTable<F.Event>? { F.Event.self is any NamedEvent.Type ? nil : CaseTable() }

    deinit {
        placesByCase?.free()
        sourcesByCase?.free()
    }

    // MARK: Events

    /// What the catalogue says of who may send an event; anyone, if it does not list it.
    func listedSources(of event: F.Event) -> EventSources { definition.events[caseName(of: event)]?.sources ?? .anyone }

    // MARK: Parameters

    /// What a session's flow is given, and the text that is kept of it; nil where there are no parameters.
    @usableFromInline
    func context(_ given: JSON?, on clock: FlowClock) throws -> (value: F.Context, text: String?) {
        if let plainContext, given == nil { return (plainContext, nil) }
        let complete = try parameters.completed(given, of: name)
        if let plainContext { return (plainContext, nil) }
        let value = try Restoring(on: clock, plans: [], stateName: "context").decode(F.Context.self, from: complete)
        return (value, complete.description)
    }

    // MARK: Kinds that do less

    public override func leaveWorkUndone() { (works, waits) = (false, false) }

    override func withoutHooks() -> FlowKind { TypedFlowKind(definition.withoutHooks(), make) }

    override var facts: FlowFacts {
        FlowFacts(
            stateCases: EnumCases.names(of: F.State.self),
            eventCases: F.Event.self is any NamedEvent.Type ? nil : EnumCases.names(of: F.Event.self),
            samples: specs.map { $0.samples.map { caseName(of: $0) } }, complaints: definition.complaints,
            isChecked: definition.isChecked)
    }
}

extension TypedFlowKind where F: TypedFlow {
    /// The kind that a type describes; `configure` adds to its definition.
    @inlinable
    public convenience init(_ configure: (inout FlowDefinition<F>) -> Void = { _ in }) {
        var definition = F.definition
        configure(&definition)
        self.init(definition) { clock, context in F(clock: clock, context: context) }
    }
}

extension TypedFlowKind where F.Context == NoContext {
    /// The kind that a flow says it is, once it is made.
    @inlinable
    public convenience init(
        making make: @escaping (FlowClock) -> F, _ configure: (inout FlowDefinition<F>) -> Void = { _ in }
    ) {
        // Its definition is the same for all sessions: one is made for nobody, to be asked.
        let host = TimerHost(on: Timekeeper(VirtualClock()))
        var definition = make(host.clock).definition
        withExtendedLifetime(host) {}
        configure(&definition)
        self.init(definition) { clock, _ in make(clock) }
    }
}

extension FlowKind {
    /// The kind of flow that a type describes, for a daemon to host: `.flow(EscapeRoom.self)`. `configure` adds what the type does not
    /// say, such as who does its work.
    @inlinable
    public static func flow<F: TypedFlow>(_ type: F.Type, _ configure: (inout FlowDefinition<F>) -> Void = { _ in }) -> FlowKind
    {
        TypedFlowKind<F>(configure)
    }

    /// A kind of flow that is made of a definition at run time.
    @inlinable
    public static func flow<F: Flow>(
        _ definition: FlowDefinition<F>, _ make: @escaping (FlowClock, F.Context) throws -> F
    ) -> FlowKind {
        TypedFlowKind(definition, make)
    }

    /// A kind of flow whose instances `make` makes.
    @inlinable
    public static func flow<F: Flow>(_ make: @escaping (FlowClock) -> F) -> FlowKind where F.Context == NoContext {
        TypedFlowKind(making: make)
    }
}

/// What there is to know of a flow's types, for those who look for what is missing from its lists.
struct FlowFacts {
    /// The names of the enums' cases; nil where they are no enums.
    let stateCases: [String]?
    let eventCases: [String]?
    /// The names of each event's samples.
    let samples: [[String]]
    let complaints: [String]
    let isChecked: Bool
}

/// A sample of an event, with the bit that stands for the event.
@usableFromInline
struct Trial<Event> {
    @usableFromInline let bit: UInt64
    @usableFromInline let event: Event
}

// A kind of flow with its types: the definition, and how a session's flow is made. It is specialized for each flow.

import Memory

/// A kind of flow, with its types.
public final class TypedFlowKind<F: Flow>: FlowKind {
    /// Makes a session's flow.
    public typealias Maker = (_ clock: FlowClock, _ context: F.Context) throws -> F

    /// The flow's definition.
    public let definition: FlowDefinition<F>
    @usableFromInline let make: Maker
    /// How it handles an event that is not valid.
    @usableFromInline let policy: InvalidEventPolicy
    /// Whether there are validators, or hooks before a step, be they asynchronous.
    @usableFromInline let hasBeforeHooks: Bool
    /// Whether there are hooks after a step.
    @usableFromInline let hasAfterHooks: Bool
    @usableFromInline let specs: [EventSpec<F.Event>]
    /// The catalogue's specs, for use at every event without retaining.
    @usableFromInline let borrowedSpecs: [Borrowed<EventSpec<F.Event>>]
    /// Every sample of every event, with the event's bit, to find out which events are accepted.
    @usableFromInline let trials: [(bit: UInt64, event: F.Event)]
    /// The extras of those machines that need them.
    @usableFromInline var extras: [ObjectIdentifier: MachineExtras<F>] = [:]
    /// Every session's context, if there are no parameters.
    private let plainContext: F.Context?

    /// The indices of states' names, learnt once for each case; nil if the state is not an enum.
    @usableFromInline let stateIndicesByCase: CaseTable<F.State>?
    /// The sources that may send an event, likewise.
    @usableFromInline let sourcesByCase: CaseTable<F.Event>?

    /// Makes a kind of this definition; `make` makes the flow of each session.
    @inlinable
    public convenience init(_ definition: FlowDefinition<F>, _ make: @escaping Maker) {
        self.init(
            definition, make,
            FastPaths(
                send: { machine, index, payload, source, actor throws(Refusal) in
                    try proven(machine, is: Machine<F>.self).decodeAndSend(index, payload, source, actor)
                },
                fire: { proven($0, is: Machine<F>.self).fired($1) },
                accepted: { proven($0, is: Machine<F>.self).acceptedBits() },
                carriesOnlyTimers: { proven($0, is: Machine<F>.self).hasOnlyTimers() },
                isFinal: { machine in
                    let machine = proven(machine, is: Machine<F>.self)
                    return machine.flow.isFinal(machine.state)
                },
                screen: { machine in
                    let machine = proven(machine, is: Machine<F>.self)
                    return machine.flow.screen(for: machine.state)
                },
                begin: { kind, timekeeper, context in
                    let machine = try Machine(on: timekeeper, of: proven(kind, is: TypedFlowKind<F>.self), context)
                    machine.start(in: try machine.flow.initialState())
                    return machine
                },
                restore: { kind, timekeeper, image in
                    let kind = proven(kind, is: TypedFlowKind<F>.self)
                    let machine = try Machine(on: timekeeper, of: kind, image.context, isSaved: image.isSaved)
                    machine.start(in: try Machine.restore(image, machine.flow, kind))
                    return machine
                }))
    }

    @usableFromInline
    init(_ definition: FlowDefinition<F>, _ make: @escaping Maker, _ paths: FastPaths) {
        self.definition = definition
        self.make = make
        policy = definition.policy
        hasBeforeHooks =
            !definition.validators.isEmpty || !definition.beforeHooks.isEmpty || !definition.asyncBeforeHooks.isEmpty
        hasAfterHooks = !definition.afterHooks.isEmpty
        specs = definition.events.specs
        borrowedSpecs = Self.borrowed(specs)
        trials = Self.trials(of: specs)
        plainContext = Self.noContext()
        stateIndicesByCase = CaseTable()
        sourcesByCase = Self.eventCases()
        super.init(
            name: definition.name, states: definition.states, events: Self.events(of: specs), timers: definition.timers,
            parameters: definition.parameters, fields: definition.fields, origin: definition.origin,
            hasEffects: definition.hasEffects, hasWork: !definition.orchestrators.isEmpty, paths: paths)
    }

    // Not in the initializer: with these in it, the optimizer of Swift 6.3.1 fails.

    private static func trials(of specs: [EventSpec<F.Event>]) -> [(bit: UInt64, event: F.Event)] {
        specs.prefix(64).enumerated().flatMap { index, spec in
            spec.samples.map { (bit: 1 << UInt64(index), event: $0) }
        }
    }

    private static func borrowed(_ specs: [EventSpec<F.Event>]) -> [Borrowed<EventSpec<F.Event>>] {
        specs.map { Borrowed($0) }
    }

    private static func events(of specs: [EventSpec<F.Event>]) -> [AcceptedEvent] { specs.map(AcceptedEvent.init) }

    private static func noContext() -> F.Context? { NoContext() as? F.Context }

    private static func eventCases() -> CaseTable<F.Event>? { F.Event.self is any NamedEvent.Type ? nil : CaseTable() }

    deinit {
        stateIndicesByCase?.free()
        sourcesByCase?.free()
    }

    // MARK: Parameters

    /// A session's context, and the text to store of it; nil where there are no parameters, and where the state's data keep them.
    @usableFromInline
    func context(_ given: JSON?, on clock: FlowClock, isSaved: Bool) throws -> (value: F.Context, text: String?) {
        if let plainContext, given == nil { return (plainContext, nil) }
        if given == nil, let raw = Self.rawContext(nil) { return (raw, nil) }
        let areInData = isSaved && !definition.keepsParameters
        let complete = areInData ? parameters.defaults : try parameters.completed(given, of: name)
        if let plainContext { return (plainContext, nil) }
        // The state's data do not contain the session's parameters.
        if let raw = Self.rawContext(complete) { return (raw, (areInData ? given : complete)?.description) }
        let value = try RestorationContext(on: clock, plans: [], stateName: "context").decode(F.Context.self, from: complete)
        return (value, definition.keepsParameters ? complete.description : nil)
    }

    override var savesOnlyGivenContext: Bool { F.Context.self is any RawContext.Type }

    private static func rawContext(_ json: JSON?) -> F.Context? {
        (F.Context.self as? any RawContext.Type).flatMap { $0.init(json) as? F.Context }
    }

    // MARK: Kinds without side effects

    package override func decidingOnly() -> FlowKind { with(definition.decidingOnly()) }

    package override func withoutWork() -> FlowKind {
        var same = definition.decidingOnly()
        same.hasEffects = definition.hasEffects
        return with(same)
    }

    package override var hasPerformingHooks: Bool { !definition.asyncBeforeHooks.isEmpty || hasAfterHooks }

    override func withoutHooks() -> FlowKind { with(definition.withoutHooks()) }

    private func with(_ definition: FlowDefinition<F>) -> FlowKind {
        let kind = TypedFlowKind(definition, make)
        kind.timersOfComputedLength = timersOfComputedLength
        kind.written = written
        return kind
    }

    override var hasVariables: Bool { !definition.keepsParameters }

    override var facts: FlowFacts {
        FlowFacts(
            stateCases: EnumCases.names(of: F.State.self),
            eventCases: F.Event.self is any NamedEvent.Type ? nil : EnumCases.names(of: F.Event.self),
            samples: specs.map { $0.samples.map { caseName(of: $0) } },
            payloads: specs.map { $0.samples.compactMap { JSON.carried(by: $0) } }, complaints: definition.complaints,
            isEvent: { $0 is F.Event || $0 is PendulumMessage<F.Event> }, isChecked: definition.isChecked,
            hasDelegate: F.self is any DelegatedFlow.Type)
    }
}

extension TypedFlowKind where F: TypedFlow {
    /// The kind of a flow type; `configure` adds to its definition.
    @inlinable
    public convenience init(_ configure: (inout FlowDefinition<F>) -> Void = { _ in }) {
        var definition = F.definition
        configure(&definition)
        self.init(definition) { clock, context in F(clock: clock, context: context) }
    }
}

extension TypedFlowKind where F.Context == NoContext {
    /// A kind with the definition of a flow that `make` makes.
    @inlinable
    public convenience init(
        making make: @escaping (FlowClock) -> F, _ configure: (inout FlowDefinition<F>) -> Void = { _ in }
    ) {
        // The definition is the same for all sessions, so it is read from a flow made only for that.
        let host = TimerHost(on: Timekeeper(VirtualClock()))
        var definition = make(host.clock).definition
        withExtendedLifetime(host) {}
        configure(&definition)
        self.init(definition) { clock, _ in make(clock) }
    }
}

extension FlowKind {
    /// The kind of a flow type, for a daemon to host: `.flow(EscapeRoom.self)`. `configure` adds parts that the type does not have, such as
    /// orchestrators.
    @inlinable
    public static func flow<F: TypedFlow>(_ type: F.Type, _ configure: (inout FlowDefinition<F>) -> Void = { _ in }) -> FlowKind
    {
        TypedFlowKind<F>(configure)
    }

    /// A kind of flow from a definition made at run time.
    @inlinable
    public static func flow<F: Flow>(
        _ definition: FlowDefinition<F>, _ make: @escaping (FlowClock, F.Context) throws -> F
    ) -> FlowKind {
        TypedFlowKind(definition, make)
    }

    /// A kind of flow with instances made by `make`.
    @inlinable
    public static func flow<F: Flow>(_ make: @escaping (FlowClock) -> F) -> FlowKind where F.Context == NoContext {
        TypedFlowKind(making: make)
    }
}

/// Facts from a flow's types, for finding entries that its lists lack.
struct FlowFacts {
    /// The names of the enums' cases; nil if the types are not enums.
    let stateCases: [String]?
    let eventCases: [String]?
    /// The names of each event's samples.
    let samples: [[String]]
    /// The payloads of the samples, by the event's index in the catalogue.
    let payloads: [[JSON]]
    let complaints: [String]
    /// Whether a timer's message is one of the flow's events.
    let isEvent: (any Sendable) -> Bool
    let isChecked: Bool
    /// Whether a delegate decides about its steps.
    let hasDelegate: Bool
}

// What all machines of one flow share: their policy, validators, hooks and orchestrators.

import Timers

/// What a machine does with an event that is not valid.
public enum InvalidEventPolicy: Sendable {
    case refuse, ignore
}

public final class MachineSetup<F: Flow>: FlowKind {
    public typealias Validator = (_ from: F.State, _ event: F.Event, _ to: F.State) -> String?
    public typealias BeforeHook = (_ machine: Machine<F>, _ event: F.Event, _ to: F.State) throws -> Void
    public typealias AsyncBeforeHook = @Sendable (Change<F.Event>) async throws -> Void
    public typealias AfterHook = (_ machine: Machine<F>, _ change: Change<F.Event>) -> Void
    /// The work that belongs to a state, if any. What it returns is sent to the machine, if it is still in that stay.
    public typealias Orchestrator = (F.State) -> (@Sendable () async -> F.Event?)?

    @exclusivity(unchecked) public var policy = InvalidEventPolicy.refuse
    /// Where hooks and orchestrators run: on the loop's own thread.
    public var executor: (any TaskExecutor)?
    /// Whether anybody can veto a step.
    @exclusivity(unchecked) @usableFromInline private(set) var asks = false
    /// Whether anybody is told of every step.
    @exclusivity(unchecked) @usableFromInline private(set) var tells = false
    public private(set) var validators: [Validator] = []
    public private(set) var beforeHooks: [BeforeHook] = []
    @exclusivity(unchecked) public private(set) var asyncBeforeHooks: [AsyncBeforeHook] = []
    /// Whether a step may have to wait.
    @exclusivity(unchecked) @usableFromInline private(set) var waits = false
    public private(set) var afterHooks: [AfterHook] = []
    public private(set) var orchestrators: [Orchestrator] = []
    @usableFromInline let specs: [EventSpec<F.Event>]
    /// The same, for whoever uses one for every event and need not count that.
    @usableFromInline let uncountedSpecs: [Unmanaged<EventSpec<F.Event>>]
    /// Every sample of every event, for whoever wants to know which events are accepted.
    @usableFromInline let trials: [Trial<F.Event>]
    /// What only some machines need, by machine.
    @exclusivity(unchecked) @usableFromInline var extras: [ObjectIdentifier: MachineExtras<F>] = [:]
    /// Whether a state carries nothing but timers, by its place, as far as it is known.
    @exclusivity(unchecked) var onlyTimers = OnlyTimers()

    /// With everything that the flow itself asks for.
    @inlinable
    public convenience init() {
        self.init(
            FastPaths(
                send: { machine, place, payload, source throws(Refusal) in
                    try unsafeDowncast(machine, to: Machine<F>.self).decodeAndSend(place, payload, source)
                },
                fire: { unsafeDowncast($0, to: Machine<F>.self).fired($1) },
                accepted: { unsafeDowncast($0, to: Machine<F>.self).acceptedBits() },
                carriesOnlyTimers: { unsafeDowncast($0, to: Machine<F>.self).hasOnlyTimers() }))
    }

    @usableFromInline
    init(_ paths: FastPaths) {
        specs = F.events.specs
        uncountedSpecs = specs.map { .passUnretained($0) }
        trials = specs.prefix(64).enumerated().flatMap { place, spec in
            spec.samples.map { Trial(bit: 1 << UInt64(place), event: $0) }
        }
        super.init(
            name: F.name, states: F.states, events: F.events.specs.map(AcceptedEvent.init), timers: F.timers, paths: paths)
        F.setUp(self)
    }

    /// A pure check of a step: a sentence vetoes it.
    public func validate(_ validator: @escaping Validator) {
        validators.append(validator)
        asks = true
    }

    /// Runs before a step counts; by throwing it vetoes the step.
    public func before(_ hook: @escaping BeforeHook) {
        beforeHooks.append(hook)
        asks = true
    }

    /// The same, taking its time: meanwhile the machine takes no other event.
    public func beforeAsync(_ hook: @escaping AsyncBeforeHook) {
        asyncBeforeHooks.append(hook)
        waits = true
    }

    /// Runs after a step counts, before the observers are told.
    public func after(_ hook: @escaping AfterHook) {
        afterHooks.append(hook)
        tells = true
    }

    /// Work that starts on entry to a state and is cancelled on exit.
    public func orchestrate(_ orchestrator: @escaping Orchestrator) { orchestrators.append(orchestrator) }

    /// For looking at a flow without doing anything: no work is begun, and no hook is waited for.
    package override func leaveWorkUndone() {
        orchestrators = []
        asyncBeforeHooks = []
        waits = false
    }
}

/// A sample of an event, with the bit that stands for the event.
@usableFromInline
struct Trial<Event> {
    @usableFromInline let bit: UInt64
    @usableFromInline let event: Event
}

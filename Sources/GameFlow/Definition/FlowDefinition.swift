// What a flow is made of, as a value: made by the compiler for a type, or at run time from a file.

import Timers

/// What a machine does with an event that is not valid.
public enum InvalidEventPolicy: Sendable {
    /// The sender is told why.
    case refuse
    /// It is counted, and nothing else happens.
    case ignore
}

/// A flow's states, events and timers, and what belongs to every session of it: policy, validators, hooks, orchestrators, parameters.
public struct FlowDefinition<F: Flow> {
    /// A pure check of a step: a sentence vetoes it.
    public typealias Validator = (_ from: F.State, _ event: F.Event, _ to: F.State) -> String?
    /// Runs before a step counts; by throwing it vetoes the step.
    public typealias BeforeHook = (_ session: any FlowSession<F>, _ event: F.Event, _ to: F.State) throws -> Void
    /// The same, taking its time: meanwhile the session takes no other event.
    public typealias AsyncBeforeHook = @Sendable (_ change: Change<F.Event>, _ session: String) async throws -> Void
    /// Runs after a step counts, before the observers are told.
    public typealias AfterHook = (_ session: any FlowSession<F>, _ change: Change<F.Event>) -> Void
    /// The work that belongs to a state, if any: it sends what it comes to, as many events as it likes.
    public typealias Orchestrator = (_ state: F.State, _ session: String) -> (@Sendable (EventSender<F.Event>) async -> Void)?

    /// What people call the flow.
    public let name: String
    /// The names of all states, in the order in which they should be shown.
    public let states: [String]
    /// Every event, with what it carries and who may send it.
    public let events: Catalogue<F.Event>
    /// Every timer that its states may carry.
    public let timers: [TimerPlan]
    /// What a session can be begun with.
    public let parameters: [Parameter]
    /// What becomes of an event that is not valid.
    public var policy = InvalidEventPolicy.refuse
    /// Whether it is gone through when it is registered. One whose code must not run then says no, and is on its own.
    public var isChecked = true

    public private(set) var validators: [Validator] = []
    public private(set) var beforeHooks: [BeforeHook] = []
    public private(set) var asyncBeforeHooks: [AsyncBeforeHook] = []
    public private(set) var afterHooks: [AfterHook] = []
    public private(set) var orchestrators: [Orchestrator] = []
    /// What is wrong with it, as far as it is seen without running it.
    public internal(set) var complaints: [String] = []

    public init(
        name: String, states: [String], events: Catalogue<F.Event>, timers: [TimerPlan] = [], parameters: [Parameter] = []
    ) {
        self.name = name
        self.states = states
        self.events = events
        self.timers = timers
        self.parameters = parameters
    }

    /// A pure check of a step: a sentence vetoes it.
    public mutating func validate(_ validator: @escaping Validator) { validators.append(validator) }

    /// Runs before a step counts; by throwing it vetoes the step.
    public mutating func before(_ hook: @escaping BeforeHook) { beforeHooks.append(hook) }

    /// The same, taking its time: meanwhile the session takes no other event.
    public mutating func beforeAsync(_ hook: @escaping AsyncBeforeHook) { asyncBeforeHooks.append(hook) }

    /// Runs after a step counts, before the observers are told.
    public mutating func after(_ hook: @escaping AfterHook) { afterHooks.append(hook) }

    /// Work that starts on entry to a state and is cancelled on exit, and sends as many events as it likes. What it sends after its
    /// state has been left does not count.
    public mutating func orchestrateEvents(_ orchestrator: @escaping Orchestrator) { orchestrators.append(orchestrator) }

    /// The same for work that comes to one event, or none.
    public mutating func orchestrate(
        _ work: @escaping (_ state: F.State, _ session: String) -> (@Sendable () async -> F.Event?)?
    ) {
        orchestrators.append { state, session in
            guard let body = work(state, session) else { return nil }
            return { sender in
                if let event = await body() { await sender.send(event) }
            }
        }
    }

    /// The same flow, which touches nothing: without hooks and work.
    func withoutHooks() -> FlowDefinition {
        var bare = FlowDefinition(name: name, states: states, events: events, timers: timers, parameters: parameters)
        (bare.policy, bare.validators, bare.complaints) = (policy, validators, complaints)
        return bare
    }
}

/// Where a state's work sends what it comes to.
public struct EventSender<Event: Sendable>: Sendable {
    private let deliver: @Sendable (Event) async -> Void

    package init(_ deliver: @escaping @Sendable (Event) async -> Void) {
        self.deliver = deliver
    }

    /// Sends an event to the session, if it is still in the stay that the work belongs to. It has been handled when this returns.
    public func send(_ event: Event) async { await deliver(event) }
}

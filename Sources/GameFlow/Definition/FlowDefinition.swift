// A flow's definition as a value: made from a Swift type, or at run time from a file.

/// How a machine handles an event that is not valid.
public enum InvalidEventPolicy: Sendable {
    /// Refuse it, and tell the sender why.
    case refuse
    /// Count it, and do nothing else.
    case ignore
}

/// Where the definition of a flow came from.
public struct FlowOrigin: Sendable, Equatable {
    /// The path of its file.
    public let file: String
    /// A hash of the file's content; equal hashes mean that nothing has changed.
    public let fingerprint: String

    /// A definition that was read from that file.
    public init(file: String, fingerprint: String) {
        self.file = file
        self.fingerprint = fingerprint
    }
}

/// A flow's states, events, timers and parameters, with its policy, validators, hooks and orchestrators.
public struct FlowDefinition<F: Flow> {
    /// A pure check of a step. Returning a sentence vetoes the step.
    public typealias Validator = (_ from: F.State, _ event: F.Event, _ to: F.State) -> String?
    /// Runs before a step is committed. Throwing vetoes the step.
    public typealias BeforeHook = (_ session: any FlowSession<F>, _ event: F.Event, _ to: F.State) throws -> Void
    /// The same, asynchronously. Until it returns, the session takes no other event.
    public typealias AsyncBeforeHook = @Sendable (_ session: String, _ change: Change<F.Event>) async throws -> Void
    /// Runs after a step is committed, before its observers.
    public typealias AfterHook = (_ session: any FlowSession<F>, _ change: Change<F.Event>) -> Void
    /// Returns the asynchronous hook of a step, or nil if the step need not wait.
    public typealias AsyncBeforeHookOfStep = (_ from: F.State, _ event: F.Event, _ to: F.State) -> AsyncBeforeHook?
    /// The same, with the flow of the session.
    typealias FlowAsyncBeforeHook = (_ flow: F, _ from: F.State, _ event: F.Event, _ to: F.State) -> AsyncBeforeHook?
    /// Returns a state's work, if it has any. The work returns its last event, or nil for none, and may send others before.
    public typealias Orchestrator =
        (_ session: WorkingSession<F.Event>, _ state: F.State) -> (@Sendable () async -> F.Event?)?
    /// The same, with the flow of the session.
    typealias FlowOrchestrator =
        (_ flow: F, _ state: F.State, _ session: WorkingSession<F.Event>) -> (@Sendable () async -> F.Event?)?

    /// The flow's name.
    public let name: String
    /// The names of all states, in display order.
    public let states: [String]
    /// Every event, with its payload and its permitted sources.
    public let events: Catalogue<F.Event>
    /// Every timer that its states may carry.
    public let timers: [TimerPlan]
    /// The parameters that a session begins with.
    public let parameters: [Parameter]
    /// Declared values of states: data from outside are checked against them, by name.
    public let fields: [PayloadKind]
    /// The file that it was read from; nil for a flow that is part of the program.
    public var origin: FlowOrigin?
    /// How the machine handles an event that is not valid.
    public var policy = InvalidEventPolicy.refuse
    /// Whether registration checks the flow by running it. False for a flow whose code must not run then; such a flow is not checked.
    public var isChecked = true
    /// Whether a session's parameters are kept beside its state. False if the flow's states carry the parameters among their data.
    public var keepsParameters = true
    /// Whether its steps take time from timers, so that one of any length can fire at once.
    public var shortensTimers = false
    /// Whether its steps have effects, `outbox(of:)`, or its states have child sessions, `children(of:)`. If false, the machine calls neither.
    public var hasEffects = false

    /// Pure checks of a step, in the order in which they were added; so are the others.
    public private(set) var validators: [Validator] = []
    /// Hooks that run before a step is committed.
    public private(set) var beforeHooks: [BeforeHook] = []
    /// They return the asynchronous hooks of each step.
    private(set) var asyncBeforeHooks: [FlowAsyncBeforeHook] = []
    /// Hooks that run after a step is committed.
    public private(set) var afterHooks: [AfterHook] = []
    /// Where the work of states comes from.
    private(set) var orchestrators: [FlowOrchestrator] = []
    /// Problems of the definition that show without running the flow.
    public internal(set) var complaints: [String] = []

    /// A flow without hooks, validators and work; they are added to it.
    public init(
        name: String, states: [String], events: Catalogue<F.Event>, timers: [TimerPlan] = [], parameters: [Parameter] = [],
        fields: [PayloadKind] = []
    ) {
        self.name = name
        self.states = states
        self.events = events
        self.timers = timers
        self.parameters = parameters
        self.fields = fields
    }

    /// Adds a pure check of a step. Returning a sentence vetoes the step.
    public mutating func validate(_ validator: @escaping Validator) { validators.append(validator) }

    /// Adds a hook that runs before a step is committed. Throwing vetoes the step.
    public mutating func before(_ hook: @escaping BeforeHook) { beforeHooks.append(hook) }

    /// Adds an asynchronous hook, which every step waits for. Until it returns, the session takes no other event. If it throws, the step is vetoed;
    /// timers that the transition has paused, resumed or extended stay so.
    public mutating func beforeAsync(_ hook: @escaping AsyncBeforeHook) { asyncBeforeHooks.append { _, _, _, _ in hook } }

    /// Adds an asynchronous hook of some steps: `hook` returns it. A step for which it returns nil does not wait.
    public mutating func beforeAsync(_ hook: @escaping AsyncBeforeHookOfStep) {
        asyncBeforeHooks.append { _, from, event, to in hook(from, event, to) }
    }

    /// The same, with the flow of the session.
    mutating func beforeAsync(_ hook: @escaping FlowAsyncBeforeHook) { asyncBeforeHooks.append(hook) }

    /// Adds a hook that runs after a step is committed, before its observers.
    public mutating func after(_ hook: @escaping AfterHook) { afterHooks.append(hook) }

    /// Adds work that starts on entry to a state and is cancelled on exit. Events that it sends after the state was left are dropped.
    public mutating func orchestrate(_ orchestrator: @escaping Orchestrator) {
        orchestrators.append { _, state, session in orchestrator(session, state) }
    }

    /// The same, with the flow of the session.
    mutating func orchestrate(_ orchestrator: @escaping FlowOrchestrator) { orchestrators.append(orchestrator) }

    /// The same flow with the checks that may veto a step, and without the hooks and work that a step performs.
    func decidingOnly() -> FlowDefinition {
        var same = self
        (same.asyncBeforeHooks, same.afterHooks, same.orchestrators) = ([], [], [])
        same.hasEffects = false
        return same
    }

    /// The same flow without hooks and work, and so without side effects.
    func withoutHooks() -> FlowDefinition {
        var bare = decidingOnly()
        bare.beforeHooks = []
        return bare
    }
}

/// A session, for the work of its state.
public struct WorkingSession<Event: Sendable>: Sendable {
    /// The session's name; empty if its host has given it none.
    public let name: String
    /// The session's storage beside its state.
    public let storage: SessionStorage
    private let deliver: @Sendable (Event) async -> Void

    init(named name: String, _ storage: SessionStorage, _ deliver: @escaping @Sendable (Event) async -> Void) {
        (self.name, self.storage, self.deliver) = (name, storage, deliver)
    }

    /// Sends an event to the session, unless it has left the state since the work began. Returns once the event is handled.
    public func send(_ event: Event) async { await deliver(event) }
}

// MARK: - A session as its flow's hooks see it, and a committed change

/// A session, for hooks: its name, its state, and a way to raise further events.
public protocol FlowSession<F>: AnyObject {
    /// The session's flow.
    associatedtype F: Flow

    /// The session's name; empty if its host has given it none.
    var sessionName: String { get }
    /// The flow's instance for this session, with its clock and parameters.
    var flow: F { get }
    /// The session's state. Before a step is committed: the state that it leaves.
    var state: F.State { get }
    /// The name of that state.
    var stateName: String { get }
    /// The number of changes so far.
    var version: UInt32 { get }
    /// The session's timers, in order of creation.
    var timers: [StateTimer] { get }
    /// The text that hooks and work have stored for the session; nil if nothing is stored.
    var storedText: String? { get }

    /// Stores a text of at most `SessionStorage.maxBytes` for the session, in the step that is under way; nil removes the stored one.
    func store(_ text: String?) throws(SessionStorage.TooLong)

    /// Queues an event until the current step is complete.
    func raise(_ event: F.Event, from source: EventSource) throws
}

extension FlowSession {
    /// Queues an event until the current step is complete.
    public func raise(_ event: F.Event) throws { try raise(event, from: .orchestrator) }
}

/// A committed change. It has only the names of states, so that keeping it keeps no timer alive.
public struct Change<Event: Sendable>: Sendable {
    /// The names of the states.
    public let from: String
    /// The name of the state that it leads to.
    public let to: String
    /// The event; nil if the state was forced.
    public let event: Event?
    /// Where the event came from, or the source that forced the state.
    public let source: EventSource
    /// When it was made.
    public let at: Instant
    /// When the session entered the state that it leaves.
    public let since: Instant
    /// The number of changes, this one included.
    public let version: UInt32

    /// The event's name; nil if the state was forced.
    public var eventName: String? { event.map { caseName(of: $0) } }

    /// Whether the session has entered a state, which may be the same one, forced.
    public var isMove: Bool { event == nil || from != to }
}

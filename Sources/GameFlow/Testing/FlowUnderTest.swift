// A session in virtual time, for the tests of a flow: hours cost nothing.

import Synchronization
import Timers

/// One session of a flow, on a clock that the test moves. Making it also checks that the flow's lists are complete.
public final class FlowUnderTest<F: Flow> {
    /// The time, which only the test moves.
    public let clock = VirtualClock()
    /// Keeps the session's timers.
    public let timekeeper: Timekeeper
    /// The session's kind of flow, with its hooks.
    public let kind: TypedFlowKind<F>
    /// The session's machine.
    public let machine: Machine<F>
    /// Runs the flow's hooks and orchestrators, whenever time moves or `settle` is called.
    public let executor = ManualExecutor()
    private let watcher: NamingWatcher

    /// Begins in the flow's initial state, or in the named one. `named` is the session's name for hooks and work.
    public init(
        of kind: TypedFlowKind<F>, named name: String = "test", context: JSON? = nil, startingIn state: String? = nil,
        data: JSON = .object([]), away: Duration = .zero
    ) throws {
        try kind.checkOnce()
        self.kind = kind
        timekeeper = Timekeeper(clock)
        kind.executor = executor
        watcher = NamingWatcher(name)
        kind.watch(watcher)
        guard let state else {
            machine = try Machine(on: timekeeper, kind: kind, context: context)
            return
        }
        machine = try Machine(on: timekeeper, kind: kind, context: context, startingIn: state, data: data, away: away)
    }

    deinit {
        kind.watch(nil)
    }

    /// The name of the state.
    public var state: String { machine.stateName }

    /// Sends an event, and fires the timers that it makes due.
    @discardableResult
    public func send(_ event: F.Event, from source: EventSource = .ui) throws -> Outcome {
        let outcome = try machine.send(event, from: source)
        timekeeper.fireDue()
        return outcome
    }

    /// Lets time pass, with everything that happens meanwhile, and returns the number of timers that fired.
    @discardableResult
    public func advance(_ duration: Duration) -> Int {
        timekeeper.advance(clock, by: duration) {
            let fired = timekeeper.fireDue()
            executor.run()
            return fired
        }
    }

    /// Lets time pass without handling anything, as when the process is held up; then fires the due timers.
    public func stall(_ duration: Duration) {
        clock.move(to: clock.now.advanced(by: duration))
        timekeeper.beginTurn()
        timekeeper.fireDue()
        executor.run()
    }

    /// Runs hooks and orchestrators as far as they can go now.
    public func runUntilIdle() {
        executor.run()
        timekeeper.fireDue()
    }

    /// The remaining time of a timer; nil if no timer has this name, or if it has fired.
    public func remaining(_ timer: String) -> Duration? {
        machine.timers.last { $0.plan.name == timer }?.remaining
    }
}

extension FlowUnderTest where F: TypedFlow {
    /// A session of a typed flow, with its parameters.
    public convenience init(
        _ type: F.Type, named name: String = "test", context: JSON? = nil, startingIn state: String? = nil,
        data: JSON = .object([]), configure: (inout FlowDefinition<F>) -> Void = { _ in }
    ) throws {
        try self.init(of: TypedFlowKind(configure), named: name, context: context, startingIn: state, data: data)
    }
}

extension FlowUnderTest where F.Context == NoContext {
    /// A session in its initial state, with a flow that `make` makes.
    public convenience init(
        named name: String = "test", _ make: @escaping (FlowClock) -> F, configure: (inout FlowDefinition<F>) -> Void = { _ in }
    ) throws {
        try self.init(of: TypedFlowKind(making: make, configure), named: name)
    }

    /// The same in the named state.
    public convenience init(
        named name: String = "test", _ make: @escaping (FlowClock) -> F, startingIn state: String, data: JSON = .object([]),
        away: Duration = .zero, configure: (inout FlowDefinition<F>) -> Void = { _ in }
    ) throws {
        try self.init(of: TypedFlowKind(making: make, configure), named: name, startingIn: state, data: data, away: away)
    }
}

extension FlowUnderTest where F: TypedFlow, F.Context: SessionContext {
    @available(*, unavailable, message: "this flow has parameters: write FlowUnderTest(YourFlow.self, context: …)")
    /// A flow with parameters is made with them: `FlowUnderTest(Quiz.self, context: ["seconds": 20])`.
    public convenience init(named name: String = "test", _ make: @escaping (FlowClock) -> F) throws {
        fatalError("unavailable")
    }
}

/// Gives the one session of a test its name.
private final class NamingWatcher: MachineWatcher {
    private let name: String

    init(_ name: String) {
        self.name = name
    }

    override func name(of machine: AnyMachine) -> String { name }
}

// MARK: - Remembers checked flows, so that a thousand tests of one flow check it once.

extension TypedFlowKind {
    /// The same as `check`, unless a kind of the same type, states, events and timers was checked before.
    func checkOnce() throws(FlowProblems) {
        let key = [
            "\(F.self)", name, states.joined(separator: ","), eventNames.joined(separator: ","),
            timers.map(\.name).joined(separator: ","),
        ]
        .joined(separator: ";")
        if checkedKinds.withLock({ $0.contains(key) }) { return }
        try check()
        checkedKinds.withLock { _ = $0.insert(key) }
    }
}

private let checkedKinds = Mutex<Set<String>>([])

// MARK: - A record of what sessions have done, line by line, and of the time that each spent in each state.

/// Records what the sessions of a flow do, by session name.
public final class StateRecorder<F: Flow> {
    /// A line for each change, of all sessions.
    public private(set) var lines: [String] = []
    /// Time by session and state, for states that the session has left.
    private var times: [String: [String: Duration]] = [:]

    /// An empty diary, to be given to `keep`.
    public init() {}

    /// Adds hooks to the definition that write this diary.
    public func keep(_ definition: inout FlowDefinition<F>) {
        definition.after { [self] session, change in
            lines.append("\(change.from) -> \(change.to) on \(change.eventName ?? "force")")
            guard change.isMove else { return }
            times[session.sessionName, default: [:]][change.from, default: .zero] += change.since.duration(to: change.at)
        }
    }

    /// How long a session was in each state that it has left.
    public func timeIn(_ session: String = "test") -> [String: Duration] { times[session] ?? [:] }
}

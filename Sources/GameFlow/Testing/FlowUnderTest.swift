// A session in virtual time, for the tests of a flow: hours cost nothing.

import Synchronization

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
    /// Runs the flow's hooks and orchestrators, whenever `advance`, `stall` or `runUntilIdle` is called.
    public let executor = ManualExecutor()
    private let watcher: TestWatcher

    /// Begins in the flow's initial state, or in the named one, restored after a downtime of `away` if that is not nil. `named` is the session's
    /// name for hooks and work. From here on an earlier session of the same kind has no history: make a kind for each to test both at once.
    public init(
        of kind: TypedFlowKind<F>, named name: String = "test", context: JSON? = nil, startingIn state: String? = nil,
        data: JSON = .object([]), away: Duration? = nil
    ) throws {
        try kind.checkOnce()
        self.kind = kind
        timekeeper = Timekeeper(clock)
        kind.executor = executor
        watcher = TestWatcher(name, at: timekeeper.now)
        kind.watch(watcher)
        guard let state else {
            machine = try Machine(on: timekeeper, kind: kind, context: context)
            return
        }
        machine = try Machine(on: timekeeper, kind: kind, context: context, startingIn: state, data: data, away: away)
    }

    /// The name of the state.
    public var state: String { machine.stateName }

    /// Sends an event, and fires the timers that it makes due.
    @discardableResult
    public func send(_ event: F.Event, from source: EventSource = .ui) throws -> Outcome {
        defer { timekeeper.fireDue() }
        do throws(Refusal) {
            return try machine.send(event, from: source)
        } catch {
            watcher.record(error, of: event, from: source, machine)
            throw error
        }
    }

    /// Everything that has happened to the session, the oldest first: refused and postponed events, too.
    public var history: [TestEntry] { watcher.history }

    /// How long the session was in each state that it has left.
    public var timeInStates: [String: Duration] { watcher.times }

    /// Lets time pass, with everything that happens meanwhile, and returns the number of timers that fired. Hooks and orchestrators run as far as
    /// they can go, first without time passing.
    @discardableResult
    public func advance(_ duration: Duration) -> Int {
        runUntilIdle() + timekeeper.advance(clock, by: duration) { runUntilIdle() } + runUntilIdle()
    }

    /// Lets time pass without handling anything, as when the process is held up; then fires the due timers.
    public func stall(_ duration: Duration) {
        runUntilIdle()
        clock.move(to: clock.now.advanced(by: max(duration, .zero)))
        timekeeper.beginTurn()
        runUntilIdle()
    }

    /// Fires due timers, and runs hooks and orchestrators, until none has anything to do now. Returns the number of timers that fired.
    @discardableResult
    public func runUntilIdle() -> Int {
        var fired = timekeeper.fireDue()
        while executor.run() > 0 { fired += timekeeper.fireDue() }
        return fired
    }

    /// The remaining time of a timer; nil if no timer has this name, or if it has fired.
    public func remaining(_ timer: String) -> Duration? {
        machine.ownTimers.last { $0.plan.name == timer }?.remaining
    }
}

extension FlowUnderTest where F: TypedFlow {
    /// A session of a typed flow, with its parameters.
    public convenience init(
        _ type: F.Type, named name: String = "test", context: JSON? = nil, startingIn state: String? = nil,
        data: JSON = .object([]), away: Duration? = nil, configure: (inout FlowDefinition<F>) -> Void = { _ in }
    ) throws {
        try self.init(
            of: TypedFlowKind(configure), named: name, context: context, startingIn: state, data: data, away: away)
    }
}

extension FlowUnderTest where F.Context == NoContext {
    /// A session in its initial state, or in the named one, with a flow that `make` makes.
    public convenience init(
        named name: String = "test", _ make: @escaping (FlowClock) -> F, startingIn state: String? = nil,
        data: JSON = .object([]), away: Duration? = nil, configure: (inout FlowDefinition<F>) -> Void = { _ in }
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

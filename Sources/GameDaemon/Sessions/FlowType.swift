// The flows that a daemon hosts, by name.

import GameFlow
import Timers

/// A flow that sessions can be made of.
public final class FlowType {
    public let kind: FlowKind
    private let make: (Timekeeper) throws -> AnyMachine
    private let makeStarting: (Timekeeper, String, JSON, Duration, ArraySlice<TimerImage>) throws -> AnyMachine
    private let exploring: () throws -> Exploration
    private var explored: Exploration?

    /// Hosts a typed flow; `setup` is shared by all its sessions.
    public init<F: Flow>(setup: MachineSetup<F>, _ makeFlow: @escaping (FlowClock) -> F) {
        kind = setup
        make = { try Machine(on: $0, setup: setup, makeFlow) }
        makeStarting = { try Machine(on: $0, setup: setup, startingIn: $1, data: $2, away: $3, timers: $4, makeFlow) }
        exploring = { try Exploration(F.self, makeFlow) }
    }

    public var name: String { kind.name }

    func begin(on timekeeper: Timekeeper) throws -> AnyMachine {
        try make(timekeeper)
    }

    func begin(
        on timekeeper: Timekeeper, in state: String, data: JSON, away: Duration = .zero, timers: ArraySlice<TimerImage> = []
    )
        throws -> AnyMachine
    {
        try makeStarting(timekeeper, state, data, away, timers)
    }

    /// In the state that the data names, with the rest of it as that state's own.
    func begin(on timekeeper: Timekeeper, where data: JSON) throws -> AnyMachine {
        guard let state = data["state"]?.text else {
            throw RestoringError(
                "a session is begun somewhere with an object that names the state: {\"state\":\"\(kind.states[0])\"}")
        }
        return try begin(on: timekeeper, in: state, data: data["data"] ?? data)
    }

    /// The flow's graph, found out the first time that somebody asks.
    func exploration() throws -> Exploration {
        if let explored { return explored }
        let found = try exploring()
        explored = found
        return found
    }
}

extension FlowType {
    /// The flows that come with the library. `executor` runs the work of those that have some.
    public static func builtIn(
        executor: (any TaskExecutor)? = nil, session: any SavedSession, authenticator: any Authenticator
    ) -> [FlowType] {
        let startup = MachineSetup<Startup>()
        startup.executor = executor
        startup.work(with: session, authenticator)
        return [
            FlowType(setup: MachineSetup()) { Game(clock: $0) }, FlowType(setup: startup) { Startup(clock: $0) },
            FlowType(setup: MachineSetup()) { Registration(clock: $0) },
            FlowType(setup: MachineSetup()) { Onboarding(clock: $0) },
            FlowType(setup: MachineSetup()) { Permissions(clock: $0) }, FlowType(setup: MachineSetup()) { Turns(clock: $0) },
        ]
    }
}

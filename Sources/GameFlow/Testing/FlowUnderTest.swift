// A session in virtual time, for the tests of a flow: hours cost nothing.

import Timers

/// One session of a flow, on a clock that the test moves.
public final class FlowUnderTest<F: Flow> {
    public let clock = VirtualClock()
    public let timekeeper: Timekeeper
    public let machine: Machine<F>
    /// Runs the flow's hooks and orchestrators, whenever time moves or `settle` is called.
    public let executor = ManualExecutor()

    /// Begins in the flow's initial state.
    public init(_ makeFlow: (FlowClock) -> F, setUp: (MachineSetup<F>) -> Void = { _ in }) throws {
        timekeeper = Timekeeper(clock)
        machine = try Machine(on: timekeeper, setup: Self.setup(executor, setUp), makeFlow)
    }

    /// Begins in the named state.
    public init(
        _ makeFlow: (FlowClock) -> F, startingIn state: String, data: JSON = .object([]), away: Duration = .zero,
        setUp: (MachineSetup<F>) -> Void = { _ in }
    ) throws {
        timekeeper = Timekeeper(clock)
        machine = try Machine(
            on: timekeeper, setup: Self.setup(executor, setUp), startingIn: state, data: data, away: away, makeFlow)
    }

    private static func setup(_ executor: ManualExecutor, _ setUp: (MachineSetup<F>) -> Void) -> MachineSetup<F> {
        let setup = MachineSetup<F>()
        setup.executor = executor
        setUp(setup)
        return setup
    }

    /// The name of the state.
    public var state: String { machine.stateName }

    @discardableResult
    public func send(_ event: F.Event, from source: EventSource = .ui) throws -> Outcome {
        let outcome = try machine.send(event, from: source)
        timekeeper.fireDue()
        return outcome
    }

    /// Lets time pass, with everything that happens on the way; says how many timers fired.
    @discardableResult
    public func advance(_ duration: Duration) -> Int {
        timekeeper.advance(clock, by: duration) {
            let fired = timekeeper.fireDue()
            executor.run()
            return fired
        }
    }

    /// Lets hooks and orchestrators do what they can do now.
    public func settle() {
        executor.run()
        timekeeper.fireDue()
    }

    /// What is left of a timer; nil if there is none of that name or it has fired.
    public func remaining(_ timer: String) -> Duration? {
        machine.timers.last { $0.plan.name == timer }?.remaining
    }
}

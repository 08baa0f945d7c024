// A machine as it is, in memory: what another definition of its flow makes a machine of.

import Timers

/// What a session is, apart from its flow's code: as a store would keep it, to the nanosecond.
package struct MachineImage {
    /// The state's name.
    package let state: String
    private let data: JSON
    private let timers: [TimerImage]
    private let context: JSON?
    private let waiting: [WaitingEvent]
    package let version: UInt32
    package let since: Instant
    private let isFrozen: Bool
    /// When it was taken.
    private let at: Instant

    /// Throws if the state cannot be encoded, which is a mistake in its flow.
    package init(of machine: AnyMachine) throws {
        state = machine.stateName
        data = machine.carriesOnlyTimers ? .object([]) : try machine.stateData()
        // The newest first, as a store keeps them.
        var timers: [TimerImage] = []
        machine.forEachTimer { timer in
            timers.append(
                TimerImage(
                    name: timer.plan.name, kind: timer.plan.kind, left: timer.remaining,
                    isPaused: timer.isPaused))
        }
        self.timers = timers
        context = try machine.contextText.map { try JSON(parsing: $0) }
        waiting = machine.waitingEvents
        (version, since, isFrozen) = (machine.version, machine.since, machine.isFrozen)
        at = machine.timekeeper.now
    }

    /// A machine of this kind that goes on where the other one was. Throws if its definition does not fit. The time since the image was
    /// taken counts as time in which the daemon was down.
    package func machine(of kind: FlowKind, on timekeeper: Timekeeper) throws -> AnyMachine {
        let away = isFrozen ? .zero : at.duration(to: timekeeper.now)
        let machine = try kind.begin(
            on: timekeeper, context: context,
            at: SessionImage(state: state, data: data, away: away, timers: timers[...], isSaved: true))
        machine.recall(version: version, since: since, isFrozen: isFrozen)
        try machine.restore(waiting: waiting)
        return machine
    }
}

extension AnyMachine {
    /// Whether an event waits for an asynchronous hook, or a step is under way: then it has no image that is complete.
    package final var isBusy: Bool { phase != .idle }
}

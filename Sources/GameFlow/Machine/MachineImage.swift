// A machine as it is, in memory: what another definition of its flow makes a machine of.

import Timers

/// What a session is, apart from its flow's code: as a store would keep it, to the nanosecond.
package struct MachineImage {
    /// The state's name.
    package let state: String
    private let data: JSON
    private let timers: [TimerImage]
    private let context: JSON?
    private var waiting: [WaitingEvent]
    private let sent: [SentEvent]
    package let version: UInt32
    package let since: Instant
    private let isFrozen: Bool
    private let isHalted: Bool
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
                    isPaused: timer.isPaused, milestonesDue: timer.milestonesDue))
        }
        self.timers = timers
        context = try machine.contextText.map { try JSON(parsing: $0) }
        waiting = machine.waitingEvents
        sent = machine.sent?.events ?? []
        (version, since) = (machine.version, machine.since)
        (isFrozen, isHalted) = (machine.isFrozen, machine.clock.isHalted)
        at = machine.timekeeper.now
    }

    /// Of a session that was dropped. Whoever sent an event that waits for a hook has been told that it is dropped, too.
    package init(ofDropped machine: AnyMachine) throws {
        try self.init(of: machine)
        waiting.removeAll { !$0.isPostponed }
    }

    /// Bytes that its waiting events carry.
    package var waitingBytes: Int { waiting.reduce(0) { $0 + ($1.payload?.size ?? 0) } }

    /// A machine of this kind that begins where the other one was, with as much left of its timers, however long ago that is. It is a new
    /// life, and so remembers no ids.
    package func machine(
        begunAnew kind: FlowKind, on timekeeper: Timekeeper, inState sofar: Duration, isFrozen: Bool, isHalted: Bool
    ) throws -> AnyMachine {
        let machine = try kind.begin(
            on: timekeeper, context: context,
            at: SessionImage(state: state, data: data, timers: timers[...], isSaved: true))
        let since = Instant(nanoseconds: max(0, timekeeper.now.nanoseconds - max(0, sofar.wholeNanoseconds)))
        machine.recall(version: 0, since: since, isFrozen: isFrozen, isHalted: isHalted)
        try machine.restore(waiting: waiting)
        return machine
    }

    /// A machine of this kind that goes on where the other one was. Throws if its definition does not fit. The time since the image was
    /// taken counts as time in which the daemon was down.
    package func machine(of kind: FlowKind, on timekeeper: Timekeeper) throws -> AnyMachine {
        let away = isFrozen ? .zero : at.duration(to: timekeeper.now)
        let machine = try kind.begin(
            on: timekeeper, context: context,
            at: SessionImage(state: state, data: data, away: away, timers: timers[...], isSaved: true))
        machine.recall(version: version, since: since, isFrozen: isFrozen, isHalted: isHalted)
        try machine.restore(SavedEvents(waiting: waiting, sent: sent))
        return machine
    }
}

extension AnyMachine {
    /// The parameters that it was begun with, as NEW takes them; nil if none are known.
    package final var beginning: JSON? {
        contextText.flatMap { try? JSON(parsing: $0) }.map { ["context": $0] }
    }

    /// What begins a session where it is, as NEW takes it. For people, where a flow from a file enters its states in its own way.
    package final var beginningHere: JSON {
        let data = kind.origin == nil ? try? stateData() : try? shownData()
        let context = contextText.flatMap { try? JSON(parsing: $0) }.map { [JSON.Member("context", $0)] } ?? []
        return .object(context + [.init("state", .string(stateName)), .init("data", data ?? .object([]))])
    }

    /// Whether something waits, or works, for it: then it has to be released to end that.
    package final var hasWaiting: Bool { flags.hasExtras }

    /// Whether an event waits for an asynchronous hook, or a step is under way: then it has no image that is complete.
    package final var isBusy: Bool { phase != .idle }
}

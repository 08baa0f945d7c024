// What a host implements to observe all its machines.

import Memory
import Timers

/// Observes the machines of some kinds.
open class MachineWatcher {
    /// The payload of the event being handled, until it is taken.
    @usableFromInline @exclusivity(unchecked) final var pending: PendingPayload?
    /// Whether the event being handled has a payload.
    @inlinable public final var hasPendingPayload: Bool { pending != nil }
    /// Bytes of all waiting events' payloads.
    public final var waitingBytes = 0
    /// The limit of `waitingBytes`.
    public final var maxWaitingBytes = Int.max

    /// The kinds that refer to this watcher without retaining it.
    private final var watched: [FlowKind] = []

    /// Watches nothing until it is set on a kind.
    public init() {}

    deinit {
        for kind in watched { kind.stopTelling(self) }
    }

    final func remember(_ kind: FlowKind) {
        if !watched.contains(where: { $0 === kind }) { watched.append(kind) }
    }

    final func forget(_ kind: FlowKind) { watched.removeAll { $0 === kind } }

    /// Called for everything that happens to a session, except for refusals that `send` throws: its caller has those noted.
    open func record(_ entry: borrowing HistoryEntry, of machine: AnyMachine) {}

    /// Called when only the waiting events have changed.
    open func recordImage(of machine: AnyMachine) {}

    /// Called once a step is noted, with what it asks of others. In the middle of the step, so nothing is sent to any machine yet. What is
    /// done is taken out of it; what stays in it is saved with the state.
    open func collect(_ outgoing: Outbox, from machine: AnyMachine) {}

    /// Whether events that sessions send each other are being handled: they come from nobody outside.
    public final var isRunningEffects = false

    /// The session's name; empty if it has none.
    open func name(of machine: AnyMachine) -> String { "" }

    /// Returns the actor's name, or nil for `ActorNumber.none`.
    open func name(of actor: ActorNumber) -> String? { nil }

    /// Returns the number of a stored actor or of a session.
    open func actor(named name: String) -> ActorNumber { .none }

    /// The name of the session that has begun it; nil if none has.
    open func parent(of machine: AnyMachine) -> String? { nil }
}

extension Borrowed<MachineWatcher> {
    /// Calls `note` without retaining the watcher.
    @inlinable func record(_ machine: AnyMachine, _ entry: borrowing HistoryEntry) {
        with { $0.record(entry, of: machine) }
    }
}

// Who is told of what happens to machines: one for all sessions of a host.

import Timers

/// Is told of all that happens to the machines of some kinds.
open class MachineWatcher {
    /// What came with the event that is being handled, until it is taken.
    @usableFromInline @exclusivity(unchecked) final var pending: PendingPayload?
    /// Whether anything came with the event that is being handled.
    @inlinable public final var hasPendingPayload: Bool { pending != nil }
    /// How many bytes came with all events that wait, and how many may.
    @exclusivity(unchecked) public final var waitingBytes = 0
    @exclusivity(unchecked) public final var mostWaitingBytes = Int.max

    /// The kinds that refer to this watcher and do not hold it.
    private final var watched: [FlowKind] = []

    public init() {}

    deinit {
        for kind in watched { kind.stopTelling(self) }
    }

    final func remember(_ kind: FlowKind) {
        if !watched.contains(where: { $0 === kind }) { watched.append(kind) }
    }

    /// Something has happened to a session.
    open func note(_ machine: AnyMachine, _ occurrence: consuming Occurrence) {}

    /// What has yet to be handled has changed, and nothing else.
    open func keep(_ machine: AnyMachine) {}

    /// What people call the session; empty if nobody does.
    open func name(of machine: AnyMachine) -> String { "" }
}

extension Borrowed<MachineWatcher> {
    /// Tells it without counting that somebody refers to it.
    @inlinable @inline(__always)
    func note(_ machine: AnyMachine, _ occurrence: Occurrence) {
        with { $0.note(machine, occurrence) }
    }
}

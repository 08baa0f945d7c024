// What a machine asks of others, and where the event that it handles came from.

import Timers

extension Machine {
    /// Hands over what the step has asked for, once it is noted.
    @usableFromInline func flushOutbox() {
        guard let watcher = kind.watcher, let outgoing = flow.outbox(of: state), !outgoing.isEmpty else { return }
        watcher.with { $0.collect(outgoing, from: self) }
    }
}

extension FlowClock {
    /// Where the event came from that the session handles; nil outside of a machine.
    package var handledSource: EventSource? { (session.host as? AnyMachine)?.kind.handledSource }
}

// All sandboxes of a daemon: few, and none for long.

import GameFlow
import RESP
import Timers

/// Of the daemon's thread.
package final class Sandboxes {
    private struct Entry {
        let sandbox: Sandbox
        var used: Instant
    }

    /// Sandboxes at a time: the one that was used least recently makes room for another.
    package static let most = 16
    /// One that nobody uses for so long is dropped.
    package static let patience = Duration.seconds(30 * 60)

    private let clock: any TimeSource
    /// By their ids; the one that was used last stands last in `order`.
    private var entries: [String: Entry] = [:]
    private var order: [String] = []

    /// On the machine's own time, whatever time the daemon's sessions have.
    package init(on clock: any TimeSource = SystemClock()) {
        self.clock = clock
    }

    package var count: Int { entries.count }

    /// Makes one. See `Sandbox.init`.
    package func make(_ flow: FlowKind, of flows: [FlowKind], context: JSON? = nil) throws(CommandError) -> Sandbox {
        let sandbox = try Sandbox(flow: flow, flows: flows, context: context)
        sweep()
        while count >= Self.most, let oldest = order.first { drop(oldest) }
        entries[sandbox.id] = Entry(sandbox: sandbox, used: clock.now)
        order.append(sandbox.id)
        return sandbox
    }

    /// The one with this id, which counts as a use of it.
    package func find(_ id: String) throws(CommandError) -> Sandbox {
        sweep()
        guard let sandbox = entries[id]?.sandbox else {
            throw CommandError(
                .noSession,
                "there is no such sandbox any more: \(Self.most) are kept at most, for 30 minutes after their last use")
        }
        entries[id]?.used = clock.now
        order.removeAll { $0 == id }
        order.append(id)
        return sandbox
    }

    /// False if there is none.
    @discardableResult
    package func drop(_ id: String) -> Bool {
        order.removeAll { $0 == id }
        return entries.removeValue(forKey: id) != nil
    }

    /// Drops those that nobody uses any more.
    package func sweep() {
        let now = clock.now
        while let oldest = order.first, let used = entries[oldest]?.used, used.duration(to: now) >= Self.patience {
            drop(oldest)
        }
    }
}

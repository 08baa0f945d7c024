// All sandboxes of a daemon: few, and none for long.

import Commands
import GameFlow
import RESP
import Timers

/// Gives sandboxes their turns.
package protocol SandboxesDelegate: AnyObject {
    /// There is something to walk in a later turn.
    func sandboxesWait()
}

/// Of the daemon's thread.
package final class Sandboxes {
    private struct Entry {
        let sandbox: Sandbox
        let consumer: Consumer
        var used: Instant
    }

    private struct Walk {
        let sandbox: Sandbox
        let isWanted: () -> Bool
        let then: (CommandError?) -> Void
    }

    /// Sandboxes at a time: the one that was used least recently makes room for another.
    package static let max = 16
    /// A sandbox without use for this long is dropped.
    package static let patience = Duration.seconds(30 * 60)

    private let clock: any TimeSource
    /// By their ids; the one that was used last stands last in `order`.
    private var entries: [String: Entry] = [:]
    private var order: [String] = []
    /// Those that walk, each in its turn.
    private var walking: [Walk] = []
    private let slice = SandboxSlice()
    /// Owns them. A weak reference would make each retain of it slower.
    package unowned var delegate: (any SandboxesDelegate)?

    /// Runs on the machine's own time, even if the daemon's sessions are in virtual time.
    package init(on clock: any TimeSource = SystemClock()) {
        self.clock = clock
    }

    package var count: Int { entries.count }

    /// Makes one. See `Sandbox.init`. Where there are too many, one that the same consumer has not used for longest makes room if it has
    /// more than its share, and otherwise one of another.
    package func make(
        _ flow: FlowKind, of flows: [FlowKind], context: JSON? = nil, state: String? = nil, data: JSON? = nil,
        for consumer: Consumer = .privileged, _ limits: Limits = Limits()
    ) throws(CommandError) -> Sandbox {
        let sandbox = try Sandbox(flow: flow, flows: flows, context: context, state: state, data: data, within: slice)
        sweep()
        entries[sandbox.id] = Entry(sandbox: sandbox, consumer: consumer, used: clock.now)
        order.append(sandbox.id)
        if count > Self.max { makeRoom(limits) }
        return sandbox
    }

    private func makeRoom(_ limits: Limits) {
        let uses = order.compactMap { entries[$0]?.consumer }.map { (consumer: $0, amount: 1) }
        var displacement = Displacement(uses, of: .sandboxes, Self.max, limits)
        while count > Self.max, let index = displacement.pop() { drop(order[index]) }
    }

    // MARK: Walking

    /// The turn of the loop is over.
    package func endTurn() { slice.renew() }

    /// Time that sandboxes have used in this turn.
    package var used: Duration { slice.used }

    /// Walks the sandbox in later turns, in which all sandboxes share one slice. Calls `then` once it has arrived, or cannot go on. Stops the walk
    /// once `isWanted` returns false.
    package func walk(
        _ sandbox: Sandbox, while isWanted: @escaping () -> Bool = { true }, then: @escaping (CommandError?) -> Void
    ) {
        walking.append(Walk(sandbox: sandbox, isWanted: isWanted, then: then))
        if walking.count == 1 { delegate?.sandboxesWait() }
    }

    /// Walks the next one for the rest of this turn's slice.
    package func step() {
        guard !walking.isEmpty else { return }
        let walk = walking.removeFirst()
        do throws(CommandError) {
            if walk.isWanted(), try walk.sandbox.step() { walking.append(walk) } else { walk.then(nil) }
        } catch {
            walk.then(error)
        }
        if !walking.isEmpty { delegate?.sandboxesWait() }
    }

    /// The one with this id, which counts as a use of it.
    package func find(_ id: String) throws(CommandError) -> Sandbox {
        sweep()
        guard let sandbox = entries[id]?.sandbox else {
            throw CommandError(
                .noSession,
                "there is no such sandbox any more: \(Self.max) are kept at most, for 30 minutes after their last use")
        }
        entries[id]?.used = clock.now
        order.removeAll { $0 == id }
        order.append(id)
        return sandbox
    }

    /// Returns false if there is no such sandbox.
    @discardableResult
    package func drop(_ id: String) -> Bool {
        order.removeAll { $0 == id }
        return entries.removeValue(forKey: id) != nil
    }

    /// Drops sandboxes that have been unused for `patience`.
    package func sweep() {
        let now = clock.now
        while let oldest = order.first, let used = entries[oldest]?.used, used.duration(to: now) >= Self.patience {
            drop(oldest)
        }
    }
}

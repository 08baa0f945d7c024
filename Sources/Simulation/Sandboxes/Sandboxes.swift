// All sandboxes of a daemon: few, and none for long.

import Commands
import GameFlow
import RESP

/// Gives sandboxes their turns.
package protocol SandboxesDelegate: AnyObject {
    /// There is something to walk in a later turn.
    func sandboxesWait()
}

/// Used on the loop's thread only.
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
    package static let timeout = Duration.seconds(30 * 60)

    private let clock: any TimeSource
    /// The one that was used last stands last.
    private var entries: [Entry] = []
    /// Those that walk, each in its turn.
    private var walking: [Walk] = []
    private let slice = SandboxSlice()
    /// It owns this object. A weak reference would make each retain of the delegate slower.
    package unowned var delegate: (any SandboxesDelegate)?

    /// Runs on the machine's own time, even if the daemon's sessions are in virtual time.
    package init(on clock: any TimeSource = SystemClock()) {
        self.clock = clock
    }

    package var count: Int { entries.count }

    /// Makes one. See `Sandbox.init`. Beyond `max`, the least recently used one is dropped: of this consumer if it has more than its share, and
    /// otherwise of another.
    package func make(
        _ flow: FlowKind, of flows: [FlowKind], context: JSON? = nil, state: String? = nil, data: JSON? = nil,
        for consumer: Consumer = .privileged, _ limits: Limits = Limits()
    ) throws(CommandError) -> Sandbox {
        let sandbox = try Sandbox(flow: flow, flows: flows, context: context, state: state, data: data, within: slice)
        sweep()
        entries.append(Entry(sandbox: sandbox, consumer: consumer, used: clock.now))
        if count > Self.max { makeRoom(limits) }
        return sandbox
    }

    private func makeRoom(_ limits: Limits) {
        let uses = entries.map { (consumer: $0.consumer, amount: 1) }
        var displacement = Displacement(uses, of: .sandboxes, Self.max, limits)
        while count > Self.max, let index = displacement.pop() { entries.remove(at: index) }
    }

    // MARK: Walking

    /// The turn of the loop is over.
    package func endTurn() { slice.renew() }

    /// Time that sandboxes have used in this turn.
    package var used: Duration { slice.used }

    /// Walks the sandbox in later turns, in which all sandboxes share one slice. Calls `then` once it has arrived, or cannot go on. Stops the walk
    /// once `isWanted` returns false for all calls with this sandbox.
    package func walk(
        _ sandbox: Sandbox, while isWanted: @escaping () -> Bool = { true }, then: @escaping (CommandError?) -> Void
    ) {
        walking.append(Walk(sandbox: sandbox, isWanted: isWanted, then: then))
        if walking.count == 1 { delegate?.sandboxesWait() }
    }

    /// Walks the next one for the rest of this turn's slice.
    package func step() {
        guard !walking.isEmpty else { return }
        let walk = walking[0]
        let isWanted = walking.contains { $0.sandbox === walk.sandbox && $0.isWanted() }
        walking.removeFirst()
        if !isWanted { walk.sandbox.stop() }
        do throws(CommandError) {
            if try walk.sandbox.step() { walking.append(walk) } else { walk.then(nil) }
        } catch {
            walk.then(error)
        }
        if !walking.isEmpty { delegate?.sandboxesWait() }
    }

    /// The one with this id, which counts as a use of it.
    package func find(_ id: String) throws(CommandError) -> Sandbox {
        sweep()
        guard let index = entries.firstIndex(where: { $0.sandbox.id == id }) else {
            throw CommandError(
                .noSession,
                "the sandbox no longer exists: at most \(Self.max) are kept, for 30 minutes after their last use")
        }
        var entry = entries.remove(at: index)
        entry.used = clock.now
        entries.append(entry)
        return entry.sandbox
    }

    /// Returns false if there is no such sandbox.
    @discardableResult
    package func drop(_ id: String) -> Bool {
        let before = count
        entries.removeAll { $0.sandbox.id == id }
        return count < before
    }

    /// Drops sandboxes that have been unused for `timeout`.
    package func sweep() {
        let now = clock.now
        entries.removeAll { $0.used.duration(to: now) >= Self.timeout }
    }
}

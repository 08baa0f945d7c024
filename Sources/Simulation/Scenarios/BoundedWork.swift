// The hooks and work of a scenario's flows, which must come to rest before time goes on.

import Commands
import GameFlow

/// Runs hooks and work on demand. Work that never waits is given up.
final class BoundedWork {
    /// More jobs than any work has in one instant.
    private static let maxJobs = 200_000

    static let complaint =
        "the flow's work never rests: it must wait for something, and end once Task.isCancelled"

    let executor = ManualExecutor()
    private(set) var isEndless = false

    /// Runs what can be run in this instant, and returns the number of jobs.
    @discardableResult
    func run() -> Int {
        if isEndless { return 0 }
        let count = executor.run(atMost: Self.maxJobs)
        isEndless = count == Self.maxJobs
        return count
    }
}

extension BoundedWork: VirtualTimeObserver {
    func virtualTimeDidStop() { _ = run() }
}

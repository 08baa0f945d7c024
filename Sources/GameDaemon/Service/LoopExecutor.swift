// Runs asynchronous hooks and orchestrators on the loop's thread, in its turns.

import EventLoop
import GameFlow

/// An executor that runs its jobs on the loop's thread, regardless of the thread that enqueues them.
package final class LoopExecutor {
    /// The executor that flows are given.
    package let tasks: ManualExecutor
    private let watch: WakerWatch

    /// Jobs in one turn, so that tasks that start tasks do not starve input.
    private static let maxPerTurn = 250

    package init(on loop: Loop) throws(LoopFailure) {
        let waker = try Waker()
        let tasks = ManualExecutor { waker.wake() }
        self.tasks = tasks
        watch = try WakerWatch(waker, on: loop) {
            // The rest needs another wake-up.
            if tasks.run(atMost: Self.maxPerTurn) == Self.maxPerTurn { waker.wake() }
        }
    }
}

// Where asynchronous hooks and orchestrators run: on the loop, in turns of it, with no second thread.

import GameFlow

/// An executor whose jobs run on the loop's thread, whichever thread they come from.
package final class LoopExecutor {
    /// What a kind of flow is given.
    package let tasks: ManualExecutor
    private let watch: WakerWatch

    /// How many jobs run in one turn, so that input is not kept waiting by tasks that bring about tasks.
    private static let mostPerTurn = 1_000

    package init(on loop: Loop) throws(LoopFailure) {
        let waker = try Waker()
        let tasks = ManualExecutor { waker.wake() }
        self.tasks = tasks
        watch = try WakerWatch(waker, on: loop) {
            // What is left has to be asked for again: its wake-up has been used up.
            if tasks.run(atMost: Self.mostPerTurn) == Self.mostPerTurn { waker.wake() }
        }
    }
}

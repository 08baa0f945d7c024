// Work that can block, such as a look-up or the reading of files: it runs on other threads, and the loop's thread gets the result.

import Dispatch
import Synchronization

package final class LoopWork<Value: Sendable> {
    private final class Results: Sendable {
        let finished = Mutex<[(number: Int, value: Value)]>([])
    }

    private let queue: DispatchQueue
    private let results = Results()
    private var watch: WakerWatch?
    /// By the number of the work. They never leave the loop's thread.
    private var waiting: [Int: (Value) -> Void] = [:]
    private var count = 0

    package init(on loop: Loop, _ queue: DispatchQueue) throws(LoopFailure) {
        self.queue = queue
        watch = try WakerWatch(Waker(), on: loop) { [unowned self] in deliver() }
    }

    /// Runs `work` on the queue. `onDone` is called with its result in a later turn.
    package func run(_ work: @escaping @Sendable () -> Value, onDone: @escaping (Value) -> Void) {
        guard let waker = watch?.waker else { return }
        count += 1
        waiting[count] = onDone
        queue.async { [results, count] in
            let value = work()
            results.finished.withLock { $0.append((count, value)) }
            waker.wake()
        }
    }

    private func deliver() {
        for (number, value) in results.finished.withLock({ exchange(&$0, with: []) }) {
            waiting.removeValue(forKey: number)?(value)
        }
    }
}

// An executor that runs nothing by itself: for tests, and for whoever has a loop of their own.

import Synchronization

/// Collects jobs, from any thread, until somebody runs them.
public final class ManualExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let whenEnqueued: @Sendable () -> Void

    /// `whenEnqueued` is called, on any thread, whenever there is something to run.
    public init(whenEnqueued: @escaping @Sendable () -> Void = {}) {
        self.whenEnqueued = whenEnqueued
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        whenEnqueued()
    }

    /// Runs everything that there is to run, with what that brings about, on the caller's thread. Says how much it was.
    @discardableResult
    public func run(atMost limit: Int = .max) -> Int {
        var count = 0
        while count < limit, let job = next() {
            job.runSynchronously(on: asUnownedTaskExecutor())
            count += 1
        }
        return count
    }

    private func next() -> UnownedJob? {
        jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

// An executor that runs nothing by itself: for tests, and for whoever has a loop of their own.

import Synchronization

/// Collects jobs, from any thread, until somebody runs them.
public final class ManualExecutor: TaskExecutor {
    private struct Entry {
        let job: UnownedJob
        /// Who runs it, if not this.
        let runner: MachineExecutor?
    }

    private let jobs = Mutex<[Entry]>([])
    private let whenEnqueued: @Sendable () -> Void

    /// `whenEnqueued` is called, on any thread, whenever there is something to run.
    public init(whenEnqueued: @escaping @Sendable () -> Void = {}) {
        self.whenEnqueued = whenEnqueued
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(UnownedJob(job), for: nil)
    }

    func enqueue(_ job: UnownedJob, for runner: MachineExecutor?) {
        jobs.withLock { $0.append(Entry(job: job, runner: runner)) }
        whenEnqueued()
    }

    /// Runs everything that there is to run, with what that brings about, on the caller's thread. Says how much it was.
    @discardableResult
    public func run(atMost limit: Int = .max) -> Int {
        var count = 0
        while count < limit, let entry = next() {
            if let runner = entry.runner {
                runner.run(entry.job)
            } else {
                entry.job.runSynchronously(on: asUnownedTaskExecutor())
            }
            count += 1
        }
        return count
    }

    private func next() -> Entry? {
        jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

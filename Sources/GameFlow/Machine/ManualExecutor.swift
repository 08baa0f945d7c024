// An executor that runs jobs only on request, for tests and for hosts with a loop of their own.

import Synchronization

/// Collects jobs from any thread, until `run` is called.
public final class ManualExecutor: TaskExecutor {
    private struct Entry {
        let job: UnownedJob
        /// The executor to run it, if not this one.
        let runner: MachineExecutor?
    }

    /// Jobs in order. Those that have run are removed together: removing each takes as long as there are jobs.
    private struct Queue {
        var entries: [Entry] = []
        private var first = 0

        mutating func next() -> Entry? {
            guard first < entries.count else { return nil }
            let entry = entries[first]
            first += 1
            guard first * 2 >= entries.count else { return entry }
            entries.removeFirst(first)
            first = 0
            return entry
        }
    }

    private let jobs = Mutex(Queue())
    private let onEnqueued: @Sendable () -> Void

    /// `onEnqueued` is called, on any thread, when a job is enqueued.
    public init(onEnqueued: @escaping @Sendable () -> Void = {}) {
        self.onEnqueued = onEnqueued
    }

    /// Keeps the job until `run` is called.
    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(UnownedJob(job), for: nil)
    }

    func enqueue(_ job: UnownedJob, for runner: MachineExecutor?) {
        jobs.withLock { $0.entries.append(Entry(job: job, runner: runner)) }
        onEnqueued()
    }

    /// Runs all jobs, and those that they enqueue, on the caller's thread. Returns their number.
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

    private func next() -> Entry? { jobs.withLock { $0.next() } }
}

// MARK: - Runs one session's hooks and orchestrators on the kind's executor

final class MachineExecutor: TaskExecutor {
    private let base: ManualExecutor
    /// Used only where jobs run, on the machine's own thread.
    private nonisolated(unsafe) weak var machine: AnyMachine?

    init(of machine: AnyMachine, on base: ManualExecutor) {
        self.base = base
        self.machine = machine
    }

    func enqueue(_ job: consuming ExecutorJob) { base.enqueue(UnownedJob(job), for: self) }

    func run(_ job: UnownedJob) {
        guard let machine else { return job.runSynchronously(on: asUnownedTaskExecutor()) }
        machine.withFlightMark(.work) { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

extension Machine {
    /// The kind's executor itself, if no flight record is kept.
    var executor: (any TaskExecutor)? {
        guard kind.flight != nil, let base = kind.executor as? ManualExecutor else { return kind.executor }
        return MachineExecutor(of: self, on: base)
    }
}

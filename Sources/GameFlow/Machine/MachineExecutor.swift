// Runs one session's hooks and orchestrators on the kind's executor, with the session's flight mark set.

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

// The threads that do the journal's work. A store with one connection has one worker for everything, a database one for each kind of work.

import Dispatch
import EventLoop
import Posix
import Synchronization

/// Work of one kind, done piece by piece by a worker's thread.
protocol Job: AnyObject {
    /// Does one piece, if there is one to do now.
    func step() -> JobStep

    /// Waits until the waker is woken, or so long at most. Only a worker's first job is asked.
    func wait(on waker: Waker, atMost milliseconds: Int32)

    /// Does what must be done before the worker ends.
    func end()
}

extension Job {
    func wait(on waker: Waker, atMost milliseconds: Int32) { waker.wait(atMost: milliseconds) }
}

enum JobStep {
    case worked
    /// Nothing to do until the worker is woken, or until this time of the boot clock.
    case idle(until: Int64?)
}

/// A thread that does the work of several jobs, the most urgent first.
final class Worker: Sendable {
    let waker: Waker
    private let queue: DispatchQueue
    private let isClosing = Atomic(false)
    /// Whether nothing is to be done before the end.
    private let isAbandoned = Atomic(false)
    // Set before the thread begins, and cleared after its end.
    private nonisolated(unsafe) var jobs: [any Job] = []

    init(named name: String, qos: DispatchQoS = .userInitiated) throws(LoopFailure) {
        waker = try Waker()
        queue = DispatchQueue(label: name, qos: qos)
    }

    /// Begins. Earlier jobs are more urgent.
    func start(_ jobs: [any Job]) {
        self.jobs = jobs
        queue.async { self.run() }
    }

    func wake() { waker.wake() }

    var isEnding: Bool { isClosing.load(ordering: .acquiring) }

    /// Returns once all jobs have ended. After `timeout`, `cancel` is called until they have: it ends their waits for the store.
    static func finish(
        _ workers: [Worker], within timeout: DispatchTimeInterval? = nil, orCancel cancel: () -> Void = {}
    ) {
        let deadline = timeout.map { DispatchTime.now() + $0 } ?? .distantFuture
        for worker in workers { worker.close() }
        for worker in workers { worker.waitForEnd(until: deadline, orCancel: cancel) }
    }

    /// Ends it as soon as the piece under way is done, as a crash would.
    func abandon() {
        isAbandoned.store(true, ordering: .releasing)
        close()
    }

    private func close() {
        isClosing.store(true, ordering: .releasing)
        waker.wake()
    }

    private func waitForEnd(until deadline: DispatchTime, orCancel cancel: () -> Void) {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        while done.wait(timeout: deadline) == .timedOut {
            cancel()
            waker.wake()
            if done.wait(timeout: .now() + Self.cancelAgainAfter) == .success { break }
        }
        // Jobs refer to their worker.
        jobs = []
    }

    private static let cancelAgainAfter = DispatchTimeInterval.milliseconds(100)

    // MARK: On the thread

    private func run() {
        while !isEnding {
            let next = work()
            if !isEnding { jobs.first?.wait(on: waker, atMost: Self.milliseconds(until: next)) }
        }
        // Jobs refer to their worker.
        guard !isAbandoned.load(ordering: .acquiring) else { return jobs = [] }
        for job in jobs { job.end() }
    }

    /// Works until no job has anything to do, and returns when one may have something again.
    private func work() -> Int64? {
        var (index, next): (Int, Int64?) = (0, nil)
        while index < jobs.count, !isEnding {
            switch jobs[index].step() {
            case .worked: (index, next) = (0, nil)
            case .idle(let until):
                next = [next, until].compactMap { $0 }.min()
                index += 1
            }
        }
        return next
    }

    /// Rounded up, so that the time has come by then.
    private static func milliseconds(until time: Int64?) -> Int32 {
        guard let time else { return -1 }
        return Int32(clamping: max(0, (time - now() + 999_999) / 1_000_000))
    }

    static func now() -> Int64 { TurnClock.bootNanoseconds }
}

// MARK: - Wakes the loop when a worker has a report for it. A plain commit needs only the end of the turn, so it is a separate case.

final class WorkerEvents: Sendable {
    let waker: Waker
    private let hasOther = Atomic(false)

    init() throws(LoopFailure) { waker = try Waker() }

    func notify(_ event: WriterEvent = .other) {
        if event == .other { hasOther.store(true, ordering: .releasing) }
        waker.wake()
    }

    /// Whether there is more than commits, since the last call.
    func consumeFlag() -> Bool { hasOther.exchange(false, ordering: .acquiringAndReleasing) }
}

/// The reason of a call of `onReport`.
enum WriterEvent: Sendable {
    /// A commit has happened, and nothing else needs the loop.
    case committed
    case other
}

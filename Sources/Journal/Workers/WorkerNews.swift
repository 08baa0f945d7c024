// Wakes the loop when a worker has a report for it. A plain commit needs only the end of the turn, so it is a separate case.

import EventLoop
import Synchronization

final class WorkerNews: Sendable {
    let waker: Waker
    private let hasOther = Atomic(false)

    init() throws(LoopFailure) { waker = try Waker() }

    func notify(_ news: WriterNews = .other) {
        if news == .other { hasOther.store(true, ordering: .releasing) }
        waker.wake()
    }

    /// Whether there is more than commits, since the last call.
    func consumeFlag() -> Bool { hasOther.exchange(false, ordering: .acquiringAndReleasing) }
}

/// The reason of a call of `onReport`.
enum WriterNews: Sendable {
    /// A commit has happened, and nothing else needs the loop.
    case committed
    case other
}

// One reading of a shard: parts that a worker reads and the loop restores, of which only a few exist at a time.

import Dispatch
import Sessions
import Store
import Synchronization

final class ShardLoad: Sendable {
    enum Part: Sendable {
        /// A log message about work done before the first read.
        case news(String)
        case summary(ShardSummary)
        case sessions(StoredSessions)
        case lines([StoredEntry])
        case end(Ending)
        /// The rows of sessions that could not be restored are out of the way of live ones.
        case movedAside([SetAsideRow])
    }

    enum Ending: Sendable {
        /// With findings for the log.
        case complete([Finding])
        /// The shard cannot be restored here: these flows are missing.
        case lacking([String])
        /// It has another owner by now.
        case lost
        /// It is tried again, in another load. `isNews` if that was not said before.
        case failed(StoreError, isNews: Bool)
    }

    private struct Shelf {
        var parts: [Part] = []
        var isCancelled = false
    }

    /// The load was cancelled.
    struct Cancelled: Error {}

    private static let maxParts = 16

    let shard: Shard
    /// When it began, which its sessions' times are measured to.
    let moment: StoredTime
    private let shelf = Mutex(Shelf())
    private let room = DispatchSemaphore(value: ShardLoad.maxParts)
    private let onPart: @Sendable () -> Void

    /// `onPart` is called by the worker's thread when there is another part.
    init(_ shard: Shard, at moment: StoredTime, onPart: @escaping @Sendable () -> Void) {
        (self.shard, self.moment, self.onPart) = (shard, moment, onPart)
    }

    // MARK: For the loop

    /// The next part, if one has been read.
    func next() -> Part? {
        let part = shelf.withLock { $0.parts.isEmpty ? nil : $0.parts.removeFirst() }
        if part != nil { room.signal() }
        return part
    }

    /// The worker stops waiting for the loop.
    func cancel() {
        let waiting = shelf.withLock { shelf in
            shelf.isCancelled = true
            defer { shelf.parts = [] }
            return shelf.parts.count
        }
        // One more, for a part that waits for room.
        for _ in 0...waiting { room.signal() }
    }

    /// The memory that its parts take, about.
    var bytes: Int {
        shelf.withLock { shelf in
            shelf.parts.reduce(0) { if case .sessions(let sessions) = $1 { $0 + sessions.rows.size } else { $0 } }
        }
    }

    // MARK: For the worker

    /// Waits while the loop is behind.
    func send(_ part: Part) throws(Cancelled) {
        room.wait()
        let isWanted = shelf.withLock { shelf in
            if !shelf.isCancelled { shelf.parts.append(part) }
            return !shelf.isCancelled
        }
        guard isWanted else {
            room.signal()
            throw Cancelled()
        }
        onPart()
    }
}

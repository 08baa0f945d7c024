// Reads the shards that this daemon takes over, several at a time where the store has a connection for each.

import Posix
import Sessions
import Store
import Synchronization

/// The shards to be read, and those that are being read. Used by the loop and by the workers.
final class ShardReader: Sendable {
    fileprivate struct Request {
        let shard: Shard
        /// The session that is quarantined in it first.
        var quarantine: Quarantine?
        /// Not before that time of the boot clock: it could not be read.
        var notBefore: Int64 = 0
        var problem: String?
        /// How often it could not be read, each time on another connection.
        var failures = 0
    }

    private struct Inbox {
        var wanted: [Request] = []
        /// Why the last connection of each job has failed.
        var problems: [String?] = []
        /// In the order in which they began, until the loop has taken their ends.
        var loads: [ShardLoad] = []
        var moves: [(load: ShardLoad, failed: [SetAsideRow])] = []
        var flows: Set<String>?
    }

    /// Loads, and bytes of their rows, that may wait for the loop.
    private static let (maxLoads, maxBytes) = (64, 16 << 20)
    /// A shard that cannot be read is tried again after that.
    private static let retryNanoseconds: Int64 = 500_000_000
    /// More than these are no connection's fault.
    private static let maxFailures = 2

    private let clock: StoreClock
    fileprivate let historyLines: Int
    fileprivate let recent: RecentRows?
    private let onPart: @Sendable () -> Void
    private let inbox = Mutex(Inbox())
    // Set once, before anything is read. The jobs refer to their reader, which therefore doesn't refer to them.
    private nonisolated(unsafe) var workers: [Worker] = []

    /// `historyLines` are of one shard. `onPart` is called by a worker's thread when there is something to restore.
    init(_ clock: StoreClock, _ recent: RecentRows?, historyLines: Int, onPart: @escaping @Sendable () -> Void) {
        (self.clock, self.recent, self.historyLines, self.onPart) = (clock, recent, historyLines, onPart)
    }

    /// A job that reads shards, for this worker. Of several, all but the first close their connections when there is nothing to read.
    func makeJob(_ store: any Store, on worker: Worker) -> LoadJob {
        let number = workers.count
        workers.append(worker)
        inbox.withLock { $0.problems.append(nil) }
        return LoadJob(self, number, store)
    }

    // MARK: For the loop

    /// Why some shard cannot be read at the moment.
    var failure: String? {
        inbox.withLock { inbox in inbox.problems.lazy.compactMap { $0 }.first ?? inbox.wanted.lazy.compactMap(\.problem).first }
    }

    /// The flows that are hosted here: a shard with sessions of others is not for this daemon.
    func host(_ flows: Set<String>) { inbox.withLock { $0.flows = flows } }

    /// Which of these flows are still missing: some may be hosted since a load began.
    func missing(_ flows: [String]) -> [String] {
        inbox.withLock { inbox in flows.filter { inbox.flows?.contains($0) == false } }
    }

    func read(_ shard: Shard, after quarantine: Quarantine? = nil) {
        inbox.withLock { $0.wanted.append(Request(shard: shard, quarantine: quarantine)) }
        wake()
    }

    /// Cancels the load of this shard.
    func forget(_ number: Int) {
        inbox.withLock { inbox in
            inbox.wanted.removeAll { $0.shard.number == number }
            for load in inbox.loads where load.shard.number == number { load.cancel() }
            inbox.loads.removeAll { $0.shard.number == number }
            inbox.moves.removeAll { $0.load.shard.number == number }
        }
        wake()
    }

    /// The load that the loop restores parts of now.
    var current: ShardLoad? { inbox.withLock { $0.loads.first } }

    /// The loop has taken the load's last part.
    func finish(_ load: ShardLoad) {
        let isAwaited = inbox.withLock { inbox in
            inbox.loads.removeAll { $0 === load }
            return !inbox.wanted.isEmpty
        }
        if isAwaited { wake() }
    }

    /// Moves rows out of the way of live sessions; the load's next part has their new numbers.
    func moveAside(_ failed: [SetAsideRow], of load: ShardLoad) {
        inbox.withLock { $0.moves.append((load, failed)) }
        wake()
    }

    /// Stops reading.
    func cancel() {
        inbox.withLock { inbox in
            inbox.wanted = []
            for load in inbox.loads { load.cancel() }
        }
    }

    private func wake() { for worker in workers { worker.wake() } }

    // MARK: For the jobs

    fileprivate func setProblem(_ problem: String?, ofJob number: Int) { inbox.withLock { $0.problems[number] = problem } }

    fileprivate enum Task {
        case load(Request, ShardLoader, ShardLoad)
        case move(ShardLoad, [SetAsideRow])
        case none(until: Int64?)
    }

    fileprivate func nextTask() -> Task {
        let now = Worker.now()
        return inbox.withLock { inbox in
            if !inbox.moves.isEmpty {
                let move = inbox.moves.removeFirst()
                return .move(move.load, move.failed)
            }
            guard inbox.loads.count < Self.maxLoads, inbox.loads.reduce(0, { $0 + $1.bytes }) < Self.maxBytes,
                let index = inbox.wanted.firstIndex(where: { $0.notBefore <= now })
            else { return .none(until: inbox.wanted.lazy.map(\.notBefore).min().map { max($0, now) + 1 }) }
            let wanted = inbox.wanted.remove(at: index)
            let load = ShardLoad(wanted.shard, at: clock.moment, onPart: onPart)
            inbox.loads.append(load)
            let loader = ShardLoader(
                load, hosted: inbox.flows, historyLines: historyLines, recent, wanted.quarantine)
            return .load(wanted, loader, load)
        }
    }

    /// To the end of the queue: others may be read all the same. `isOwnFault` if the connection is not to blame, or there is no other.
    fileprivate func requeue(
        _ wanted: Request, _ load: ShardLoad, after error: StoreError, isOpen: Bool, mayRetry: Bool
    ) -> Bool {
        var again = wanted
        if isOpen { again.failures += 1 }
        let isOwnFault = isOpen && (error.cause == .damaged || !mayRetry || again.failures > Self.maxFailures)
        let isNew = isOwnFault && error.description != wanted.problem
        if isOwnFault { (again.notBefore, again.problem) = (Worker.now() + Self.retryNanoseconds, error.description) }
        inbox.withLock { if $0.loads.contains(where: { $0 === load }) { $0.wanted.append(again) } }
        try? load.send(.end(.failed(error, isNew: isNew)))
        return isOwnFault
    }
}

/// Reads shards on one connection.
final class LoadJob: Job, Sendable {
    private static let retryNanoseconds: Int64 = 200_000_000
    private static let idleNanoseconds: Int64 = 10_000_000_000

    private let reader: ShardReader
    private let number: Int
    private let connection: TablesConnection
    private let hasOneConnection: Bool
    // Used by the worker's thread alone.
    private nonisolated(unsafe) var notBefore: Int64 = 0
    private nonisolated(unsafe) var lastUsed: Int64 = 0

    fileprivate init(_ reader: ShardReader, _ number: Int, _ store: any Store) {
        (self.reader, self.number, hasOneConnection) = (reader, number, store.hasOneConnection)
        connection = TablesConnection(to: store)
    }

    func step() -> JobStep {
        let now = Worker.now()
        guard now >= notBefore else { return .idle(until: notBefore) }
        switch reader.nextTask() {
        case .none(let until): return .idle(until: [until, timeToClose(now)].compactMap { $0 }.min())
        case .load(let wanted, let loader, let load): read(wanted, loader, load)
        case .move(let load, let failed): move(failed, of: load)
        }
        lastUsed = Worker.now()
        return .worked
    }

    func end() { connection.close() }

    /// A whole shard: while a shard of a store with one connection is read, there is nothing to commit.
    private func read(_ wanted: ShardReader.Request, _ loader: ShardLoader, _ load: ShardLoad) {
        var (wanted, loader) = (wanted, loader)
        do {
            let ending = try loader.read(from: try connection.opened())
            reader.setProblem(nil, ofJob: number)
            try load.send(.end(ending))
        } catch is ShardLoad.Cancelled {
            // The rest of the rows is on the connection.
            connection.close()
        } catch {
            wanted.quarantine = loader.quarantine
            fail(error as? StoreError ?? StoreError(.failed, "\(error)"), wanted, load)
        }
    }

    private func fail(_ error: StoreError, _ wanted: ShardReader.Request, _ load: ShardLoad) {
        let isOwnFault = reader.requeue(wanted, load, after: error, isOpen: connection.isOpen, mayRetry: !hasOneConnection)
        connection.close()
        guard !isOwnFault else { return }
        reader.setProblem(error.description, ofJob: number)
        notBefore = Worker.now() + Self.retryNanoseconds
    }

    private func move(_ failed: [SetAsideRow], of load: ShardLoad) {
        do throws(StoreError) {
            var moved: [SetAsideRow] = []
            try connection.opened().write(load.shard, coveringLogThrough: nil) { writer throws(StoreError) in
                moved = failed
                for index in moved.indices { try moved[index].move(by: writer) }
            }
            try? load.send(.movedAside(moved))
        } catch {
            connection.close()
            try? load.send(.end(.failed(error, isNew: true)))
        }
    }

    /// When an idle connection is closed, if it is.
    private func timeToClose(_ now: Int64) -> Int64? {
        guard number > 0, connection.isOpen else { return nil }
        if now < lastUsed + Self.idleNanoseconds { return lastUsed + Self.idleNanoseconds }
        connection.close()
        return nil
    }
}

// The thread that brings the tables of a shared store up to date, shard by shard, behind what is committed.

import Dispatch
import Posix
import Sessions
import Store
import Synchronization

final class ShardTables: Sendable {
    /// What is committed of a shard, and not in the tables yet.
    fileprivate struct Waiting {
        /// Rows of its log, with their numbers.
        var rows: [(number: Int64, batches: BatchBytes)] = []
        var bytes = 0
        /// Whether the log may have rows before these that the tables lack.
        var readsLog = false
        var since: Int64
    }

    fileprivate struct Inbox {
        var waiting: [Shard: Waiting] = [:]
        var bytes = 0
        var lastAdded: Int64 = 0
    }

    /// When idle, a shard's tables follow half a second after a change; under load after five seconds, or this many bytes of all shards.
    fileprivate static let afterNanoseconds: Int64 = 500_000_000
    fileprivate static let atLastNanoseconds: Int64 = 5_000_000_000
    fileprivate static let idleNanoseconds: Int64 = 100_000_000
    fileprivate static let mostBytes = 128 << 20
    /// Whoever takes a shard over reads what its tables lack: so much of one shard is enough.
    private static let mostBytesOfShard = 32 << 20
    private static let lookAfter = DispatchTimeInterval.milliseconds(250)
    private static let retryAfter = DispatchTimeInterval.milliseconds(500)
    private static let rowsAtOnce = 2_000
    /// Shards that are looked after in one go, while others may have to wait.
    private static let maintainedAtOnce = 16

    private let thread: TablesThread
    private let historyLines: Int
    private let inbox = Mutex(Inbox())

    // Set once, before anything is added.
    nonisolated(unsafe) var whenCaughtUp: @Sendable () -> Void = {}
    // Used on the thread alone.
    private nonisolated(unsafe) var needsMaintenance: Set<Shard> = []
    /// Shards whose logs were compared with what is committed, on this connection.
    private nonisolated(unsafe) var compared: Set<Shard> = []

    init(_ store: any SharedStore, historyLines: Int) {
        thread = TablesThread(store, named: "gamed.tables", qos: .utility, retryAfter: Self.retryAfter)
        self.historyLines = historyLines
        thread.work = { [unowned self] in try work() }
    }

    /// Bytes that the tables lack.
    var backlogBytes: Int { inbox.withLock { $0.bytes } }
    /// Why the tables stay behind. Nothing is lost, but the log grows.
    var failure: String? { thread.failure }

    func add(_ batches: BatchBytes, of shard: Shard, logged number: Int64) {
        let bytes = batches.count
        inbox.withLock { inbox in
            inbox.waiting[shard, default: Waiting(since: Self.now())].rows.append((number, batches))
            inbox.waiting[shard]?.bytes += bytes
            inbox.bytes += bytes
            inbox.lastAdded = Self.now()
        }
        thread.schedule(after: Self.lookAfter)
    }

    /// The shard is another's: what is not in the tables is in its log, for whoever takes it over.
    func forget(_ shard: Shard) {
        inbox.withLock { inbox in inbox.bytes -= inbox.waiting.removeValue(forKey: shard)?.bytes ?? 0 }
    }

    /// The database has gone back in time: its tables may lack any row of the shard's log.
    func readLog(of shard: Shard) {
        forget(shard)
        inbox.withLock { $0.waiting[shard] = Waiting(readsLog: true, since: Self.now()) }
        thread.schedule(after: Self.lookAfter)
    }

    /// Does no more than what is under way. What the tables lack is in the log.
    func finish() { thread.finish() }

    // MARK: On the thread

    private func work() throws {
        while !thread.isClosing, let (shard, waiting) = nextDue() { try materialize(waiting, of: shard) }
        try maintain()
        if inbox.withLock({ !$0.waiting.isEmpty }) || !needsMaintenance.isEmpty { thread.schedule(after: Self.lookAfter) }
    }

    /// The shard of which much waits, or that has waited longest, if that is long enough or much waits of all.
    private func nextDue() -> (Shard, Waiting)? {
        inbox.withLock { inbox in
            let large = inbox.waiting.first { $0.value.bytes > Self.mostBytesOfShard }
            guard let (shard, waiting) = large ?? inbox.waiting.min(by: { $0.value.since < $1.value.since }) else { return nil }
            guard large != nil || inbox.isDue(waiting, Self.now()) else { return nil }
            inbox.waiting[shard] = nil
            return (shard, waiting)
        }
    }

    private func materialize(_ waiting: Waiting, of shard: Shard) throws {
        do {
            if !thread.isOpen { compared = [] }
            let tables = try thread.opened()
            try compare(waiting, of: shard, in: tables)
            let materializer = Materializer(.name, rowsAtOnce: Self.rowsAtOnce, historyLines: historyLines) {
                (covered, write) throws(StoreError) in try tables.materialize(shard, coveringLogThrough: covered, write)
            }
            var last: Int64 = 0
            if waiting.readsLog {
                try tables.loadLog(shard) { number, bytes in
                    try bytes.forEachBatch { materializer.add($0, logged: number) }
                    last = number
                }
            }
            for row in waiting.rows where row.number > last {
                try row.batches.bytes.forEachBatch { materializer.add($0, logged: row.number) }
            }
            while !materializer.isDone { try materializer.step() }
            needsMaintenance.insert(shard)
        } catch let error as StoreError where error.cause == .lost {
            needsMaintenance.remove(shard)
        } catch {
            return try putBack(waiting, of: shard, after: error)
        }
        inbox.withLock { $0.bytes -= waiting.bytes }
        whenCaughtUp()
    }

    /// A database that has gone back in time closes its connections. What its log lacks is written there first: the tables would hide it.
    private func compare(_ waiting: Waiting, of shard: Shard, in tables: any SharedTables) throws(StoreError) {
        guard compared.insert(shard).inserted, let last = try tables.lastLogged(in: shard) else { return }
        guard last >= waiting.rows.lazy.map(\.number).max() ?? 0 else {
            throw StoreError(.failed, "the database has gone back in time: the log of shard \(shard.number) lacks rows")
        }
    }

    /// Rows can be written again, so a round is repeated as a whole.
    private func putBack(_ waiting: Waiting, of shard: Shard, after error: any Error) throws {
        inbox.withLock { inbox in
            guard let later = inbox.waiting[shard] else { return inbox.waiting[shard] = waiting }
            inbox.waiting[shard] = Waiting(
                rows: waiting.rows + later.rows, bytes: waiting.bytes + later.bytes,
                readsLog: waiting.readsLog || later.readsLog, since: waiting.since)
        }
        throw error
    }

    private func maintain() throws {
        guard !needsMaintenance.isEmpty, nextDueIsFar else { return }
        let some = needsMaintenance.prefix(Self.maintainedAtOnce)
        try thread.opened().maintain(Array(some))
        needsMaintenance.subtract(some)
    }

    private var nextDueIsFar: Bool { inbox.withLock { $0.bytes < Self.mostBytes } }

    private static func now() -> Int64 { TurnClock.now().bootNanoseconds }
}

extension ShardTables.Inbox {
    fileprivate func isDue(_ waiting: ShardTables.Waiting, _ now: Int64) -> Bool {
        if bytes > ShardTables.mostBytes || now - waiting.since >= ShardTables.atLastNanoseconds { return true }
        return now - waiting.since >= ShardTables.afterNanoseconds && now - lastAdded >= ShardTables.idleNanoseconds
    }
}

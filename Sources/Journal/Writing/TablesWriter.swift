// Brings the tables that people read up to date, shard by shard, behind the log.

import Sessions
import Store
import Synchronization

final class TablesWriter: Job, Sendable {
    /// Rows of a shard's log that the tables lack.
    fileprivate struct Waiting {
        var rows: [(number: Int64, batches: BatchBytes)] = []
        var bytes = 0
        /// Whether the log may have rows before these that the tables lack.
        var readsLog = false
        var since: Int64
    }

    fileprivate struct Inbox {
        /// The shards of this daemon.
        var owned: Set<Shard> = []
        var waiting: [Shard: Waiting] = [:]
        var bytes = 0
        var lastAdded: Int64 = 0
        var maintenance: Set<Shard> = []
        /// Why the tables of these shards could not be written the last time.
        var failures: [Shard: String] = [:]
        /// Why the tables could not be maintained.
        var maintenanceFailure: String?

        /// The same one while several shards fail, so that it is reported once.
        var failure: String? { failures.min { $0.key.number < $1.key.number }?.value ?? maintenanceFailure }
    }

    /// A round in progress, which a failure puts back.
    private struct Pass {
        let shard: Shard
        let waiting: Waiting
        let round: TablesRound
    }

    /// The bounds of what a stop still writes, half a second of work. Counted, so that they do not depend on the machine.
    struct Ending {
        var rows = 160_000
        /// A round of more bytes is not begun.
        var bytes = 32 << 20
    }

    /// When idle, a shard's tables follow half a second after a change; under load after five seconds, or this many bytes.
    fileprivate static let delayNanoseconds: Int64 = 500_000_000
    fileprivate static let maxDelayNanoseconds: Int64 = 5_000_000_000
    fileprivate static let idleNanoseconds: Int64 = 100_000_000
    fileprivate static let maxBytes = 64 << 20
    /// A new owner reads the rows that the tables lack, so each shard has a separate bound.
    private static let maxShardBytes = 32 << 20
    private static let restNanoseconds: Int64 = 20_000_000
    private static let pollNanoseconds: Int64 = 50_000_000
    private static let retryNanoseconds: Int64 = 500_000_000
    /// Shards that are maintained in one piece, while others may have to wait.
    private static let maintainedAtOnce = 16
    /// A database is maintained that often under load, too: its rounds do not prune the history.
    private static let maintenanceNanoseconds: Int64 = 1_000_000_000

    private let store: any Store
    private let connection: TablesConnection
    private let worker: Worker
    private let historyLines: Int
    private let inbox = Mutex(Inbox())
    private let onFailure: @Sendable () -> Void

    // Set once, before anything is added.
    nonisolated(unsafe) var logWorker: Worker?
    nonisolated(unsafe) var ending = Ending()
    // Used by the worker's thread alone.
    private nonisolated(unsafe) var pass: Pass?
    /// Shards with logs that were compared with the commits, on this connection.
    private nonisolated(unsafe) var compared: Set<Shard> = []
    /// The last row of each shard's log that was written over this connection.
    private nonisolated(unsafe) var written: [Shard: Int64] = [:]
    private nonisolated(unsafe) var notBefore: Int64 = 0
    private nonisolated(unsafe) var lastMaintenance: Int64 = 0
    private nonisolated(unsafe) var reportedFailure: String?

    /// `onFailure` is called by the worker's thread when `failure` has changed.
    init(_ store: any Store, historyLines: Int, on worker: Worker, onFailure: @escaping @Sendable () -> Void) {
        (self.store, self.historyLines, self.worker, self.onFailure) = (store, historyLines, worker, onFailure)
        connection = TablesConnection(to: store)
    }

    /// Bytes that the tables lack.
    var backlogBytes: Int { inbox.withLock { $0.bytes } }
    /// Why the tables stay behind. Nothing is lost, but the log grows.
    var failure: String? { inbox.withLock { $0.failure } }

    /// From now on rows of this shard are written.
    func own(_ shard: Shard) { inbox.withLock { _ = $0.owned.insert(shard) } }

    /// Does nothing for a shard that was forgotten: the rows before this one were dropped. A round of this one would delete
    /// them from the log.
    func add(_ batches: BatchBytes, of shard: Shard, logged number: Int64) {
        let bytes = batches.count
        let isFirst = inbox.withLock { inbox in
            guard inbox.owned.contains(shard) else { return false }
            defer { inbox.lastAdded = Worker.now() }
            let isFirst = inbox.waiting.isEmpty
            inbox.waiting[shard, default: Waiting(since: Worker.now())].rows.append((number, batches))
            inbox.waiting[shard]?.bytes += bytes
            inbox.bytes += bytes
            return isFirst
        }
        if isFirst { worker.wake() }
    }

    /// The shard has another owner: that one finds in the log what the tables lack.
    func forget(_ shard: Shard) {
        inbox.withLock { inbox in
            inbox.owned.remove(shard)
            inbox.drop(shard)
        }
    }

    /// The database has gone back in time: its tables may lack any row of the shard's log.
    func readLog(of shard: Shard) {
        inbox.withLock { inbox in
            inbox.drop(shard)
            if inbox.owned.contains(shard) { inbox.waiting[shard] = Waiting(readsLog: true, since: Worker.now()) }
        }
        worker.wake()
    }

    /// There may be work in the shard that can wait until the store is idle.
    func maintain(_ shard: Shard) {
        inbox.withLock { _ = $0.maintenance.insert(shard) }
        worker.wake()
    }

    // MARK: The job

    func step() -> JobStep {
        let now = Worker.now()
        guard now >= notBefore else { return .idle(until: notBefore) }
        do {
            let hasWorked = try step(at: now)
            // A round that has begun has written nothing yet.
            if pass == nil, hasWorked || !hasWork { inbox.withLock { $0.maintenanceFailure = nil } }
            reportFailure()
            return hasWorked ? .worked : .idle(until: hasWork ? now + Self.pollNanoseconds : nil)
        } catch {
            fail(error)
            notBefore = now + Self.retryNanoseconds
            return .idle(until: notBefore)
        }
    }

    private func step(at now: Int64) throws -> Bool {
        if let pass, !mayContinue(pass, now) { return false }
        if isMaintenanceDue(now), try maintain(now) { return true }
        return try advance(at: now) || maintain(now)
    }

    /// Whether the next shards are maintained before another round.
    private func isMaintenanceDue(_ now: Int64) -> Bool {
        !store.hasOneConnection && pass == nil && now - lastMaintenance >= Self.maintenanceNanoseconds
            && inbox.withLock { $0.maintenanceFailure == nil }
    }

    /// Goes on with the round in progress, or begins the next one that is due. Whether there was one.
    private func advance(at now: Int64) throws -> Bool {
        if let pass {
            try step(pass)
            return true
        }
        guard let (shard, waiting) = nextDue(now) else { return false }
        try begin(waiting, of: shard)
        return true
    }

    private var hasWork: Bool { pass != nil || inbox.withLock { !$0.waiting.isEmpty || !$0.maintenance.isEmpty } }

    func end() {
        notBefore = 0
        do {
            var rows = ending.rows
            while rows > 0, canEnd, try advance(at: .max) { rows -= try connection.opened().rowsAtOnce }
        } catch { pass = nil }
        connection.close()
    }

    private var canEnd: Bool {
        if pass != nil { return true }
        return inbox.withLock { inbox in
            guard let next = inbox.waiting.values.min(by: { $0.since < $1.since }) else { return false }
            return next.bytes <= ending.bytes
        }
    }

    // MARK: Rounds

    /// The shard of which much waits, or that has waited longest, if that is long enough or much waits of all. After a failure,
    /// a shard waits behind those that wait already.
    private func nextDue(_ now: Int64) -> (Shard, Waiting)? {
        inbox.withLock { inbox in
            let large = inbox.waiting.first { $0.value.bytes > Self.maxShardBytes && inbox.failures[$0.key] == nil }
            guard let (shard, waiting) = large ?? inbox.waiting.min(by: { $0.value.since < $1.value.since }) else { return nil }
            guard large != nil || inbox.failures[shard] != nil || inbox.isDue(waiting, now) else { return nil }
            inbox.waiting[shard] = nil
            return (shard, waiting)
        }
    }

    /// With `always`, clients wait for a commit, and so for the piece before it where both use one connection.
    private func mayContinue(_ pass: Pass, _ now: Int64) -> Bool {
        guard store.hasOneConnection, store.durability == .always else { return true }
        return inbox.withLock { inbox in
            now - inbox.lastAdded >= Self.restNanoseconds || inbox.bytes > Self.maxBytes
                || now - pass.waiting.since >= Self.maxDelayNanoseconds
        }
    }

    private func begin(_ waiting: Waiting, of shard: Shard) throws {
        do {
            let tables = try connection.opened()
            try compare(waiting, of: shard, in: tables)
            // The log's writer has compared the log meanwhile. The tables may lack rows before these, which this round would delete.
            if isLogToBeRead(shard), !waiting.readsLog { return requeue(waiting, of: shard) }
            var (batches, last) = waiting.readsLog ? try tables.loadBatches(of: shard) : ([], 0)
            // A round that read the log may have been ahead of the commits reported here.
            last = max(last, written[shard] ?? 0)
            for row in waiting.rows where row.number > last {
                batches += try row.batches.batches()
                last = row.number
            }
            let newest = try tables.newestEntry(in: shard)
            // A log without rows says nothing about how far the tables reach.
            guard !batches.isEmpty else { return didWrite(waiting, of: shard) }
            pass = Pass(
                shard: shard, waiting: waiting,
                round: TablesRound(batches, loggedThrough: last, after: newest, historyLines: historyLines))
        } catch {
            requeue(waiting, of: shard, after: error)
            throw error
        }
    }

    private func step(_ pass: Pass) throws {
        do {
            guard try pass.round.step(pass.shard, connection.opened()) else { return }
            written[pass.shard] = pass.round.lastLogged
            forgetFormerShards()
            inbox.withLock { _ = $0.maintenance.insert(pass.shard) }
        } catch let error as StoreError where error.cause == .lost {
            inbox.withLock { _ = $0.maintenance.remove(pass.shard) }
        }
        self.pass = nil
        didWrite(pass.waiting, of: pass.shard)
    }

    private func didWrite(_ waiting: Waiting, of shard: Shard) {
        inbox.withLock { inbox in
            inbox.bytes -= waiting.bytes
            inbox.failures[shard] = nil
        }
        logWorker?.wake()
    }

    /// Shards move between nodes, and an epoch that was passed does not return.
    private func forgetFormerShards() {
        let owned = inbox.withLock { $0.owned }
        guard written.count > 2 * owned.count else { return }
        written = written.filter { owned.contains($0.key) }
        compared.formIntersection(owned)
    }

    /// A database that has gone back in time closes its connections. Commits that its log lacks are written there first: the tables would
    /// hide them.
    private func compare(_ waiting: Waiting, of shard: Shard, in tables: any StoreTables) throws(StoreError) {
        guard compared.insert(shard).inserted, let last = try tables.lastLogged(in: shard) else { return }
        guard last >= waiting.rows.lazy.map(\.number).max() ?? 0 else {
            throw StoreError(.failed, "the database has gone back in time: the log of shard \(shard.number) lacks rows")
        }
    }

    private func isLogToBeRead(_ shard: Shard) -> Bool { inbox.withLock { $0.waiting[shard]?.readsLog ?? false } }

    // MARK: Failures

    /// Rows can be written again, so a round is repeated as a whole.
    private func fail(_ error: any Error) {
        connection.close()
        (compared, written) = ([], [:])
        if let pass { requeue(pass.waiting, of: pass.shard, after: error) }
        pass = nil
        reportFailure()
    }

    private func reportFailure() {
        let failure = failure
        guard failure != reportedFailure else { return }
        reportedFailure = failure
        onFailure()
    }

    private func requeue(_ waiting: Waiting, of shard: Shard, after error: (any Error)? = nil) {
        inbox.withLock { inbox in
            guard inbox.owned.contains(shard) else { return inbox.bytes -= waiting.bytes }
            if let error { inbox.failures[shard] = "\(error)" }
            let later = inbox.waiting[shard]
            inbox.waiting[shard] = Waiting(
                rows: waiting.rows + (later?.rows ?? []), bytes: waiting.bytes + (later?.bytes ?? 0),
                readsLog: waiting.readsLog || later?.readsLog ?? false, since: error == nil ? waiting.since : Worker.now())
        }
    }

    // MARK: Maintenance

    /// Does one piece while the store is idle, or has not been for long. Whether there was one.
    private func maintain(_ now: Int64) throws -> Bool {
        let isDue = isMaintenanceDue(now)
        let some = inbox.withLock { inbox in
            let isIdle = now - inbox.lastAdded >= Self.restNanoseconds && inbox.bytes < Self.maxBytes
            // Each round puts its shard back: in the same order, the first ones would be maintained again and again.
            return isIdle || isDue ? Array(inbox.maintenance.shuffled().prefix(Self.maintainedAtOnce)) : []
        }
        guard !some.isEmpty else { return false }
        lastMaintenance = now
        do throws(StoreError) {
            if try !connection.opened().maintain(some) { inbox.withLock { $0.maintenance.subtract(some) } }
        } catch {
            inbox.withLock { $0.maintenanceFailure = error.description }
            throw error
        }
        return true
    }
}

extension TablesWriter.Inbox {
    fileprivate mutating func drop(_ shard: Shard) {
        bytes -= waiting.removeValue(forKey: shard)?.bytes ?? 0
        maintenance.remove(shard)
        failures[shard] = nil
    }

    fileprivate func isDue(_ waiting: TablesWriter.Waiting, _ now: Int64) -> Bool {
        if bytes > TablesWriter.maxBytes || now - waiting.since >= TablesWriter.maxDelayNanoseconds { return true }
        return now - waiting.since >= TablesWriter.delayNanoseconds && now - lastAdded >= TablesWriter.idleNanoseconds
    }
}

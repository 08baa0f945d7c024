// Commits turns to the log of the store. Where the store has a server, the next commit's bytes travel while one is in flight.

import EventLoop
import Posix
import Store
import Synchronization

/// Queues the loop's turns without blocking it.
final class LogWriter: Job, Sendable {
    /// A commit ends at this size.
    private static let maxBytes = 1 << 20
    /// Nothing more is sent while the tables are so far behind.
    private static let maxTablesBacklogBytes = 256 << 20
    private static let syncNanoseconds: Int64 = 1_000_000_000
    private static let checkNanoseconds: Int64 = 1_000_000_000
    /// From a failure to the next try; doubles.
    private static let retryNanoseconds: ClosedRange<Int64> = 50_000_000...1_000_000_000

    private let store: any Store
    private let tables: TablesWriter
    /// Nil where no database can go back in time.
    private let recent: RecentRows?
    private let worker: Worker
    private let onReport: @Sendable (WriterEvent) -> Void
    private let inbox = Mutex(Inbox())
    private let state = Mutex(WriterReport())
    private let written = Mutex(WriterCounts())

    // Set once, before anything is enqueued.
    nonisolated(unsafe) var postOffice: (any PostOffice)?
    // Used by the worker's thread alone.
    private nonisolated(unsafe) var log: (any StoreLog)?
    private nonisolated(unsafe) var underWay: [Commit] = []
    /// Commits that have not happened, and are tried again.
    private nonisolated(unsafe) var failed: [Commit] = []
    /// Commits since the start, with refused ones.
    private nonisolated(unsafe) var completed = 0
    private nonisolated(unsafe) var hasFailed = false
    private nonisolated(unsafe) var pause = retryNanoseconds.lowerBound
    private nonisolated(unsafe) var notBefore: Int64 = 0
    private nonisolated(unsafe) var lastSync: Int64 = 0
    private nonisolated(unsafe) var hasUnsynced = false
    /// The last sync has failed: a commit alone is no success.
    private nonisolated(unsafe) var mustSync = false
    /// Whether a crash of the database may have lost acknowledged commits: none of its connections was opened since and has found them.
    private nonisolated(unsafe) var isUnconfirmed = false
    /// When the store's files are checked next, while the writer is idle; never if the store has none.
    private nonisolated(unsafe) var nextCheck: Int64

    /// `onReport` is called by the worker's thread when the report has changed so that output can leave, or not.
    init(
        _ store: any Store, _ tables: TablesWriter, _ recent: RecentRows?, on worker: Worker,
        onReport: @escaping @Sendable (WriterEvent) -> Void
    ) {
        (self.store, self.tables, self.recent, self.worker, self.onReport) = (store, tables, recent, worker, onReport)
        nextCheck = store.sharing == nil ? 0 : .max
    }

    // MARK: For the loop

    var counts: WriterCounts { written.withLock { $0 } }
    var report: WriterReport { state.withLock { $0 } }
    /// Bytes that are not safe yet.
    var backlogBytes: Int { inbox.withLock { $0.bytes } }

    func enqueue(_ turn: Turn) {
        inbox.withLock { $0.enqueue(turn) }
        worker.wake()
    }

    func own(_ shard: Shard, after lastLogged: Int64) {
        recent?.own(shard, after: lastLogged)
        tables.own(shard)
        inbox.withLock { $0.numbers[shard] = lastLogged }
    }

    /// The shard's changes so far are committed, and no further ones follow.
    func disown(_ shard: Shard) { inbox.withLock { $0.numbers[shard] = nil } }

    /// Shards that were lost since the last call.
    func drainLost() -> Set<Shard> { inbox.withLock { exchange(&$0.lost, with: []) } }

    /// The shards with changes that were dropped, or are not committed at the end. Emptied when the store recovers, until the node leaves.
    var unwritten: Set<Int> { inbox.withLock { $0.unwritten } }

    /// Whether `unwritten` has shards, or the store may have lost changes that it had acknowledged.
    var lacksChanges: Bool { inbox.withLock { $0.lacksChanges } }

    /// Whether nothing is missing at the end but remaining times of `freeze` timers.
    var lacksOnlyTimers: Bool { inbox.withLock { $0.lacksTimers && !$0.lacksChanges } }

    func prepareToLeave() { inbox.withLock { $0.prepareToLeave() } }

    /// The loop has dropped changes of the shard that it had not handed over.
    func drop(_ number: Int) { inbox.withLock { _ = $0.unwritten.insert(number) } }

    /// Shards that lack changes for good, since the last call.
    func drainGaps() -> [Shard: [SavedVersion]] { inbox.withLock { exchange(&$0.gaps, with: [:]) } }

    /// Checks whether the store accepts a write; `onReport` is called when the result is known.
    func probe() {
        inbox.withLock { $0.isProbeWanted = true }
        worker.wake()
    }

    /// The answer, once: why the store takes nothing, or nil in it.
    func takeProbeAnswer() -> String?? { inbox.withLock { exchange(&$0.probeAnswer, with: nil) } }

    // MARK: The job

    func step() -> JobStep {
        let now = Worker.now()
        guard now >= notBefore else { return .idle(until: notBefore) }
        do throws(StoreError) {
            return try step(on: try opened(), now)
        } catch {
            close()
            if waiting > 0 || mustSync { fail(error) }
            answerProbe(error)
            notBefore = Worker.now() + pause
            pause = min(pause * 2, Self.retryNanoseconds.upperBound)
            return .idle(until: notBefore)
        }
    }

    private func step(on log: any StoreLog, _ now: Int64) throws(StoreError) -> JobStep {
        if mustSync || hasUnsynced && now >= lastSync + Self.syncNanoseconds { try sync(log) }
        // Commits in flight have an outcome of their own, and failed ones are sent again in any case.
        if isHeldUp, underWay.isEmpty, failed.isEmpty, waiting > 0, let failure = tables.failure {
            throw StoreError(.failed, "too many changes are not in the tables: \(failure)")
        }
        if hasFailed, failed.isEmpty, underWay.isEmpty { recover() }
        while underWay.count < log.depth, let commit = nextCommit() {
            underWay.append(commit)
            if !commit.rows.isEmpty { try log.send(commit.rows.map(\.sent)) }
        }
        if !underWay.isEmpty {
            try completeOldest(log)
            return .worked
        }
        pause = Self.retryNanoseconds.lowerBound
        if try probe(log) { return .worked }
        let growth = log.growth
        written.withLock { $0.growth = growth }
        if now >= nextCheck { checkFiles(at: now) }
        let next = min(hasUnsynced ? lastSync + Self.syncNanoseconds : .max, nextCheck)
        return .idle(until: next == .max ? nil : next)
    }

    /// A commit checks them, too. On this thread, since a network's file system may not answer.
    private func checkFiles(at now: Int64) {
        nextCheck = now + Self.checkNanoseconds
        let displacement = store.displacement
        written.withLock { $0.displacement = displacement }
    }

    func wait(on waker: Waker, atMost milliseconds: Int32) {
        guard let log, !hasFailed else { return waker.wait(atMost: milliseconds) }
        do throws(StoreError) {
            try log.wait(until: waker.descriptor, atMost: milliseconds)
            waker.clear()
        } catch {
            // An idle connection that has ended is replaced before a commit needs it.
            state.withLock { $0.isCurrent = false }
            close()
        }
    }

    /// Commits all that waits. After a failure, tries again if a commit was completed before it: a refused commit fails the one behind it. A
    /// directory is tried once more in any case: a commit that finds the disk full frees space for the next.
    func end() {
        var (before, tries) = (completed, 0)
        repeat {
            (before, notBefore, tries) = (completed, 0, tries + 1)
            while case .worked = step() {}
        } while waiting > 0 && (completed > before || recent == nil && tries == 1)
        syncLast()
        // A directory may lack what was not synced.
        let (rest, mayLackCommitted) = (underWay + failed, mayLackCommitted || recent == nil && hasUnsynced)
        inbox.withLock { inbox in
            if mayLackCommitted { inbox.lacksCommitted = true }
            inbox.dropChanges(of: rest)
            for turn in inbox.turns { inbox.dropChanges(of: turn) }
        }
        close()
    }

    /// Syncs the last commits. If a commit has failed, a database has closed the connection, and says on a new one what it lacks; a directory
    /// syncs the commits before that one.
    private func syncLast() {
        guard hasUnsynced, !hasFailed || recent == nil else { return }
        do throws(StoreError) { try sync(opened()) } catch { if !hasFailed { fail(error) } }
    }

    // MARK: The connection

    private func opened() throws(StoreError) -> any StoreLog {
        if let log { return log }
        do throws(StoreError) {
            let log = try store.openLog()
            self.log = log
            try sendAgain(on: log)
            return log
        } catch {
            // No commit was sent on this connection, so all of them can be sent on the next one.
            throw error.cause == .unknown ? StoreError(.failed, error.description) : error
        }
    }

    private func close() {
        if log != nil { state.withLock { $0.isCurrent = false } }
        log?.close()
        log = nil
    }

    // MARK: Commits

    /// Whether turns wait for the tables. If these have failed, the writer has failed, too: nothing else would end the wait.
    private var isHeldUp: Bool { !worker.isEnding && tables.backlogBytes >= Self.maxTablesBacklogBytes }

    private func nextCommit() -> Commit? {
        if !failed.isEmpty {
            var commit = failed.removeFirst()
            // The database refuses rows of lost shards. Each refusal fails the commit behind it, and costs a connection.
            inbox.withLock { inbox in commit.removeRows { inbox.numbers[$0] == nil } }
            return commit
        }
        guard !isHeldUp else { return nil }
        var commit = Commit()
        let least = underWay.last?.bytes ?? 0
        // Joins the turns without the lock, for which the loop would wait.
        for turn in inbox.withLock({ $0.drain(atLeast: least, atMost: Self.maxBytes) }) {
            commit.add(turn) { shard in inbox.withLock { $0.nextNumber(in: shard) } }
        }
        return commit.isEmpty ? nil : commit
    }

    private func completeOldest(_ log: any StoreLog) throws(StoreError) {
        guard !underWay[0].rows.isEmpty else { return complete(underWay.removeFirst(), refusedBy: []) }
        guard let refused = try log.outcome(orUntil: worker.waker.descriptor) else { return worker.waker.clear() }
        complete(underWay.removeFirst(), refusedBy: Set(refused))
    }

    private func complete(_ commit: Commit, refusedBy refused: Set<Int>) {
        let now = Worker.now()
        completed += 1
        for row in commit.rows where !refused.contains(row.shard.number) {
            tables.add(row.batches, of: row.shard, logged: row.number)
            recent?.add(row, at: now)
        }
        announceMessages(in: commit, refusedBy: refused)
        let isCurrent = !(failed + underWay).contains { $0.isAgain }
        let lost = commit.rows.map(\.shard).filter { refused.contains($0.number) }
        hasUnsynced = store.durability == .everysec
        isUnconfirmed = hasUnsynced || !isCurrent
        written.withLock { $0.count(commit.rows.count, commit.bytes, from: commit.began, to: now) }
        inbox.withLock { inbox in
            inbox.lose(lost, bytes: commit.bytes)
            inbox.recordLosses(of: commit, refusedBy: lost)
        }
        state.withLock { state in
            state.safeThrough = max(state.safeThrough, commit.lastTurn)
            if !hasUnsynced { state.lastSync = now }
            if commit.isAgain { state.isCurrent = isCurrent }
            if !lost.isEmpty || !commit.isWhole { state.lostThrough = max(state.lostThrough, commit.lastTurn) }
        }
        onReport(lost.isEmpty ? .committed : .other)
    }

    private func announceMessages(in commit: Commit, refusedBy refused: Set<Int>) {
        let rows = commit.rows.lazy.filter { !refused.contains($0.shard.number) }
        let shards = Set(rows.flatMap(\.posted).map(\.shard))
        guard !shards.isEmpty else { return }
        Failpoint.hit("after-posting")
        postOffice?.posted(to: shards)
    }

    private func sync(_ log: any StoreLog) throws(StoreError) {
        mustSync = true
        let began = Worker.now()
        try log.sync()
        (hasUnsynced, mustSync) = (false, false)
        lastSync = Worker.now()
        written.withLock { $0.syncs.count(lastSync - began) }
        state.withLock { $0.lastSync = lastSync }
    }

    // MARK: Probes

    /// Whether there was something to try.
    private func probe(_ log: any StoreLog) throws(StoreError) -> Bool {
        guard inbox.withLock({ $0.isProbeWanted }) else { return false }
        try log.probe()
        written.withLock { $0.lastWritten = Worker.now() }
        answerProbe(nil)
        return true
    }

    private func answerProbe(_ error: StoreError?) {
        if inbox.withLock({ $0.answerProbe(error) }) { onReport(.other) }
    }

    // MARK: A database that goes back in time

    /// The shards of this daemon with commits that the store has acknowledged.
    private var known: [Shard] {
        recent?.known(of: inbox.withLock(\.shards)) ?? []
    }

    /// Whether acknowledged commits may be gone at the end. A database that still answers on the connection of these commits has not crashed.
    private var mayLackCommitted: Bool {
        let shards = known
        guard isUnconfirmed, !shards.isEmpty else { return false }
        return log.flatMap { try? $0.lastLogged(in: shards) } == nil
    }

    /// The rows that the logs of this daemon's shards lack.
    private func missing(on log: any StoreLog) throws(StoreError) -> [RecentRows.Missing] {
        let shards = inbox.withLock(\.shards)
        guard let recent, !shards.isEmpty else { return [] }
        let logged = try log.lastLogged(in: shards)
        // These have a later epoch: other nodes have raised it, or own the shard. Nothing is known about their logs.
        let passed = shards.filter { logged[$0.number] == nil }
        // A commit that was given up has happened, after the one before it was sent again. These shards are loaded with its rows.
        let late = failed.flatMap(\.rows).filter { $0.number <= logged[$0.shard.number] ?? 0 }.map(\.shard)
        inbox.withLock { inbox in
            inbox.lose(passed + late, bytes: 0)
            if isUnconfirmed, !recent.known(of: passed).isEmpty { inbox.lacksCommitted = true }
        }
        if !passed.isEmpty || !late.isEmpty { onReport(.other) }
        return shards.compactMap { shard in logged[shard.number].flatMap { recent.missing(in: shard, after: $0) } }
    }

    /// Such a database closes its connections. On a new one, commits that it has lost are sent again, before anything else.
    private func sendAgain(on log: any StoreLog) throws(StoreError) {
        failed.removeAll { $0.isAgain }
        let missing = try missing(on: log)
        isUnconfirmed = !missing.isEmpty
        guard !missing.isEmpty else {
            // Released shards wait for it.
            if !state.withLock({ exchange(&$0.isCurrent, with: true) }) { onReport(.other) }
            return
        }
        for one in missing { tables.readLog(of: one.shard) }
        for one in missing where one.lost > 0 {
            let saved = try log.savedVersions(in: one.shard)
            inbox.withLock { ($0.gaps[one.shard], $0.lacksCommitted) = (saved, true) }
        }
        // A commit has one row of a shard at most.
        let most = missing.map(\.rows.count).max() ?? 0
        let commits = (0..<most).map { index in
            Commit(again: missing.compactMap { $0.rows.indices.contains(index) ? $0.rows[index] : nil })
        }
        failed = commits + failed
        state.withLock { state in
            state.isCurrent = commits.isEmpty
            state.rewritten += missing.reduce(0) { $0 + $1.rows.count }
        }
        onReport(.other)
    }

    // MARK: Failures

    /// How many commits, and turns without one, are not committed yet.
    private var waiting: Int { underWay.count + failed.count + inbox.withLock { $0.turns.count } }

    /// Retries commits that certainly failed. If the outcome is unknown, the shards of that commit and of all later ones are lost.
    private func fail(_ error: StoreError) {
        hasFailed = true
        inbox.withLock { $0.isFailing = true }
        if error.cause == .unknown {
            loseEverything()
        } else {
            failed = underWay + failed
            underWay = []
        }
        state.withLock { state in
            state.failure = error
            state.failures += 1
        }
        onReport(.other)
    }

    private func loseEverything() {
        let commits = underWay + failed
        (underWay, failed) = ([], [])
        let last = inbox.withLock { $0.loseEverything(after: commits) }
        guard last > 0 else { return }
        state.withLock { ($0.safeThrough, $0.lostThrough) = (last, last) }
    }

    /// The store commits again, and no failed commit is left. An open connection alone proves little: a full database accepts connections, too.
    private func recover() {
        hasFailed = false
        inbox.withLock { $0.recover() }
        state.withLock { $0.failure = nil }
        onReport(.other)
    }
}

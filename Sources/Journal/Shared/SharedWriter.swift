// The thread that commits a node's turns to a shared store: while one commit is under way, the next one's bytes travel.

import Dispatch
import EventLoop
import Posix
import Sessions
import Store
import Synchronization

/// The writer's progress, as the loop sees it.
struct SharedReport: Sendable {
    /// The turns up to this one are as safe as the durability asks, or given up.
    var safeThrough: UInt64 = 0
    /// Of the turns up to this one, something may be lost: what waits for them cannot be answered as it was meant.
    var givenUpThrough: UInt64 = 0
    /// Why nothing can be written at the moment.
    var failure: String?
    var failures = 0
    /// The last moment, on the boot clock, at which something was committed.
    var lastCommit: Int64?
    /// Rows that the database had acknowledged, did not have any more, and was sent again.
    var rewritten = 0
    /// Whether the database has all that it has acknowledged, as far as is known. After a connection has ended, that is to be looked at.
    var isCurrent = true
}

/// Takes turns from the loop and never makes it wait.
final class SharedWriter: Sendable {
    fileprivate struct Inbox {
        var turns: [SharedTurn] = []
        var waitingBytes = 0
        /// The same, and of what is under way.
        var bytes = 0
        var isClosing = false
        /// The shards that this node has, and the last number in the log of each.
        var numbers: [Shard: Int64] = [:]
        /// Shards of which something may not have been written, until the loop has taken note.
        var lost: Set<Shard> = []
        /// Shards whose logs lack rows that are not kept here, with the sessions that the tables have.
        var gaps: [Shard: [SavedVersion]] = [:]
    }

    /// How many commits may be under way.
    private static let depth = 2
    /// A commit ends at this size.
    private static let mostBytes = 1 << 20
    /// Nothing more is sent while the tables are so far behind.
    private static let mostBehind = 256 << 20
    /// The milliseconds from a failure to the next try, which double.
    private static let retries: ClosedRange<Int32> = 50...1_000

    private let store: any SharedStore
    private let tables: ShardTables
    private let recent: RecentRows
    private let whenReported: @Sendable () -> Void
    private let waker: Waker
    private let inbox = Mutex(Inbox())
    private let state = Mutex(SharedReport())
    private let written = Mutex(WriterCounts())
    private let queue = DispatchQueue(label: "gamed.log", qos: .userInitiated)
    /// Ends what waits on the connection.
    private let cancelling = Mutex<(@Sendable () -> Void)?>(nil)

    // Set once, before anything is taken.
    nonisolated(unsafe) var whenPosted: @Sendable (_ shards: Set<Int>) -> Void = { _ in }
    // Used on the queue alone.
    private nonisolated(unsafe) var underWay: [SharedCommit] = []
    /// Commits that have not happened, and are tried again.
    private nonisolated(unsafe) var failed: [SharedCommit] = []
    private nonisolated(unsafe) var hasFailed = false

    init(
        _ store: any SharedStore, _ tables: ShardTables, _ recent: RecentRows = RecentRows(),
        whenReported: @escaping @Sendable () -> Void
    ) throws(LoopFailure) {
        self.store = store
        self.tables = tables
        self.recent = recent
        self.whenReported = whenReported
        waker = try Waker()
        tables.whenCaughtUp = { [waker] in waker.wake() }
        queue.async { self.run() }
    }

    // MARK: For the loop

    var counts: WriterCounts { written.withLock { $0 } }
    var report: SharedReport { state.withLock { $0 } }
    /// Bytes that are not safe yet.
    var backlogBytes: Int { inbox.withLock { $0.bytes } }

    func take(_ turn: SharedTurn) {
        inbox.withLock { inbox in
            inbox.turns.append(turn)
            inbox.bytes += turn.bytes
            inbox.waitingBytes += turn.bytes
        }
        waker.wake()
    }

    func own(_ shard: Shard, after lastLogged: Int64) {
        recent.own(shard, after: lastLogged)
        inbox.withLock { $0.numbers[shard] = lastLogged }
    }

    /// The shard's changes so far are committed, and there will be no more.
    func disown(_ shard: Shard) { inbox.withLock { $0.numbers[shard] = nil } }

    /// The shards that this node has lost since it was last asked.
    func takeLost() -> Set<Shard> {
        inbox.withLock { inbox in
            defer { inbox.lost = [] }
            return inbox.lost
        }
    }

    /// Shards that lack changes for good, since it was last asked.
    func takeGaps() -> [Shard: [SavedVersion]] {
        inbox.withLock { inbox in
            defer { inbox.gaps = [:] }
            return inbox.gaps
        }
    }

    /// Returns once everything is committed, or the deadline has passed.
    func finish(within patience: DispatchTimeInterval) {
        inbox.withLock { $0.isClosing = true }
        waker.wake()
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        if done.wait(timeout: .now() + patience) == .timedOut {
            cancelling.withLock { $0?() }
            waker.wake()
        }
    }

    // MARK: On the queue

    private var isClosing: Bool { inbox.withLock { $0.isClosing } }

    private func run() {
        var pause = Self.retries.lowerBound
        repeat {
            do throws(StoreError) {
                try work { pause = Self.retries.lowerBound }
                return
            } catch {
                state.withLock { $0.isCurrent = false }
                if !isIdle { fail(error) }
                if !isClosing { waker.wait(atMost: pause) }
                pause = min(pause * 2, Self.retries.upperBound)
            }
        } while !isClosing
    }

    /// Works on one connection, until it fails or the end has come. That it is open says little while there is something that has failed: a
    /// database that is full takes connections, too.
    private func work(whenItGoes: () -> Void) throws(StoreError) {
        let log = try store.openLog()
        nonisolated(unsafe) let cancelled = log
        cancelling.withLock { $0 = { cancelled.cancel() } }
        defer {
            cancelling.withLock { $0 = nil }
            log.close()
        }
        try sendAgain(on: log)
        while true {
            if hasFailed, failed.isEmpty, underWay.isEmpty {
                whenItGoes()
                recover()
            }
            while underWay.count < Self.depth, let commit = nextCommit() {
                underWay.append(commit)
                if !commit.rows.isEmpty { try log.send(commit.rows.map(\.sent)) }
            }
            if underWay.isEmpty {
                if isClosing { return }
                // An idle connection that has ended is replaced before a commit needs it.
                try log.wait(until: waker.descriptor)
                waker.clear()
                whenItGoes()
            } else {
                try takeOutcome(log)
            }
        }
    }

    private func takeOutcome(_ log: any SharedLog) throws(StoreError) {
        let began = Self.now()
        guard !underWay[0].rows.isEmpty else { return finish(underWay.removeFirst(), refusedBy: [], from: began) }
        guard let refused = try log.outcome(orUntil: waker.descriptor) else { return waker.clear() }
        finish(underWay.removeFirst(), refusedBy: Set(refused), from: began)
    }

    private func nextCommit() -> SharedCommit? {
        if !failed.isEmpty { return failed.removeFirst() }
        guard tables.backlogBytes < Self.mostBehind else { return nil }
        var commit = SharedCommit()
        let least = underWay.last?.bytes ?? 0
        inbox.withLock { inbox in
            // Many small commits would cost more than waiting for a larger one.
            guard inbox.waitingBytes >= least else { return }
            var taken = 0
            while taken < inbox.turns.count, commit.bytes < Self.mostBytes {
                commit.add(inbox.turns[taken]) { inbox.nextNumber(in: $0) }
                taken += 1
            }
            inbox.turns.removeFirst(taken)
            inbox.waitingBytes -= commit.bytes
        }
        return commit.isEmpty ? nil : commit
    }

    private func finish(_ commit: SharedCommit, refusedBy refused: Set<Int>, from began: Int64) {
        let now = Self.now()
        for row in commit.rows where !refused.contains(row.shard.number) {
            tables.add(row.batches, of: row.shard, logged: row.number)
            recent.add(row, at: now)
        }
        tellOfMail(in: commit, refusedBy: refused)
        let isCurrent = !(failed + underWay).contains { $0.isAgain }
        let lost = commit.rows.map(\.shard).filter { refused.contains($0.number) }
        written.withLock { $0.count(commit.rows.count, commit.bytes, from: began, to: now) }
        inbox.withLock { $0.lose(lost, bytes: commit.bytes) }
        state.withLock { state in
            state.safeThrough = max(state.safeThrough, commit.lastTurn)
            state.lastCommit = now
            if commit.isAgain { state.isCurrent = isCurrent }
            if !lost.isEmpty || !commit.isWhole { state.givenUpThrough = commit.lastTurn }
        }
        whenReported()
    }

    /// A database that goes back in time closes its connections. On a new one, rows that it has lost are to be sent again, before anything else.
    private func sendAgain(on log: any SharedLog) throws(StoreError) {
        defer { state.withLock { $0.isCurrent = !failed.contains { $0.isAgain } } }
        let shards = recent.known(of: inbox.withLock { $0.numbers.keys.sorted { $0.number < $1.number } })
        guard !shards.isEmpty else { return }
        let logged = try log.lastLogged(in: shards)
        let missing = shards.compactMap { shard in logged[shard.number].flatMap { recent.missing(in: shard, after: $0) } }
        guard !missing.isEmpty else { return }
        for one in missing { tables.readLog(of: one.shard) }
        for one in missing where one.lost > 0 {
            let saved = try log.savedVersions(in: one.shard)
            inbox.withLock { $0.gaps[one.shard] = saved }
        }
        // A commit has one row of a shard at most.
        let most = missing.map(\.rows.count).max() ?? 0
        let commits = (0..<most).map { place in
            SharedCommit(again: missing.compactMap { $0.rows.indices.contains(place) ? $0.rows[place] : nil })
        }
        failed.removeAll { $0.isAgain }
        failed = commits + failed
        state.withLock { $0.rewritten += missing.reduce(0) { $0 + $1.rows.count } }
        whenReported()
    }

    private func tellOfMail(in commit: SharedCommit, refusedBy refused: Set<Int>) {
        var shards: Set<Int> = []
        for row in commit.rows where !row.posted.isEmpty && !refused.contains(row.shard.number) {
            shards.formUnion(row.posted.map(\.shard))
        }
        guard !shards.isEmpty else { return }
        Failpoint.hit("after-posting")
        whenPosted(shards)
    }

    // MARK: Failures

    /// Whether a connection that ends has held nothing up.
    private var isIdle: Bool {
        !hasFailed && underWay.isEmpty && failed.isEmpty && inbox.withLock { $0.turns.isEmpty }
    }

    /// What has certainly not happened is tried again. Of what nobody knows, and of what was to come after it, the shards are given up.
    private func fail(_ error: StoreError) {
        hasFailed = true
        if error.cause == .unknown {
            loseEverything()
        } else {
            failed = underWay + failed
            underWay = []
        }
        state.withLock { state in
            state.failure = error.description
            state.failures += 1
        }
        whenReported()
    }

    private func loseEverything() {
        let commits = underWay + failed
        (underWay, failed) = ([], [])
        var last = commits.last?.lastTurn ?? 0
        inbox.withLock { inbox in
            for commit in commits { inbox.lose(commit.rows.map(\.shard), bytes: commit.bytes) }
            for turn in inbox.turns {
                inbox.lose(turn.parts.map(\.shard), bytes: turn.bytes)
                last = turn.number
            }
            (inbox.turns, inbox.waitingBytes) = ([], 0)
        }
        guard last > 0 else { return }
        state.withLock { ($0.safeThrough, $0.givenUpThrough) = (last, last) }
    }

    /// The connection is there, and nothing is left of what has failed.
    private func recover() {
        hasFailed = false
        state.withLock { $0.failure = nil }
        whenReported()
    }

    private static func now() -> Int64 { TurnClock.now().bootNanoseconds }
}

extension SharedWriter.Inbox {
    fileprivate mutating func nextNumber(in shard: Shard) -> Int64? {
        guard let last = numbers[shard] else { return nil }
        numbers[shard] = last + 1
        return last + 1
    }

    /// A commit of so many bytes is over, and these shards are not this node's any more.
    fileprivate mutating func lose(_ shards: [Shard], bytes: Int) {
        self.bytes -= bytes
        for shard in shards where numbers.removeValue(forKey: shard) != nil { lost.insert(shard) }
    }
}

// The writer's thread: appends batches to the log as fast as the disk takes them, and materializes the tables behind.

import Dispatch
import Glibc
import Posix
import Sessions
import Store
import Synchronization
import Timers

/// The writer's progress, as the loop sees it.
struct WriterReport: Sendable {
    /// The batches up to this one are as safe as the durability asks.
    var safeThrough: UInt64 = 0
    /// Why writing fails at the moment.
    var failure: String?
    var failures = 0
    /// The last moment, on the boot clock, at which everything was on disk.
    var lastSync: Int64?
    /// Why the store's log cannot be checkpointed into its database. Nothing is lost.
    var checkpointFailure: String?
}

/// Takes batches from the loop and never makes it wait.
final class JournalWriter: Sendable {
    private struct Inbox {
        var batches: [(number: UInt64, batch: BatchBytes)] = []
        var bytes = 0
        /// Whether `work` is already queued.
        var isScheduled = false
        var isClosing = false
    }

    /// The time from a failure to the next try.
    private static let retryAfter = DispatchTimeInterval.milliseconds(200)
    /// When idle, the tables follow half a second after a change; under load after five seconds, or this many bytes.
    private static let tablesAfterNanoseconds: Int64 = 500_000_000
    private static let tablesAtLastNanoseconds: Int64 = 5_000_000_000
    private static let tablesAfterBytes = 64 << 20
    /// After this long without an append, the writer counts as idle.
    private static let restNanoseconds: Int64 = 20_000_000
    private static let syncAfterNanoseconds: Int64 = 1_000_000_000

    /// What a stop still brings into the tables, which is some half a second of work. Counted, so that it does not depend on the machine.
    struct Ending {
        /// Transactions.
        var steps = 128
        /// A round of more bytes is not begun.
        var bytes = 32 << 20
    }

    private let inbox = Mutex(Inbox())
    private let state = Mutex(WriterReport())
    let written = Mutex(WriterCounts())
    let diskAnswer = Mutex<DiskAnswer?>(nil)
    let queue = DispatchQueue(label: "gamed.journal", qos: .userInitiated)
    private let durability: Durability
    let directory: String
    let whenReported: @Sendable () -> Void
    let backup: BackupWork

    // Used on the queue alone.
    nonisolated(unsafe) var ending = Ending()
    nonisolated(unsafe) let store: any Store
    private nonisolated(unsafe) let materializer: Materializer
    private nonisolated(unsafe) var lastMaterialized: Int64 = 0
    private nonisolated(unsafe) var lastSynced: Int64 = 0
    private nonisolated(unsafe) var lastAppended: Int64 = 0
    private nonisolated(unsafe) var needsMaintenance = true
    nonisolated(unsafe) var isFinished = false
    private nonisolated(unsafe) var hasUnsynced = false
    /// Whether the last sync has failed: then appending alone is no success.
    private nonisolated(unsafe) var hasSyncFailed = false
    private nonisolated(unsafe) var willLookLater = false

    /// `whenReported` is called on the writer's thread when the report has changed in a way that output can be waiting for.
    init(_ store: any Store, historyLines: Int, whenReported: @escaping @Sendable () -> Void) {
        self.store = store
        durability = store.durability
        directory = store.directory
        materializer = Materializer(store, historyLines: historyLines)
        self.whenReported = whenReported
        backup = BackupWork(whenReported: whenReported)
    }

    var counts: WriterCounts { written.withLock { $0 } }
    var report: WriterReport { state.withLock { $0 } }
    /// Bytes not written yet.
    var backlogBytes: Int { inbox.withLock { $0.bytes } }

    func take(_ batch: BatchBytes, number: UInt64) {
        let mustSchedule = inbox.withLock { inbox in
            inbox.batches.append((number, batch))
            inbox.bytes += batch.count
            defer { inbox.isScheduled = true }
            return !inbox.isScheduled
        }
        if mustSchedule { queue.async { self.work() } }
    }

    /// Begins a copy, which includes changes made while it runs. False if a backup is already running.
    func beginBackup(to path: String) -> Bool {
        guard backup.claim(path) else { return false }
        queue.async {
            guard !self.isFinished else { return }
            self.backup.begin(of: self.store)
            self.work()
        }
        return true
    }

    /// Runs `body` on the writer's thread.
    func withStore(_ body: @escaping @Sendable (any Store) -> Void) {
        queue.async { body(self.store) }
    }

    /// Writes everything, closes the store, and returns when that is done. Under load the tables stay behind the log, which is in the same
    /// database: the next start goes on from there, as after a crash.
    func finish() throws {
        // What is under way ends after its next step.
        inbox.withLock { $0.isClosing = true }
        try queue.sync {
            isFinished = true
            backup.finish()
            try appendAll()
            var steps = ending.steps
            while steps > 0, canFinishTables {
                try materializer.step()
                steps -= 1
            }
            try store.close()
        }
    }

    private var canFinishTables: Bool {
        !materializer.isDone && (materializer.isBusy || materializer.waitingBytes <= ending.bytes)
    }

    // MARK: On the queue

    private func work() {
        inbox.withLock { $0.isScheduled = false }
        guard !isFinished else { return }
        do {
            repeat {
                try appendAll()
                try syncIfDue()
                try materializeIfDue()
                // One step only, so that a client's append waits for no more than that.
                backup.step()
                try maintainIfIdle()
            } while !isClosing && (hasWork || backup.isCopying || isIdle && needsMaintenance)
            recover()
            if !materializer.isDone || hasUnsynced || needsMaintenance {
                lookLater(after: .milliseconds(durability == .always ? 50 : 250))
            }
        } catch {
            // The copy would lack what the log lacks.
            backup.abandon(because: "\(error)")
            // A checkpoint may free space on a full disk.
            _ = try? store.maintain()
            fail("\(error)")
        }
    }

    private var isClosing: Bool { inbox.withLock { $0.isClosing } }

    private var hasWork: Bool {
        inbox.withLock { !$0.batches.isEmpty } || tablesAreDue
    }

    private var tablesAreDue: Bool {
        guard !materializer.isDone else { return false }
        let now = Self.now()
        let isLate = materializer.waitingBytes > Self.tablesAfterBytes || now - lastMaterialized >= Self.tablesAtLastNanoseconds
        if materializer.isBusy { return isLate || now - lastAppended >= Self.restNanoseconds || durability == .everysec }
        return isLate || now - lastMaterialized >= Self.tablesAfterNanoseconds && now - lastAppended >= Self.restNanoseconds
    }

    private var isIdle: Bool {
        !hasWork && Self.now() - lastAppended >= Self.restNanoseconds
    }

    /// Does one piece of the store's maintenance.
    private func maintainIfIdle() throws {
        guard needsMaintenance, isIdle else { return }
        needsMaintenance = try store.maintain()
    }

    private func materializeIfDue() throws {
        guard tablesAreDue else { return }
        try materializer.step()
        if !materializer.isBusy { lastMaterialized = Self.now() }
    }

    private func appendAll() throws {
        let batches = inbox.withLock { $0.batches }
        guard !batches.isEmpty else { return }
        let began = Self.now()
        let last = try store.append(batches.map(\.batch.bytes))
        for (offset, entry) in batches.enumerated() {
            materializer.add(entry.batch, logged: last - Int64(batches.count - 1 - offset))
        }
        hasUnsynced = true
        needsMaintenance = true
        lastAppended = Self.now()
        let bytes = batches.reduce(0) { $0 + $1.batch.count }
        written.withLock { $0.count(batches.count, bytes, from: began, to: lastAppended) }
        inbox.withLock { inbox in
            inbox.batches.removeFirst(batches.count)
            inbox.bytes -= bytes
        }
        succeed(through: batches[batches.count - 1].number)
    }

    private func syncIfDue() throws {
        guard durability == .everysec, hasUnsynced, Self.now() - lastSynced >= Self.syncAfterNanoseconds else { return }
        hasSyncFailed = true
        let began = Self.now()
        try store.sync()
        (hasUnsynced, hasSyncFailed) = (false, false)
        lastSynced = Self.now()
        written.withLock { $0.syncs.count(lastSynced - began) }
        state.withLock { $0.lastSync = lastSynced }
    }

    private func succeed(through number: UInt64) {
        state.withLock { state in
            state.safeThrough = number
            if !hasSyncFailed { state.failure = nil }
            if durability == .always { state.lastSync = lastAppended }
        }
        whenReported()
    }

    private func fail(_ sentence: String) {
        state.withLock { state in
            state.failure = sentence
            state.failures += 1
        }
        whenReported()
        if !inbox.withLock({ $0.isClosing }) { lookLater(after: Self.retryAfter) }
    }

    /// Clears the failure after a pass without errors.
    private func recover() {
        let hadFailed = state.withLock { state in
            state.checkpointFailure = store.trouble?.description
            defer { state.failure = nil }
            return state.failure != nil
        }
        if hadFailed { whenReported() }
    }

    /// Schedules another pass, unless one is scheduled.
    private func lookLater(after interval: DispatchTimeInterval) {
        guard !willLookLater else { return }
        willLookLater = true
        queue.asyncAfter(deadline: .now() + interval) {
            self.willLookLater = false
            self.work()
        }
    }

    static func now() -> Int64 { TurnClock.now().bootNanoseconds }
}

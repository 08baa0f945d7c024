// The thread that writes: batches go into the log as fast as the disk takes them, and the tables follow.

import Dispatch
import Glibc
import Posix
import Sessions
import Store
import Synchronization
import Timers

/// What the writer has come to, as the loop sees it.
struct WriterReport: Sendable {
    /// All batches up to this one are as safe as their durability asks.
    var safeThrough: UInt64 = 0
    /// Why the disk takes nothing just now.
    var failure: String?
    var failures = 0
    /// When all that there was then was on disk, by the clock that counts from the machine's start.
    var lastSync: Int64?
    /// Why the store's log does not go into its database; nothing is lost by that.
    var checkpointFailure: String?
}

/// Takes batches from the loop and never makes it wait.
final class JournalWriter: Sendable {
    private struct Inbox {
        var batches: [(number: UInt64, batch: BatchBytes)] = []
        var bytes = 0
        /// Whether a look at the inbox is under way to the queue.
        var isScheduled = false
        var isClosing = false
    }

    /// How long after a failure it is tried again.
    private static let retryAfter = DispatchTimeInterval.milliseconds(200)
    /// The tables follow half a second after a change if there is nothing else to do; under load five seconds, or this much, after it.
    private static let tablesAfterNanoseconds: Int64 = 500_000_000
    private static let tablesAtLastNanoseconds: Int64 = 5_000_000_000
    private static let tablesAfterBytes = 64 << 20
    /// Whoever has not appended anything for so long is not under load.
    private static let restNanoseconds: Int64 = 20_000_000
    private static let syncAfterNanoseconds: Int64 = 1_000_000_000

    private let inbox = Mutex(Inbox())
    private let state = Mutex(WriterReport())
    private let queue = DispatchQueue(label: "gamed.journal", qos: .userInitiated)
    private let durability: Durability
    let directory: String
    private let whenReported: @Sendable () -> Void
    let backup: BackupWork

    // Touched on the queue alone.
    private nonisolated(unsafe) let store: any Store
    private nonisolated(unsafe) let materializer: Materializer
    private nonisolated(unsafe) var lastMaterialized: Int64 = 0
    private nonisolated(unsafe) var lastSynced: Int64 = 0
    private nonisolated(unsafe) var lastAppended: Int64 = 0
    private nonisolated(unsafe) var needsMaintenance = true
    private nonisolated(unsafe) var isFinished = false
    private nonisolated(unsafe) var hasUnsynced = false
    private nonisolated(unsafe) var willLookLater = false

    /// `whenReported` is called on the writer's thread whenever the report has changed in a way that somebody may wait for.
    init(_ store: any Store, historyLines: Int, whenReported: @escaping @Sendable () -> Void) {
        self.store = store
        durability = store.durability
        directory = store.directory
        materializer = Materializer(store, historyLines: historyLines)
        self.whenReported = whenReported
        backup = BackupWork(whenReported: whenReported)
    }

    var report: WriterReport { state.withLock { $0 } }
    /// What has not been written yet.
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

    /// Begins a copy, of all that has been taken so far and of what comes while it is made. False if one is under way.
    func beginBackup(to path: String) -> Bool {
        guard backup.claim(path) else { return false }
        queue.async {
            guard !self.isFinished else { return }
            self.backup.begin(of: self.store)
            self.work()
        }
        return true
    }

    /// Runs something on the writer's thread, with the store.
    func withStore(_ body: @escaping @Sendable (any Store) -> Void) {
        queue.async { body(self.store) }
    }

    /// Writes everything, tables too, and closes the store. Waits for it.
    func finish() throws {
        try queue.sync {
            isFinished = true
            inbox.withLock { $0.isClosing = true }
            backup.finish()
            try appendAll()
            while !materializer.isDone { try materializer.step() }
            try store.close()
        }
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
                // What a client waits for has to wait for one step of it at most.
                backup.step()
                try maintainIfIdle()
            } while hasWork || backup.isCopying || isIdle && needsMaintenance
            recover()
            if !materializer.isDone || hasUnsynced || needsMaintenance { lookLater(after: .milliseconds(durability == .always ? 50 : 250)) }
        } catch {
            // It would lack what the log lacks.
            backup.abandon(because: "\(error)")
            // A full disk may take more once the log has gone into the database.
            _ = try? store.maintain()
            fail("\(error)")
        }
    }

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

    /// What the store has put off, a piece at a time.
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
        let last = try store.append(batches.map(\.batch.bytes))
        for (offset, entry) in batches.enumerated() {
            materializer.add(entry.batch, logged: last - Int64(batches.count - 1 - offset))
        }
        hasUnsynced = true
        needsMaintenance = true
        lastAppended = Self.now()
        inbox.withLock { inbox in
            inbox.batches.removeFirst(batches.count)
            inbox.bytes -= batches.reduce(0) { $0 + $1.batch.count }
        }
        succeed(through: batches[batches.count - 1].number)
    }

    private func syncIfDue() throws {
        guard durability == .everysec, hasUnsynced, Self.now() - lastSynced >= Self.syncAfterNanoseconds else { return }
        try store.sync()
        hasUnsynced = false
        lastSynced = Self.now()
        state.withLock { $0.lastSync = lastSynced }
    }

    private func succeed(through number: UInt64) {
        state.withLock { state in
            state.safeThrough = number
            state.failure = nil
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

    /// Nothing has failed this time.
    private func recover() {
        let hadFailed = state.withLock { state in
            state.checkpointFailure = store.trouble?.description
            defer { state.failure = nil }
            return state.failure != nil
        }
        if hadFailed { whenReported() }
    }

    /// Nothing is to be done at once, but something will be.
    private func lookLater(after interval: DispatchTimeInterval) {
        guard !willLookLater else { return }
        willLookLater = true
        queue.asyncAfter(deadline: .now() + interval) {
            self.willLookLater = false
            self.work()
        }
    }

    private static func now() -> Int64 { TurnClock.now().bootNanoseconds }
}

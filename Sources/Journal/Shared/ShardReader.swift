// The thread that reads shards which this node takes over: brings their logs into the tables, and reads the tables.

import Dispatch
import Posix
import Sessions
import Store
import Synchronization

final class ShardReader: Sendable {
    private struct Inbox {
        var wanted: [Shard] = []
        var read: [ShardReading] = []
        var flows: Set<String> = []
        var isScheduled = false
        var isClosing = false
    }

    /// So many shards wait for the loop at most: each takes memory twice while it is restored.
    private static let mostRead = 4
    private static let rowsAtOnce = 10_000
    private static let partSize = 2_000
    private static let mostBytes = 1 << 20
    private static let retryAfter = DispatchTimeInterval.milliseconds(200)

    private let store: any SharedStore
    private let clock: SharedClock
    private let historyLines: Int
    private let whenRead: @Sendable () -> Void
    private let inbox = Mutex(Inbox())
    private let trouble = Mutex<String?>(nil)
    private let queue = DispatchQueue(label: "gamed.loading", qos: .userInitiated)
    private let cancelling = Mutex<(@Sendable () -> Void)?>(nil)

    // Used on the queue alone.
    private nonisolated(unsafe) var tables: (any SharedTables)?

    /// `historyLines` are of one shard. `whenRead` is called on the thread when there is something to take.
    init(_ store: any SharedStore, _ clock: SharedClock, historyLines: Int, whenRead: @escaping @Sendable () -> Void) {
        (self.store, self.clock, self.historyLines, self.whenRead) = (store, clock, historyLines, whenRead)
    }

    // MARK: For the loop

    /// Why nothing can be read at the moment.
    var failure: String? { trouble.withLock { $0 } }

    /// The flows that are hosted here.
    func host(_ flows: Set<String>) { inbox.withLock { $0.flows = flows } }

    func read(_ shard: Shard) {
        inbox.withLock { $0.wanted.append(shard) }
        schedule(after: .milliseconds(0))
    }

    /// It is not wanted any more; what has been read of it will not come.
    func forget(_ number: Int) {
        inbox.withLock { inbox in
            inbox.wanted.removeAll { $0.number == number }
            inbox.read.removeAll { if case .loaded(let loaded) = $0 { loaded.shard.number == number } else { false } }
        }
        schedule(after: .milliseconds(0))
    }

    /// The next one that has been read.
    func next() -> ShardReading? {
        let reading = inbox.withLock { $0.read.isEmpty ? nil : $0.read.removeFirst() }
        if reading != nil { schedule(after: .milliseconds(0)) }
        return reading
    }

    func finish() {
        inbox.withLock { $0.isClosing = true }
        cancelling.withLock { $0?() }
        queue.sync {
            tables?.close()
            tables = nil
        }
    }

    // MARK: On the queue

    private func schedule(after interval: DispatchTimeInterval) {
        let must = inbox.withLock { inbox in
            defer { inbox.isScheduled = true }
            return !inbox.isScheduled
        }
        if must { queue.asyncAfter(deadline: .now() + interval) { self.work() } }
    }

    private func work() {
        inbox.withLock { $0.isScheduled = false }
        do {
            while let shard = nextWanted() { try take(read(shard), of: shard) }
            trouble.withLock { $0 = nil }
        } catch {
            tables?.close()
            tables = nil
            trouble.withLock { $0 = "\(error)" }
            if !isClosing { schedule(after: Self.retryAfter) }
        }
    }

    private var isClosing: Bool { inbox.withLock { $0.isClosing } }

    private func nextWanted() -> Shard? {
        inbox.withLock { inbox in inbox.isClosing || inbox.read.count >= Self.mostRead ? nil : inbox.wanted.first }
    }

    private func take(_ reading: ShardReading, of shard: Shard) {
        let isWanted = inbox.withLock { inbox in
            guard let place = inbox.wanted.firstIndex(of: shard) else { return false }
            inbox.wanted.remove(at: place)
            inbox.read.append(reading)
            return true
        }
        if isWanted { whenRead() }
    }

    private func read(_ shard: Shard) throws -> ShardReading {
        let tables = try opened()
        do throws(StoreError) {
            try settleLog(of: shard, tables)
            let summary = try tables.beginLoading(shard)
            let missing = inbox.withLock { inbox in summary.flows.filter { !inbox.flows.contains($0) } }
            return missing.isEmpty ? .loaded(try load(shard, summary, tables)) : .lacks(shard, flows: missing.sorted())
        } catch {
            guard error.cause == .lost else { throw error }
            return .gone(shard)
        }
    }

    /// Brings into the tables what the last owner has left in the log, so that a log has batches of one owner alone.
    private func settleLog(of shard: Shard, _ tables: any SharedTables) throws(StoreError) {
        let materializer = Materializer(rowsAtOnce: Self.rowsAtOnce, historyLines: historyLines) {
            (covered, write) throws(StoreError) in try tables.materialize(shard, coveringLogThrough: covered, write)
        }
        try Self.translating(shard) {
            try tables.loadLog(shard) { number, bytes in
                try bytes.forEachBatch { materializer.add($0, logged: number) }
            }
            while !materializer.isDone { try materializer.step() }
        }
    }

    private func load(_ shard: Shard, _ summary: ShardSummary, _ tables: any SharedTables) throws(StoreError) -> LoadedShard {
        var loaded = LoadedShard(shard: shard, summary: summary)
        var sessions = SessionCollector(until: StoredTime(bootID: "", time: clock.now()))
        try Self.translating(shard) {
            try tables.load(
                shard, historyLines: historyLines,
                sessions: { row in
                    sessions.append(row)
                    guard sessions.part.count == Self.partSize || sessions.part.size >= Self.mostBytes else { return }
                    loaded.parts.append(sessions.takePart())
                }, history: { loaded.lines.append(StoredLine($0)) })
        }
        if sessions.part.count > 0 { loaded.parts.append(sessions.takePart()) }
        return loaded
    }

    /// What is wrong with a shard's rows is said with its number.
    private static func translating(_ shard: Shard, _ body: () throws -> Void) throws(StoreError) {
        do {
            try body()
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.damaged, "the log of shard \(shard.number) is damaged: \(error)")
        }
    }

    private func opened() throws(StoreError) -> any SharedTables {
        if let tables { return tables }
        let new = try store.openTables()
        nonisolated(unsafe) let cancelled = new
        cancelling.withLock { $0 = { cancelled.cancel() } }
        tables = new
        return new
    }
}

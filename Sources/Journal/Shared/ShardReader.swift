// Reads the shards that this node takes over, several at a time, and keeps them until the loop takes them.

import Dispatch
import Sessions
import Store
import Synchronization

final class ShardReader: Sendable {
    private struct Wanted {
        let shard: Shard
        /// Not before that: it could not be read.
        var notBefore = DispatchTime(uptimeNanoseconds: 0)
        var problem: String?
        /// How often it could not be read, each time on another connection.
        var failures = 0
    }

    private struct Inbox {
        var wanted: [Wanted] = []
        var underWay: [Shard: Wanted] = [:]
        var read: [ShardReading] = []
        var bytes = 0
        var flows: Set<String> = []

        mutating func add(_ reading: ShardReading) {
            read.append(reading)
            bytes += reading.bytes
        }

        mutating func takeFirst() -> ShardReading? {
            guard !read.isEmpty else { return nil }
            let reading = read.removeFirst()
            bytes -= reading.bytes
            return reading
        }
    }

    /// Connections that read, of which all but the first are closed when there is nothing to read.
    private static let mostConnections = 3
    /// So much waits for the loop at most: each shard takes memory twice while it is restored.
    private static let (mostRead, mostBytes) = (64, 16 << 20)
    private static let retryAfter = DispatchTimeInterval.milliseconds(200)
    /// A shard that cannot be read is tried again after that.
    private static let secondTryAfter = DispatchTimeInterval.milliseconds(500)
    /// More than these are no connection's fault.
    private static let mostFailures = 2
    private static let idleAfter = DispatchTimeInterval.seconds(10)

    private let clock: SharedClock
    private let historyLines: Int
    private let recent: RecentRows
    private let whenRead: @Sendable () -> Void
    private let inbox = Mutex(Inbox())
    private let threads: [TablesThread]

    /// `historyLines` are of one shard. `whenRead` is called on a thread when there is something to take.
    init(
        _ store: any SharedStore, _ clock: SharedClock, _ recent: RecentRows, historyLines: Int,
        whenRead: @escaping @Sendable () -> Void
    ) {
        (self.clock, self.recent, self.historyLines, self.whenRead) = (clock, recent, historyLines, whenRead)
        threads = (0..<Self.mostConnections).map { number in
            TablesThread(store, named: "gamed.loading-\(number)", qos: .userInitiated, retryAfter: Self.retryAfter)
        }
        for thread in threads { thread.work = { [unowned self, unowned thread] in try work(on: thread) } }
    }

    // MARK: For the loop

    /// Why some shard cannot be read at the moment.
    var failure: String? {
        threads.lazy.compactMap(\.failure).first
            ?? inbox.withLock { inbox in
                inbox.wanted.lazy.compactMap(\.problem).first ?? inbox.underWay.values.lazy.compactMap(\.problem).first
            }
    }

    /// The flows that are hosted here.
    func host(_ flows: Set<String>) { inbox.withLock { $0.flows = flows } }

    func read(_ shard: Shard) {
        inbox.withLock { $0.wanted.append(Wanted(shard: shard)) }
        lookSoon()
    }

    /// It is not wanted any more; what has been read of it will not come.
    func forget(_ number: Int) {
        inbox.withLock { inbox in
            inbox.wanted.removeAll { $0.shard.number == number }
            for shard in inbox.underWay.keys where shard.number == number { inbox.underWay[shard] = nil }
            for (place, reading) in inbox.read.enumerated().reversed() where reading.shard.number == number {
                inbox.bytes -= inbox.read.remove(at: place).bytes
            }
        }
        lookSoon()
    }

    /// The next one that has been read.
    func next() -> ShardReading? {
        let (reading, isWaiting) = inbox.withLock { ($0.takeFirst(), !$0.wanted.isEmpty) }
        if reading != nil, isWaiting { lookSoon() }
        return reading
    }

    func finish() {
        for thread in threads { thread.finish() }
    }

    private func lookSoon() {
        for thread in threads { thread.schedule(after: .milliseconds(0)) }
    }

    // MARK: On the threads

    private func work(on thread: TablesThread) throws {
        while !thread.isClosing, let wanted = nextWanted() {
            do {
                try read(wanted.shard, from: try thread.opened())
            } catch {
                var again = wanted
                if thread.isOpen { again.failures += 1 }
                let isDamaged = (error as? StoreError)?.cause == .damaged
                let isOwnFault = thread.isOpen && (isDamaged || again.failures > Self.mostFailures)
                putBack(again, since: isOwnFault ? error : nil)
                guard isOwnFault else { throw error }
                thread.close()
            }
        }
        lookLater(on: thread)
    }

    private func read(_ shard: Shard, from tables: any SharedTables) throws {
        let hosted = inbox.withLock { $0.flows }
        let loading = ShardLoading(shard, at: clock.earliest(), hosted: hosted, historyLines: historyLines, recent)
        let reading = try loading.read(from: tables)
        let isWanted = inbox.withLock { inbox in
            guard inbox.underWay.removeValue(forKey: shard) != nil else { return false }
            inbox.add(reading)
            return true
        }
        if isWanted { whenRead() }
    }

    private func nextWanted() -> Wanted? {
        inbox.withLock { inbox in
            guard inbox.read.count < Self.mostRead, inbox.bytes < Self.mostBytes else { return nil }
            let now = DispatchTime.now()
            guard let place = inbox.wanted.firstIndex(where: { $0.notBefore <= now }) else { return nil }
            let wanted = inbox.wanted.remove(at: place)
            inbox.underWay[wanted.shard] = wanted
            return wanted
        }
    }

    /// To the end of the line: others may be read all the same. The error is the shard's own, and is told once.
    private func putBack(_ wanted: Wanted, since error: (any Error)?) {
        let isNew = inbox.withLock { inbox in
            guard inbox.underWay.removeValue(forKey: wanted.shard) != nil else { return false }
            var again = wanted
            defer { inbox.wanted.append(again) }
            guard let problem = error.map({ "\($0)" }) else { return false }
            (again.notBefore, again.problem) = (.now() + Self.secondTryAfter, problem)
            guard problem != wanted.problem else { return false }
            inbox.add(.unreadable(wanted.shard, problem: problem))
            return true
        }
        if isNew { whenRead() }
    }

    private func lookLater(on thread: TablesThread) {
        if inbox.withLock({ $0.wanted.contains { $0.problem != nil } }) { return thread.schedule(after: Self.secondTryAfter) }
        guard thread !== threads[0], inbox.withLock({ $0.wanted.isEmpty }) else { return }
        thread.closeIfIdle(for: Self.idleAfter)
    }
}
